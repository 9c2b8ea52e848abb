/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/process/signals.h"

#include <signal.h>
#include <sys/signalfd.h>

int signals_open(const int *signals, size_t n)
{
	sigset_t set;

	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&set);
	for (size_t i = 0; i < n; i++)
		sigaddset(&set, signals[i]);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}
