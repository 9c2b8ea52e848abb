/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/policy/multifactor/past.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/columns.h"
#include "sched/policy/multifactor/multifactor.h"
#include "tickets/usage_decay.h"

static void names_drop(struct strings *strings, const struct past_usage *usage)
{
	strings_drop(strings, usage->account);
	strings_drop(strings, usage->user);
	strings_drop(strings, usage->partition);
}

static int name_hold(struct strings *strings, const char *text, uint32_t *id)
{
	*id = *text ? strings_hold(strings, text) : NONE;
	return *id == NONE && *text ? -ENOMEM : 0;
}

/* Grow by half, so that adding entries one at a time does not copy all of them each time. */
static int reserve(struct past *past, size_t more)
{
	size_t n = past->n + more;

	return array_reserve(&past->capacity, n, COLUMN(past->items));
}

int past_add(struct past *past, struct strings *strings, const char *const names[3], long double usage,
	     int64_t time_stamp)
{
	struct past_usage past_usage = { NONE, NONE, NONE, usage, time_stamp };

	if (reserve(past, 1))
		return -ENOMEM;
	if (name_hold(strings, names[0], &past_usage.account) || name_hold(strings, names[1], &past_usage.user) ||
	    name_hold(strings, names[2], &past_usage.partition)) {
		names_drop(strings, &past_usage);
		return -ENOMEM;
	}
	past->items[past->n++] = past_usage;
	return 0;
}

int past_add_decay(struct past *past, const struct decay *decay)
{
	if (array_reserve(&past->decays_capacity, past->ndecays + 1, COLUMN(past->decays)))
		return -ENOMEM;
	past->decays[past->ndecays++] = *decay;
	return 0;
}

void past_free(struct past *past, struct strings *strings)
{
	for (size_t i = 0; i < past->n; i++)
		names_drop(strings, &past->items[i]);
	free(past->items);
	free(past->decays);
	*past = (struct past){ 0 };
}

int past_reserve(struct past *past, const struct multifactor *multifactor)
{
	size_t kept = 0;

	for (size_t i = 0; multifactor && i < multifactor->tree.n; i++)
		kept += multifactor_keeps(multifactor, i);
	return reserve(past, kept);
}

/* The tree holds these names already, so holding them once more needs no memory. */
void past_leave(struct past *past, struct strings *strings, const struct multifactor *multifactor)
{
	int __attribute__((unused)) rc;

	past->pass = multifactor->pass;
	past->last_reset = multifactor->last_reset;
	past->passed = multifactor->passed;
	past->changed = true;
	for (size_t i = 0; i < multifactor->tree.n; i++) {
		const char *names[3];

		if (!multifactor_keeps(multifactor, i))
			continue;
		for (size_t k = 0; k < 3; k++)
			names[k] = strings_text(strings, multifactor->names[3 * i + k]);
		rc = past_add(past, strings, names, multifactor->tree.items[i].usage, multifactor->pass);
		assert(rc == 0);
	}
}

static bool is_reset(const struct multifactor *multifactor)
{
	return multifactor->conf->reset != RESET_NONE && multifactor->conf->reset != RESET_NOW;
}

/*
 * Return the part of past usage that is left. Usage decays and is reset even while no tree has it.
 * Usage older than the known decays decays in one step.
 */
static long double left(const struct past *past, const struct multifactor *multifactor,
			const struct past_usage *past_usage)
{
	long double usage = past_usage->usage;
	int64_t at = past_usage->time_stamp;

	if (at == 0 || at >= past->pass)
		return usage;
	if (is_reset(multifactor) && at < past->last_reset)
		return 0.0L;
	for (size_t i = 0; i < past->ndecays && at >= past->decays[0].since; i++)
		if (past->decays[i].until > at) {
			usage *= past->decays[i].left;
			at = past->decays[i].until;
		}
	return at < past->pass ? usage * half_life_left(multifactor->decay, past->pass - at) : usage;
}

/* Return the user's association that has exactly these names. */
static uint32_t owner(const struct strings *strings, const struct multifactor *multifactor,
		      const struct past_usage *usage)
{
	const char *partition = strings_text(strings, usage->partition);
	uint32_t to = slurm_association(multifactor->conf, strings_text(strings, usage->account),
					strings_text(strings, usage->user), partition);

	return to < multifactor->tree.n && multifactor->tree.items[to].is_user &&
			       strcmp(multifactor->conf->associations[to].partition, partition) == 0
		       ? to
		       : NONE;
}

void past_take(struct past *past, struct strings *strings, struct multifactor *multifactor)
{
	size_t n = 0;

	for (size_t i = 0; i < past->n; i++) {
		const struct past_usage *usage = &past->items[i];
		uint32_t to = owner(strings, multifactor, usage);

		if (to == NONE) {
			past->items[n++] = *usage;
			continue;
		}
		multifactor->tree.items[to].usage = left(past, multifactor, usage);
		multifactor->kept[to] = true;
		names_drop(strings, usage);
	}
	past->n = n;
	/* remaining usage has no owner: it need not be the same to the bit */
	past->ndecays = 0;
	multifactor->pass = past->pass;
	multifactor->last_reset = past->last_reset;
	multifactor->passed = past->passed;
	multifactor->all_changed = true;
}
