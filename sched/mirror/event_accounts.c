/* SPDX-License-Identifier: Apache-2.0 */
/* Events with the state of HTCondor's accountant, from which a scheduler continues (tables.h). */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "conf/base/array.h"
#include "sched/mirror/inside.h"

static int check(const struct mirror *mirror, const double *values, size_t n, struct error *error)
{
	if (!mirror->resume.given)
		return error_set(error, -EINVAL, "a scheduler_state event must come first");
	for (size_t i = 0; i < n; i++)
		if (!isfinite(values[i]))
			return error_set(error, -EINVAL, "finite numbers are expected");
	return 0;
}

/* Reserve memory for one more item. */
static int reserve(void *items, size_t n, size_t *capacity, size_t bytes, struct error *error)
{
	if (n < *capacity)
		return 0;
	if (array_grow(items, 2 * n + 64, bytes))
		return error_set(error, -ENOMEM, "out of memory");
	*capacity = 2 * n + 64;
	return 0;
}

static int name_hold(struct mirror *mirror, const char *name, uint32_t *id, struct error *error)
{
	*id = name && *name ? strings_hold(mirror->strings, name) : NONE;
	return *id == NONE && name && *name ? error_set(error, -ENOMEM, "out of memory") : 0;
}

int mirror_customer(struct mirror *mirror, const struct customer_event *event, struct error *error)
{
	const struct customer *customer = &event->values;
	const double values[] = { customer->rup,
				  customer->factor,
				  customer->weight_used,
				  customer->tree_used,
				  customer->uncharged,
				  customer->weight_uncharged,
				  customer->accumulated,
				  customer->weight_accumulated,
				  customer->leases[SETTING_FACTOR].before,
				  customer->leases[SETTING_CEILING].before,
				  customer->leases[SETTING_FLOOR].before };
	struct resume *resume = &mirror->resume;
	struct reported_customer reported = { .waited = event->waited, .hidden = event->hidden, .values = *customer };
	int rc = check(mirror, values, sizeof(values) / sizeof(*values), error);

	if (rc == 0)
		rc = reserve(&resume->customers, resume->ncustomers, &resume->customers_capacity,
			     sizeof(*resume->customers), error);
	if (rc == 0)
		rc = name_hold(mirror, event->name, &reported.name, error);
	if (rc == 0)
		resume->customers[resume->ncustomers++] = reported;
	return rc;
}

/* Hold the names of slot, customer and group of a new item, for which memory is reserved. */
static int names_hold(struct mirror *mirror, const char *const names[3], uint32_t ids[3], struct error *error)
{
	int rc = 0;

	for (int k = 0; k < 3; k++)
		ids[k] = NONE;
	for (int k = 0; rc == 0 && k < 3; k++)
		rc = name_hold(mirror, names[k], &ids[k], error);
	for (int k = 0; rc && k < 3; k++)
		strings_drop(mirror->strings, ids[k]);
	return rc;
}

int mirror_charged_slot(struct mirror *mirror, const struct charge_event *event, struct error *error)
{
	const double values[] = { event->values.weight, event->values.current_rank };
	struct resume *resume = &mirror->resume;
	uint32_t ids[3];
	int rc = check(mirror, values, 2, error);

	if (rc == 0)
		rc = reserve(&resume->charges, resume->ncharges, &resume->charges_capacity, sizeof(*resume->charges),
			     error);
	if (rc == 0)
		rc = names_hold(mirror, (const char *[]){ event->slot, event->customer, event->negotiating_group }, ids,
				error);
	if (rc == 0)
		resume->charges[resume->ncharges++] = (struct reported_charge){ ids[0], ids[1], ids[2], event->values };
	return rc;
}

int mirror_winner(struct mirror *mirror, const struct winner_event *event, struct error *error)
{
	struct resume *resume = &mirror->resume;
	uint32_t ids[3];
	int rc = check(mirror, &event->values.rank, 1, error);

	if (rc == 0)
		rc = reserve(&resume->winners, resume->nwinners, &resume->winners_capacity, sizeof(*resume->winners),
			     error);
	if (rc == 0)
		rc = names_hold(mirror, (const char *[]){ event->slot, event->customer, event->negotiating_group }, ids,
				error);
	if (rc == 0)
		resume->winners[resume->nwinners++] = (struct reported_winner){ ids[0], ids[1], ids[2], event->values };
	return rc;
}

static void names_drop(struct mirror *mirror, uint32_t slot, uint32_t customer, uint32_t group)
{
	strings_drop(mirror->strings, slot);
	strings_drop(mirror->strings, customer);
	strings_drop(mirror->strings, group);
}

void reported_accounts_free(struct mirror *mirror)
{
	struct resume *resume = &mirror->resume;

	for (size_t i = 0; i < resume->ncustomers; i++)
		strings_drop(mirror->strings, resume->customers[i].name);
	for (size_t i = 0; i < resume->ncharges; i++)
		names_drop(mirror, resume->charges[i].slot, resume->charges[i].customer,
			   resume->charges[i].negotiating_group);
	for (size_t i = 0; i < resume->nwinners; i++)
		names_drop(mirror, resume->winners[i].slot, resume->winners[i].customer,
			   resume->winners[i].negotiating_group);
	free(resume->customers);
	free(resume->charges);
	free(resume->winners);
}
