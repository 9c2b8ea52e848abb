/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/process/signal_name.h"

#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Older names of signals, and those of the C library. */
static const struct {
	const char *name;
	int number;
} others[] = { { "IOT", SIGIOT }, { "CLD", SIGCHLD }, { "POLL", SIGPOLL }, { "IO", SIGIO } };

/* Return the value of one to three digits; -1: anything else. */
static int digits(const char *text)
{
	size_t n = strspn(text, "0123456789");

	return n > 0 && n <= 3 && !text[n] ? atoi(text) : -1;
}

/* Read "+3" after RTMIN, "-1" after RTMAX. */
static int real_time_number(const char *after, int from, char sign)
{
	int steps = *after == sign ? digits(after + 1)
		    : *after	    ? -1
				    : 0,
	    number = sign == '+' ? from + steps : from - steps;

	return steps >= 0 && number >= SIGRTMIN && number <= SIGRTMAX ? number : 0;
}

int signal_number(const char *text)
{
	int number = digits(text);

	if (number >= 0)
		return number <= SIGRTMAX ? number : 0;
	if (strncasecmp(text, "SIG", 3) == 0)
		text += 3;
	if (strncasecmp(text, "RTMIN", 5) == 0)
		return real_time_number(text + 5, SIGRTMIN, '+');
	if (strncasecmp(text, "RTMAX", 5) == 0)
		return real_time_number(text + 5, SIGRTMAX, '-');
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (strcasecmp(text, others[i].name) == 0)
			return others[i].number;
	for (int i = 1; i < NSIG; i++)
		if (sigabbrev_np(i) && strcasecmp(text, sigabbrev_np(i)) == 0)
			return i;
	return 0;
}
