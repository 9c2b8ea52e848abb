/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/metrics/names.h"

#include <stdio.h>

void alias_begin(struct exposition *page, const char *first, const char *second, const char *third, const char *help)
{
	snprintf(page->alias_name, sizeof(page->alias_name), "%s%s%s", first, second, third);
	page->alias = (struct family){ page->alias_name, FAMILY_GAUGE, NULL, help };
	exposition_family(page, &page->alias);
}

void alias_value(struct exposition *page, const char *name, const char *help, double value)
{
	alias_begin(page, name, "", "", help);
	exposition_value(page, NULL, 0, value);
}
