/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events that say what an accountant of HTCondor's knew whose work is gone on with: see tables.h.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "conf/array.h"
#include "sched/mirror/tables.h"

static int check(const struct mirror *m, const double *values, size_t n, struct error *error)
{
	if (!m->resume.given)
		return error_set(error, -EINVAL, "there is no scheduler_state before it");
	for (size_t i = 0; i < n; i++)
		if (!isfinite(values[i]))
			return error_set(error, -EINVAL, "finite numbers are expected");
	return 0;
}

/* Room for one more. */
static int reserve(void *items, size_t n, size_t *capacity, size_t bytes, struct error *error)
{
	if (n < *capacity)
		return 0;
	if (array_grow(items, 2 * n + 64, bytes))
		return error_set(error, -ENOMEM, "out of memory");
	*capacity = 2 * n + 64;
	return 0;
}

static int name_hold(struct mirror *m, const char *name, uint32_t *id, struct error *error)
{
	*id = name && *name ? strings_hold(m->strings, name) : NONE;
	return *id == NONE && name && *name ? error_set(error, -ENOMEM, "out of memory") : 0;
}

int mirror_customer(struct mirror *m, const struct customer_event *event, struct error *error)
{
	const struct customer *c = &event->values;
	const double values[] = { c->rup, c->factor, c->weight_used, c->tree_used, c->uncharged, c->weight_uncharged, c->accumulated, c->weight_accumulated,
				  c->leases[SETTING_FACTOR].before, c->leases[SETTING_CEILING].before, c->leases[SETTING_FLOOR].before };
	struct resume *r = &m->resume;
	struct told_customer told = { .waited = event->waited, .hidden = event->hidden, .values = *c };
	int rc = check(m, values, sizeof(values) / sizeof(*values), error);

	if (rc == 0)
		rc = reserve(&r->customers, r->ncustomers, &r->customers_capacity, sizeof(*r->customers), error);
	if (rc == 0)
		rc = name_hold(m, event->name, &told.name, error);
	if (rc == 0)
		r->customers[r->ncustomers++] = told;
	return rc;
}

/* Slot, customer and group of one more, for which there is room. */
static int names_hold(struct mirror *m, const char *const names[3], uint32_t ids[3], struct error *error)
{
	int rc = 0;

	for (int k = 0; k < 3; k++)
		ids[k] = NONE;
	for (int k = 0; rc == 0 && k < 3; k++)
		rc = name_hold(m, names[k], &ids[k], error);
	for (int k = 0; rc && k < 3; k++)
		strings_drop(m->strings, ids[k]);
	return rc;
}

int mirror_charged_slot(struct mirror *m, const struct charge_event *event, struct error *error)
{
	const double values[] = { event->values.weight, event->values.current_rank };
	struct resume *r = &m->resume;
	uint32_t ids[3];
	int rc = check(m, values, 2, error);

	if (rc == 0)
		rc = reserve(&r->charges, r->ncharges, &r->charges_capacity, sizeof(*r->charges), error);
	if (rc == 0)
		rc = names_hold(m, (const char *[]){ event->slot, event->customer, event->negotiating_group }, ids, error);
	if (rc == 0)
		r->charges[r->ncharges++] = (struct told_charge){ ids[0], ids[1], ids[2], event->values };
	return rc;
}

int mirror_winner(struct mirror *m, const struct winner_event *event, struct error *error)
{
	struct resume *r = &m->resume;
	uint32_t ids[3];
	int rc = check(m, &event->values.rank, 1, error);

	if (rc == 0)
		rc = reserve(&r->winners, r->nwinners, &r->winners_capacity, sizeof(*r->winners), error);
	if (rc == 0)
		rc = names_hold(m, (const char *[]){ event->slot, event->customer, event->negotiating_group }, ids, error);
	if (rc == 0)
		r->winners[r->nwinners++] = (struct told_winner){ ids[0], ids[1], ids[2], event->values };
	return rc;
}

static void names_drop(struct mirror *m, uint32_t slot, uint32_t customer, uint32_t group)
{
	strings_drop(m->strings, slot);
	strings_drop(m->strings, customer);
	strings_drop(m->strings, group);
}

void told_accounts_free(struct mirror *m)
{
	struct resume *r = &m->resume;

	for (size_t i = 0; i < r->ncustomers; i++)
		strings_drop(m->strings, r->customers[i].name);
	for (size_t i = 0; i < r->ncharges; i++)
		names_drop(m, r->charges[i].slot, r->charges[i].customer, r->charges[i].negotiating_group);
	for (size_t i = 0; i < r->nwinners; i++)
		names_drop(m, r->winners[i].slot, r->winners[i].customer, r->winners[i].negotiating_group);
	free(r->customers);
	free(r->charges);
	free(r->winners);
}
