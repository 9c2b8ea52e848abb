/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of usage that is booked. Each run asks for the names of each started task, so the answers
 * are cached.
 */
#include <string.h>

#include "conf/base/array.h"
#include "sched/run/account.h"
#include "sched/run/booking.h"

bool booking_names(const char *name)
{
	static const char *const names[] = { "cpu", "io", "iow", "mem", "vmem", "finished_jobs" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return strncmp(name, "acct_", 5) == 0 || strncmp(name, "ru_", 3) == 0;
}

bool booking_counts(const struct run *run, uint32_t name)
{
	enum { UNKNOWN, BOOKED, NOT_BOOKED };
	struct account *account = run->account;
	unsigned char *known = name < account->nbooked ? &account->booked[name] : NULL;

	if (known && *known != UNKNOWN)
		return *known == BOOKED;
	if (!known && array_grow(&account->booked, (size_t)name + 1, 1) == 0) {
		memset(account->booked + account->nbooked, UNKNOWN, name + 1 - account->nbooked);
		account->nbooked = (size_t)name + 1;
		known = &account->booked[name];
	}

	bool booked = booking_names(strings_text(run->strings, run->mirror->usage_names.strings[name]));

	if (known)
		*known = booked ? BOOKED : NOT_BOOKED;
	return booked;
}
