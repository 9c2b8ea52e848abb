/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/policy/multifactor/past.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/array.h"
#include "sched/policy/multifactor/multifactor.h"
#include "tickets/usage_decay.h"

static void names_drop(struct strings *strings, const struct past_usage *u)
{
	strings_drop(strings, u->account);
	strings_drop(strings, u->user);
	strings_drop(strings, u->partition);
}

static int name_hold(struct strings *strings, const char *text, uint32_t *id)
{
	*id = *text ? strings_hold(strings, text) : NONE;
	return *id == NONE && *text ? -ENOMEM : 0;
}

/* By half as much again, so that one more at a time does not cost a copy each. */
static int reserve(struct past *p, size_t more)
{
	size_t n = p->n + more;

	if (n <= p->capacity)
		return 0;
	n += n / 2 + 64;
	if (array_grow(&p->items, n, sizeof(*p->items)))
		return -ENOMEM;
	p->capacity = n;
	return 0;
}

int past_add(struct past *p, struct strings *strings, const char *const names[3], long double usage, int64_t time_stamp)
{
	struct past_usage u = { NONE, NONE, NONE, usage, time_stamp };

	if (reserve(p, 1))
		return -ENOMEM;
	if (name_hold(strings, names[0], &u.account) || name_hold(strings, names[1], &u.user) || name_hold(strings, names[2], &u.partition)) {
		names_drop(strings, &u);
		return -ENOMEM;
	}
	p->items[p->n++] = u;
	return 0;
}

int past_add_decay(struct past *p, const struct decay *decay)
{
	size_t more = p->ndecays + p->ndecays / 2 + 64;

	if (p->ndecays == p->decays_capacity) {
		if (array_grow(&p->decays, more, sizeof(*p->decays)))
			return -ENOMEM;
		p->decays_capacity = more;
	}
	p->decays[p->ndecays++] = *decay;
	return 0;
}

void past_free(struct past *p, struct strings *strings)
{
	for (size_t i = 0; i < p->n; i++)
		names_drop(strings, &p->items[i]);
	free(p->items);
	free(p->decays);
	*p = (struct past){ 0 };
}

int past_reserve(struct past *p, const struct multifactor *m)
{
	size_t kept = 0;

	for (size_t i = 0; m && i < m->tree.n; i++)
		kept += multifactor_keeps(m, i);
	return reserve(p, kept);
}

/* Its names are held already: to hold them once more needs no memory. */
void past_leave(struct past *p, struct strings *strings, const struct multifactor *m)
{
	int __attribute__((unused)) rc;

	p->pass = m->pass;
	p->last_reset = m->last_reset;
	p->passed = m->passed;
	p->changed = true;
	for (size_t i = 0; i < m->tree.n; i++) {
		const char *names[3];

		if (!multifactor_keeps(m, i))
			continue;
		for (size_t k = 0; k < 3; k++)
			names[k] = strings_text(strings, m->names[3 * i + k]);
		rc = past_add(p, strings, names, m->tree.items[i].usage, m->pass);
		assert(rc == 0);
	}
}

static bool is_reset(const struct multifactor *m)
{
	return m->conf->reset != RESET_NONE && m->conf->reset != RESET_NOW;
}

/*
 * What nobody had in between has decayed and was forgotten all the same. What is older than the
 * decays that are known decays at one stroke.
 */
static long double left(const struct past *p, const struct multifactor *m, const struct past_usage *u)
{
	long double usage = u->usage;
	int64_t at = u->time_stamp;

	if (at == 0 || at >= p->pass)
		return usage;
	if (is_reset(m) && at < p->last_reset)
		return 0.0L;
	for (size_t i = 0; i < p->ndecays && at >= p->decays[0].since; i++)
		if (p->decays[i].until > at) {
			usage *= p->decays[i].left;
			at = p->decays[i].until;
		}
	return at < p->pass ? usage * half_life_left(m->decay, p->pass - at) : usage;
}

/* The user's association of exactly these names. */
static uint32_t owner(const struct strings *strings, const struct multifactor *m, const struct past_usage *u)
{
	const char *partition = strings_text(strings, u->partition);
	uint32_t to = slurm_association(m->conf, strings_text(strings, u->account), strings_text(strings, u->user), partition);

	return to < m->tree.n && m->tree.items[to].is_user && strcmp(m->conf->associations[to].partition, partition) == 0 ? to : NONE;
}

void past_take(struct past *p, struct strings *strings, struct multifactor *m)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n; i++) {
		const struct past_usage *u = &p->items[i];
		uint32_t to = owner(strings, m, u);

		if (to == NONE) {
			p->items[n++] = *u;
			continue;
		}
		m->tree.items[to].usage = left(p, m, u);
		m->kept[to] = true;
		names_drop(strings, u);
	}
	p->n = n;
	/* what stays belongs to nobody: it need not be the same to the bit */
	p->ndecays = 0;
	m->pass = p->pass;
	m->last_reset = p->last_reset;
	m->passed = p->passed;
	m->all_changed = true;
}
