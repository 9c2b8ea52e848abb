/* SPDX-License-Identifier: Apache-2.0 */
/* Signals as people write them. */
#ifndef SCHED_PROCESS_SIGNAL_NAME_H
#define SCHED_PROCESS_SIGNAL_NAME_H

/*
 * "SIGTERM", "term", "15", "SIGRTMIN+3", "RTMAX-1", as kill(1) and HTCondor's kill_sig take them.
 * 0: there is no such signal.
 */
int signal_number(const char *text);

#endif
