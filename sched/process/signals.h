/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHED_PROCESS_SIGNALS_H
#define SCHED_PROCESS_SIGNALS_H

#include <stddef.h>

/*
 * Block signals and ignore SIGPIPE. Returns a descriptor of signalfd(2) that reports the blocked
 * signals and never waits. -1: see errno.
 */
int signals_open(const int *signals, size_t n);

#endif
