/* SPDX-License-Identifier: Apache-2.0 */
/* A run, made again and compared. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sched/parts.h"
#include "sched/qmaster/journal/line.h"
#include "sched/qmaster/journal/rerun_inside.h"
#include "sched/qmaster/json/order.h"

/* Digests */

static bool hex_half(const char *text, uint64_t *half)
{
	*half = 0;
	for (int i = 0; i < 16; i++) {
		const char *at = text[i] ? strchr("0123456789abcdef", text[i]) : NULL;

		if (!at)
			return false;
		*half = *half << 4 | (uint64_t)(at - "0123456789abcdef");
	}
	return true;
}

/* -EINVAL: there are none, or one that is no digest. */
static int digests_of(const struct value *object, struct digests *d, struct error *error)
{
	const struct value *list = value_member(object, "digest");

	*d = (struct digests){ .cycle = (uint64_t)line_whole(object, "cycle", 0, INT64_MAX) };
	if (!list || list->type != VALUE_OBJECT)
		return error_set(error, -EINVAL, "run: digests are expected");
	for (unsigned i = 0; i < DIGESTS && digest_name(i); i++) {
		const char *text = line_text(list, digest_name(i));

		if (*text && (strlen(text) != 32 || !hex_half(text, &d->of[i].high) || !hex_half(text + 16, &d->of[i].low)))
			return error_set(error, -EINVAL, "run: digest: %.40s: 32 hexadecimal digits are expected", digest_name(i));
	}
	return 0;
}

/* Differences */

static void differs(struct rerunning *r, const char *table)
{
	struct rerun_difference *d = &r->outcome->difference;

	r->outcome->differs = true;
	r->done = true;
	*d = (struct rerun_difference){ .run = r->last_run };
	snprintf(d->table, sizeof(d->table), "%s", table);
}

static void value_show(char *text, size_t bytes, const struct value *v)
{
	if (!v)
		snprintf(text, bytes, "(nothing)");
	else if (v->type == VALUE_STRING)
		snprintf(text, bytes, "%s", v->text);
	else if (v->type == VALUE_INTEGER)
		snprintf(text, bytes, "%lld", (long long)v->integer);
	else if (v->type == VALUE_REAL)
		snprintf(text, bytes, "%.17g", v->real);
	else
		snprintf(text, bytes, "%s", v->type == VALUE_TRUE ? "true" : v->type == VALUE_FALSE ? "false" : v->type == VALUE_NULL ? "null" : "a list");
}

/* Values stand one behind the other, those inside a list too: the first one that is another. */
static void line_differs(struct rerun_difference *d, const struct value *live, const struct value *again)
{
	const char *name = "";
	char a[sizeof(d->live)], b[sizeof(d->again)];

	for (uint32_t i = 1; i < live->span || i < again->span; i++) {
		const struct value *x = i < live->span ? &live[i] : NULL, *y = i < again->span ? &again[i] : NULL;

		name = x && x->name ? x->name : name;
		value_show(a, sizeof(a), x);
		value_show(b, sizeof(b), y);
		if (x && y && x->type == y->type && strcmp(a, b) == 0)
			continue;
		snprintf(d->column, sizeof(d->column), "%s", name);
		memcpy(d->live, a, sizeof(a));
		memcpy(d->again, b, sizeof(b));
		return;
	}
}

static size_t line_bytes(const char *text, size_t n)
{
	const char *newline = n ? memchr(text, '\n', n) : NULL;

	return newline ? (size_t)(newline - text) : n;
}

static void orders_differ(struct rerunning *r, const char *live, size_t nlive, const char *again, size_t nagain)
{
	struct rerun_difference *d = &r->outcome->difference;
	struct values a = { 0 }, b = { 0 };
	struct error error;
	const struct value *x, *y;
	size_t at = 0, some;

	differs(r, "orders");
	for (;; at += some + 1) {
		some = line_bytes(live + at, nlive - at);
		if (some == 0 || at + some > nagain || memcmp(live + at, again + at, some + (at + some < nagain)) != 0)
			break;
	}
	x = nlive > at ? values_read(&a, live + at, some, &error) : NULL;
	y = nagain > at ? values_read(&b, again + at, line_bytes(again + at, nagain - at), &error) : NULL;
	if (x || y)
		snprintf(d->of, sizeof(d->of), "order %lld, job %lld", (long long)line_whole(x ? x : y, "number", 0, INT64_MAX),
			 (long long)line_whole(x ? x : y, "job_number", 0, INT64_MAX));
	if (x && y)
		line_differs(d, x, y);
	else {
		snprintf(d->column, sizeof(d->column), "order");
		snprintf(d->live, sizeof(d->live), "%.*s", x ? (int)(some < 300 ? some : 300) : 9, x ? live + at : "(nothing)");
		snprintf(d->again, sizeof(d->again), "%.*s", y ? (int)(line_bytes(again + at, nagain - at) < 300 ? line_bytes(again + at, nagain - at) : 300) : 9,
			 y ? again + at : "(nothing)");
	}
	values_destroy(&a);
	values_destroy(&b);
}

static int compare_orders(struct rerunning *r, uint64_t before, struct error *error)
{
	struct out own;
	const char *live, *again;
	size_t nlive, nagain;
	int rc = out_open_memory(&own, (size_t)1 << 30);

	if (rc)
		return error_set(error, rc, "out of memory");
	for (const struct order *o = orders_after(&r->s->orders, before); o; o = orders_after(&r->s->orders, o->number)) {
		order_line(o, &own);
		r->outcome->orders++;
	}
	rc = out_held(&own, &again, &nagain);
	if (rc == 0)
		rc = out_held(&r->orders, &live, &nlive);
	if (rc)
		error_set(error, rc, "orders: %s", strerror(-rc));
	else if (nlive != nagain || memcmp(live, again, nlive) != 0)
		orders_differ(r, live, nlive, again, nagain);
	out_close(&own);
	return rc;
}

static int compare_digests(struct rerunning *r, const struct digests *live, struct error *error)
{
	struct digests again;
	struct view view;
	unsigned i;
	int rc;

	attach_begin(&r->attachment, &view);
	rc = digests_make(&again, &view);
	if (rc == 0) {
		i = digests_compare(live, &again, again.cycle > r->cycle_before);
		if (i < DIGESTS) {
			differs(r, digest_name(i));
			if (values_kept_are_there(r->values))
				values_kept_compare(r->values, &view, digest_name(i), &r->outcome->difference);
		}
	}
	(void)attach_end(&r->attachment, &view);
	return rc ? error_set(error, rc, "out of memory") : 0;
}

/* The run */

static bool is_wanted(const struct rerunning *r)
{
	return r->last_run >= r->options->from && (!r->options->until || r->last_run <= r->options->until);
}

static int compare(struct rerunning *r, const struct digests *live, uint64_t before, struct error *error)
{
	struct rerun_outcome *o = r->outcome;
	int rc;

	if (!is_wanted(r))
		return 0;
	o->first = o->first ? o->first : r->last_run;
	o->last = r->last_run;
	o->runs++;
	rc = compare_orders(r, before, error);
	return rc || o->differs ? rc : compare_digests(r, live, error);
}

static int make(struct rerunning *r, const struct value *object, struct error *error)
{
	const struct process_facts facts = { .hosts_up = (uint64_t)line_whole(object, "hosts_up", 0, INT64_MAX),
					     .store_failures = (uint64_t)line_whole(object, "store_failures", 0, INT64_MAX) };

	sched_process(r->s, &facts);
	sched_dispatch(r->s, line_is(object, "dispatch"));
	sched_pause(r->s, line_is(object, "paused"));
	r->s->run.number = r->last_run - 1;
	return sched_run(r->s, line_whole(object, "now", 0, TIME_MAX_S), (uint64_t)line_whole(object, "event", 0, INT64_MAX), error);
}

int rerun_run(struct rerunning *r, const struct value *object, struct error *error)
{
	uint64_t before = r->s->orders.last, number = (uint64_t)line_whole(object, "run", 0, INT64_MAX);
	int64_t now = line_whole(object, "now", 0, TIME_MAX_S);
	struct digests live;
	int rc = digests_of(object, &live, error);

	if (rc)
		return rc;
	if (number == 0 || (r->last_run && number != r->last_run + 1))
		return error_set(error, -EINVAL, "run %llu comes behind run %llu", (unsigned long long)number, (unsigned long long)r->last_run);
	r->last_run = number;
	r->outcome->present_first = r->outcome->present_first ? r->outcome->present_first : number;
	r->outcome->present_last = number;
	rc = make(r, object, error);
	if (rc)
		return rc;
	if (!r->attached) {
		rc = attach_descriptor(&r->attachment, r->s->segment.fd, RECORDS_VERSION);
		if (rc)
			return error_set(error, rc, "its own memory: %s", strerror(-rc));
		r->attached = true;
		if (r->options->as)
			snprintf(r->outcome->segment, sizeof(r->outcome->segment), "%s", r->s->segment.paths.directory);
	}
	rc = compare(r, &live, before, error);
	out_rewind(&r->orders);
	ledger_answers_forget(&r->answers);
	if (r->s->mirror.ledger && line_is(object, "stored"))
		ledger_clear(r->s->mirror.ledger);
	if (rc == 0 && is_wanted(r) && r->options->ran)
		rc = r->options->ran(r->options->context, number, now, r->s);
	r->done |= r->options->until && number >= r->options->until;
	return rc;
}
