/* SPDX-License-Identifier: Apache-2.0 */
/* Names of signals. */
#ifndef SCHED_PROCESS_SIGNAL_NAME_H
#define SCHED_PROCESS_SIGNAL_NAME_H

/*
 * Return the number of a signal: "SIGTERM", "term", "15", "SIGRTMIN+3", "RTMAX-1", as kill(1) and
 * HTCondor's kill_sig accept them. 0: there is no such signal.
 */
int signal_number(const char *text);

#endif
