/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Raw usage of Slurm's associations. In a pass all of it decays, but only what was charged or
 * reported is written, and by turns a part of the rest: rows say of which pass they are, and the
 * decays since then are written once for all of them. What is read goes through these one by one
 * and comes out as it was, to the bit. Rows of associations that the cell does not have stay as
 * they are, with their time stamp, should these come back.
 */
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sched/parts.h"
#include "sched/policy/multifactor/multifactor.h"
#include "sched/store/base.h"

#define USAGE_BYTES 64

static struct multifactor_policy *of(const struct sched *sched)
{
	return (struct multifactor_policy *)sched->policies.known[1];
}

/* Loading */

/* Decimal digits alone, as many as a long double needs; what is smaller than that can hold is 0. */
static long double exact_of_column(struct query *q, int column)
{
	const char *text = query_get_text(q, column);
	long double usage;
	char *end;

	usage = strtold(text, &end);
	if (*text && *end == '\0' && text[strspn(text, "0123456789.e+-")] == '\0' && usage >= 0.0L && usage <= DBL_MAX)
		return usage;
	query_damaged(q, column);
	return 0.0L;
}

/* account, user, partition, usage_exact, time_stamp */
static void association_of_row(struct query *q, struct sched *sched)
{
	const char *const names[3] = { query_get_text(q, 0), query_get_text(q, 1), query_get_text(q, 2) };
	long double usage = exact_of_column(q, 3);
	int64_t time_stamp = query_get_integer(q, 4, 0, TIME_MAX);

	for (int i = 0; i < 2; i++)
		if (*names[i] == '\0')
			query_damaged(q, i);
	if (q->rc == 0 && past_add(&of(sched)->past, sched->strings, names, usage, time_stamp))
		q->rc = error_set(q->error, -ENOMEM, "out of memory");
}

/* since, until, remains */
static void decay_of_row(struct query *q, struct sched *sched)
{
	struct decay decay = { query_get_integer(q, 0, 0, TIME_MAX), query_get_integer(q, 1, 0, TIME_MAX), query_get_real(q, 2, 0.0, 1.0) };

	if (decay.since >= decay.until)
		query_damaged(q, 0);
	if (q->rc == 0 && past_add_decay(&of(sched)->past, &decay))
		q->rc = error_set(q->error, -ENOMEM, "out of memory");
}

static int decays_load(struct store *s, struct sched *sched, struct error *error)
{
	struct query q = query_read(s, STATEMENT_DECAYS_EACH, "SELECT since, until, remains FROM association_decay ORDER BY until", error);

	while (query_row(&q))
		decay_of_row(&q, sched);
	return query_end(&q);
}

static int clock_load(struct store *s, const char *key, int64_t *time, struct error *error)
{
	int rc = meta_get_number(s, key, 0, TIME_MAX, time, error);

	return rc == -ENOENT ? 0 : rc;
}

int associations_load(struct store *s, struct sched *sched, struct error *error)
{
	struct query q = query_read(s, STATEMENT_ASSOCIATIONS_EACH, "SELECT account, user, partition, usage_exact, time_stamp "
				    "FROM association_usage ORDER BY account, user, partition", error);
	int rc;

	past_free(&of(sched)->past, sched->strings);	/* of a load that failed */
	while (query_row(&q))
		association_of_row(&q, sched);
	rc = query_end(&q);
	if (rc == 0)
		rc = decays_load(s, sched, error);
	if (rc == 0)
		rc = clock_load(s, "pass", &s->pass_kept, error);
	if (rc == 0)
		rc = clock_load(s, "usage_reset", &s->reset_kept, error);
	if (rc != 0)
		return rc;
	of(sched)->past.pass = s->pass = s->pass_kept;
	of(sched)->past.last_reset = s->reset = s->reset_kept;
	if (of(sched)->in_force) {
		past_take(&of(sched)->past, sched->strings, of(sched)->in_force);
		associations_sum(&of(sched)->in_force->tree);
	}
	return 0;
}

/* Saving */

static int association_put(struct store *s, const uint32_t names[3], long double usage, int64_t time_stamp, struct error *error)
{
	struct query q = query_change(s, STATEMENT_ASSOCIATION_PUT, "INSERT INTO association_usage (account, user, partition, usage_exact, time_stamp) "
				      "VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET usage_exact = excluded.usage_exact, "
				      "time_stamp = excluded.time_stamp", error);
	char text[USAGE_BYTES];

	for (int i = 0; i < 3; i++)
		query_text(&q, strings_text(s->sched->strings, names[i]));
	snprintf(text, sizeof(text), "%.*Lg", LDBL_DECIMAL_DIG, usage);
	query_text(&q, text);
	query_integer(&q, time_stamp);
	return query_run(&q);
}

static int past_save(struct store *s, const struct past *p, struct error *error)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && p->changed && i < p->n; i++)
		rc = association_put(s, (uint32_t[]){ p->items[i].account, p->items[i].user, p->items[i].partition }, p->items[i].usage,
				       p->items[i].time_stamp, error);
	return rc;
}

/* Up to a pass all rows are newer. */
static int decays_prune(struct store *s, int64_t pass, struct error *error)
{
	struct query q = query_change(s, STATEMENT_DECAYS_PRUNE, "DELETE FROM association_decay WHERE until <= ?", error);

	query_integer(&q, pass);
	return query_run(&q);
}

static int decay_put(struct store *s, const struct decay *decay, struct error *error)
{
	struct query q = query_change(s, STATEMENT_DECAY_PUT, "INSERT OR REPLACE INTO association_decay (since, until, remains) VALUES (?, ?, ?)",
				      error);

	query_integer(&q, decay->since);
	query_integer(&q, decay->until);
	query_real(&q, decay->left);
	return query_run(&q);
}

/*
 * Where all rows are written there is none: after the clock was set back, those that there were
 * would be wrong.
 */
static int decays_save(struct store *s, const struct multifactor *m, struct error *error)
{
	int rc;

	if (m->ndecays == 0 && !m->all_changed)
		return 0;
	rc = decays_prune(s, m->all_changed ? TIME_MAX : m->stored_pass, error);
	for (size_t i = 0; rc == 0 && !m->all_changed && i < m->ndecays; i++)
		rc = decay_put(s, &m->decays[i], error);
	return rc;
}

static int tree_save(struct store *s, const struct multifactor *m, struct error *error)
{
	size_t n = m->all_changed ? m->tree.n : m->nchanged;
	int rc = 0;

	for (size_t k = 0; rc == 0 && k < n; k++) {
		size_t i = m->all_changed ? k : m->changed[k];

		if (multifactor_keeps(m, i))
			rc = association_put(s, &m->names[3 * i], m->tree.items[i].usage, m->pass, error);
	}
	return rc;
}

int associations_save(struct store *s, struct error *error)
{
	const struct past *past = &of(s->sched)->past;
	const struct multifactor *m = of(s->sched)->in_force;
	int rc = past_save(s, past, error);

	s->pass = m ? m->pass : past->pass;
	s->reset = m ? m->last_reset : past->last_reset;
	if (rc == 0 && s->pass != s->pass_kept)
		rc = meta_put_number(s, "pass", s->pass, error);
	if (rc == 0 && s->reset != s->reset_kept)
		rc = meta_put_number(s, "usage_reset", s->reset, error);
	if (rc == 0 && m)
		rc = decays_save(s, m, error);
	return rc == 0 && m ? tree_save(s, m, error) : rc;
}

void associations_committed(struct store *s)
{
	of(s->sched)->past.changed = false;
	s->pass_kept = s->pass;
	s->reset_kept = s->reset;
	if (of(s->sched)->in_force)
		multifactor_stored(of(s->sched)->in_force);
}

/*
 * Before the first pass rows that are in use may be as old as the last scheduler; where passes are
 * rare, as old as the first turn.
 */
int associations_prune(struct store *s, int64_t now, bool *all, struct error *error)
{
	const struct multifactor *m = of(s->sched)->in_force;
	int64_t limit = now - (int64_t)ASSOCIATION_DAYS * DAY_S;
	struct query q;
	int rc;

	if (!m || !m->passed)
		return 0;
	if (limit > multifactor_oldest_stored(m))
		limit = multifactor_oldest_stored(m);
	q = query_change(s, STATEMENT_ASSOCIATIONS_PRUNE, "DELETE FROM association_usage WHERE (account, user, partition) IN "
			 "(SELECT account, user, partition FROM association_usage WHERE time_stamp < ? LIMIT ?)", error);
	query_integer(&q, limit);
	query_integer(&q, PRUNED_AT_ONCE);
	rc = query_run(&q);
	*all &= rc == 0 && sqlite3_changes(s->db) < PRUNED_AT_ONCE;
	return rc;
}
