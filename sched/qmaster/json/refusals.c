/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/json/refusals.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "sched/process/log.h"

static bool is_power_of_ten(uint64_t n)
{
	while (n >= 10 && n % 10 == 0)
		n /= 10;
	return n == 1;
}

void refusals_report(struct refusals *refusals, const char *text)
{
	char name[sizeof(refusals->kinds[0].name)];
	struct refusal_kind *kind = refusals->kinds;

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(text, ":"), text);
	while (kind < &refusals->kinds[REFUSALS_KINDS - 1] && kind->name[0] && strcmp(kind->name, name) != 0)
		kind++;
	if (kind < &refusals->kinds[REFUSALS_KINDS - 1] && !kind->name[0])
		strcpy(kind->name, name);
	kind->n++;
	if (kind->n == 1)
		log_line(LOG_ODD, "refused from the qmaster: %s", text);
	else if (is_power_of_ten(kind->n))
		log_line(LOG_ODD, "refused from the qmaster: %s (%llu of this kind so far)", text,
			 (unsigned long long)kind->n);
}
