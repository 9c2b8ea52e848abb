/* SPDX-License-Identifier: Apache-2.0 */
/* Making a run again and comparing it. */
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

/* Read the digests of a line. -EINVAL: no digests, or an invalid one. */
static int digests_of(const struct value *object, struct digests *digests, struct error *error)
{
	const struct value *list = value_member(object, "digest");

	*digests = (struct digests){ .cycle = (uint64_t)line_whole(object, "cycle", 0, INT64_MAX) };
	if (!list || list->type != VALUE_OBJECT)
		return error_set(error, -EINVAL, "run: digests are expected");
	for (unsigned i = 0; i < DIGESTS && digest_name(i); i++) {
		const char *text = line_text(list, digest_name(i));

		if (*text && (strlen(text) != 32 || !hex_half(text, &digests->of[i].high) ||
			      !hex_half(text + 16, &digests->of[i].low)))
			return error_set(error, -EINVAL, "run: digest: %.40s: 32 hexadecimal digits are expected",
					 digest_name(i));
	}
	return 0;
}

/* Differences */

static void differs(struct rerunning *rerunning, const char *table)
{
	struct rerun_difference *difference = &rerunning->outcome->difference;

	rerunning->outcome->differs = true;
	rerunning->done = true;
	*difference = (struct rerun_difference){ .run = rerunning->last_run };
	snprintf(difference->table, sizeof(difference->table), "%s", table);
}

static void value_show(char *text, size_t bytes, const struct value *value)
{
	if (!value)
		snprintf(text, bytes, "(nothing)");
	else if (value->type == VALUE_STRING)
		snprintf(text, bytes, "%s", value->text);
	else if (value->type == VALUE_INTEGER)
		snprintf(text, bytes, "%lld", (long long)value->integer);
	else if (value->type == VALUE_REAL)
		snprintf(text, bytes, "%.17g", value->real);
	else
		snprintf(text, bytes, "%s",
			 value->type == VALUE_TRUE    ? "true"
			 : value->type == VALUE_FALSE ? "false"
			 : value->type == VALUE_NULL  ? "null"
						      : "a list");
}

/*
 * Find the first value that differs. Values of a line follow each other, including those in lists.
 */
static void line_differs(struct rerun_difference *difference, const struct value *live, const struct value *again)
{
	const char *name = "";
	char a[sizeof(difference->live)], b[sizeof(difference->again)];

	for (uint32_t i = 1; i < live->span || i < again->span; i++) {
		const struct value *x = i < live->span ? &live[i] : NULL, *y = i < again->span ? &again[i] : NULL;

		name = x && x->name ? x->name : name;
		value_show(a, sizeof(a), x);
		value_show(b, sizeof(b), y);
		if (x && y && x->type == y->type && strcmp(a, b) == 0)
			continue;
		snprintf(difference->column, sizeof(difference->column), "%s", name);
		memcpy(difference->live, a, sizeof(a));
		memcpy(difference->again, b, sizeof(b));
		return;
	}
}

static size_t line_bytes(const char *text, size_t n)
{
	const char *newline = n ? memchr(text, '\n', n) : NULL;

	return newline ? (size_t)(newline - text) : n;
}

static void orders_differ(struct rerunning *rerunning, const char *live, size_t nlive, const char *again, size_t nagain)
{
	struct rerun_difference *difference = &rerunning->outcome->difference;
	struct values a = { 0 }, b = { 0 };
	struct error error;
	const struct value *x, *y;
	size_t at = 0, some;

	differs(rerunning, "orders");
	for (;; at += some + 1) {
		some = line_bytes(live + at, nlive - at);
		if (some == 0 || at + some > nagain || memcmp(live + at, again + at, some + (at + some < nagain)) != 0)
			break;
	}
	x = nlive > at ? values_read(&a, live + at, some, &error) : NULL;
	y = nagain > at ? values_read(&b, again + at, line_bytes(again + at, nagain - at), &error) : NULL;
	if (x || y)
		snprintf(difference->of, sizeof(difference->of), "order %lld, job %lld",
			 (long long)line_whole(x ? x : y, "number", 0, INT64_MAX),
			 (long long)line_whole(x ? x : y, "job_number", 0, INT64_MAX));
	if (x && y)
		line_differs(difference, x, y);
	else {
		snprintf(difference->column, sizeof(difference->column), "order");
		snprintf(difference->live, sizeof(difference->live), "%.*s", x ? (int)(some < 300 ? some : 300) : 9,
			 x ? live + at : "(nothing)");
		snprintf(
			difference->again, sizeof(difference->again), "%.*s",
			y ? (int)(line_bytes(again + at, nagain - at) < 300 ? line_bytes(again + at, nagain - at) : 300)
			  : 9,
			y ? again + at : "(nothing)");
	}
	values_destroy(&a);
	values_destroy(&b);
}

static int compare_orders(struct rerunning *rerunning, uint64_t before, struct error *error)
{
	struct out own;
	const char *live, *again;
	size_t nlive, nagain;
	int rc = out_open_memory(&own, (size_t)1 << 30);

	if (rc)
		return error_set(error, rc, "out of memory");
	for (const struct order *order = orders_after(&rerunning->s->orders, before); order;
	     order = orders_after(&rerunning->s->orders, order->number)) {
		order_line(order, &own);
		rerunning->outcome->orders++;
	}
	rc = out_held(&own, &again, &nagain);
	if (rc == 0)
		rc = out_held(&rerunning->orders, &live, &nlive);
	if (rc)
		error_set(error, rc, "orders: %s", strerror(-rc));
	else if (nlive != nagain || memcmp(live, again, nlive) != 0)
		orders_differ(rerunning, live, nlive, again, nagain);
	out_close(&own);
	return rc;
}

static int compare_digests(struct rerunning *rerunning, const struct digests *live, struct error *error)
{
	struct digests again;
	struct view view;
	unsigned i;
	int rc;

	attach_begin(&rerunning->attachment, &view);
	rc = digests_make(&again, &view);
	if (rc == 0) {
		i = digests_compare(live, &again, again.cycle > rerunning->cycle_before);
		if (i < DIGESTS) {
			differs(rerunning, digest_name(i));
			if (values_kept_are_there(rerunning->values))
				values_kept_compare(rerunning->values, &view, digest_name(i),
						    &rerunning->outcome->difference);
		}
	}
	(void)attach_end(&rerunning->attachment, &view);
	return rc ? error_set(error, rc, "out of memory") : 0;
}

/* The run */

static bool is_wanted(const struct rerunning *rerunning)
{
	return rerunning->last_run >= rerunning->options->from &&
	       (!rerunning->options->until || rerunning->last_run <= rerunning->options->until);
}

static int compare(struct rerunning *rerunning, const struct digests *live, uint64_t before, struct error *error)
{
	struct rerun_outcome *outcome = rerunning->outcome;
	int rc;

	if (!is_wanted(rerunning))
		return 0;
	outcome->first = outcome->first ? outcome->first : rerunning->last_run;
	outcome->last = rerunning->last_run;
	outcome->runs++;
	rc = compare_orders(rerunning, before, error);
	return rc || outcome->differs ? rc : compare_digests(rerunning, live, error);
}

static int make(struct rerunning *rerunning, const struct value *object, struct error *error)
{
	const struct process_facts facts = { .hosts_up = (uint64_t)line_whole(object, "hosts_up", 0, INT64_MAX),
					     .store_failures =
						     (uint64_t)line_whole(object, "store_failures", 0, INT64_MAX) };

	sched_process(rerunning->s, &facts);
	sched_dispatch(rerunning->s, line_is(object, "dispatch"));
	sched_pause(rerunning->s, line_is(object, "paused"));
	rerunning->s->run.number = rerunning->last_run - 1;
	return sched_run(rerunning->s, line_whole(object, "now", 0, TIME_MAX_S),
			 (uint64_t)line_whole(object, "event", 0, INT64_MAX), error);
}

int rerun_run(struct rerunning *rerunning, const struct value *object, struct error *error)
{
	uint64_t before = rerunning->s->orders.last, number = (uint64_t)line_whole(object, "run", 0, INT64_MAX);
	int64_t now = line_whole(object, "now", 0, TIME_MAX_S);
	struct digests live;
	int rc = digests_of(object, &live, error);

	if (rc)
		return rc;
	if (number == 0 || (rerunning->last_run && number != rerunning->last_run + 1))
		return error_set(error, -EINVAL, "run %llu follows run %llu", (unsigned long long)number,
				 (unsigned long long)rerunning->last_run);
	rerunning->last_run = number;
	rerunning->outcome->present_first =
		rerunning->outcome->present_first ? rerunning->outcome->present_first : number;
	rerunning->outcome->present_last = number;
	rc = make(rerunning, object, error);
	if (rc)
		return rc;
	if (!rerunning->attached) {
		rc = attach_descriptor(&rerunning->attachment, rerunning->s->segment.fd, RECORDS_VERSION);
		if (rc)
			return error_set(error, rc, "the shared memory of the rerun: %s", strerror(-rc));
		rerunning->attached = true;
		if (rerunning->options->as)
			snprintf(rerunning->outcome->segment, sizeof(rerunning->outcome->segment), "%s",
				 rerunning->s->segment.paths.directory);
	}
	rc = compare(rerunning, &live, before, error);
	out_rewind(&rerunning->orders);
	ledger_answers_forget(&rerunning->answers);
	if (mirror_ledger(&rerunning->s->mirror) && line_is(object, "stored"))
		ledger_clear(mirror_ledger(&rerunning->s->mirror));
	if (rc == 0 && is_wanted(rerunning) && rerunning->options->ran)
		rc = rerunning->options->ran(rerunning->options->context, number, now, rerunning->s);
	rerunning->done |= rerunning->options->until && number >= rerunning->options->until;
	return rc;
}
