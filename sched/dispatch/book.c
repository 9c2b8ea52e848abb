/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a task takes is gone for the others: slots, consumables, quotas, slots of the PE; in time,
 * when reservations are wanted.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "conf/array.h"
#include "sched/dispatch/dispatch.h"
#include "sched/dispatch/reserve/reserve.h"
#include "sched/dispatch/search/parallel.h"

struct grant_booking {
	struct dispatch *d;
	struct category *category;
	int64_t begin, end;
	bool now;			/* it is taken from what there is now, too */
	const struct quota_turn *turn;	/* of a task that runs; else NULL */
	struct booked_task *record;	/* it is only written down; NULL: it is booked */
};

#define OUT_OF_TIME UINT32_MAX		/* no object whose bookings are kept in time */

/* Consumables */

/*
 * In time if reservations are wanted. If there are none but those made in advance, what is taken
 * now makes a difference in time only where one of these lies.
 */
static int line_add(const struct grant_booking *b, struct timelines *t, uint32_t *line, double amount)
{
	int rc = b->d->reserves || !b->now || *line != TIMELINE_EMPTY ? timeline_book(t, line, b->begin, b->end, amount) : 0;

	/* beyond all bounds: there is no more of anything to keep account of */
	if (rc == -ERANGE)
		b->d->bookings.holds = false;
	return rc == -ERANGE ? 0 : rc;
}

/* What is noted and what is booked are not the same any more. */
static int not_booked(struct dispatch *d)
{
	d->bookings.holds = false;
	return -ENOMEM;
}

/*
 * `slots` more of the job on an offer, the master among them or not; in time on what `number` is.
 */
static int offer_take(const struct grant_booking *b, size_t k, struct offer *o, uint32_t number, uint32_t slots, bool master)
{
	const struct complex *complex = b->d->cluster.columns[b->d->cluster.consumables[k]].complex;
	double need = b->category->need[k], amount = complex->consumable == CONSUMABLE_JOB ? need : need * slots;

	if (complex->relop == RELOP_EXCL) {
		double *used = need != 0 ? &o->used : &o->shared;

		*used += b->now ? slots : 0;
		changes_source(&b->d->changes, need != 0 ? (uint32_t)k : CHANGES_OF_NOBODY, number);
		return number == OUT_OF_TIME ? 0 : line_add(b, &b->d->cluster.timelines, need != 0 ? &o->used_line : &o->shared_line, slots);
	}
	if (need == 0 || (complex->consumable == CONSUMABLE_JOB && !master))
		return 0;
	if (b->record)
		return booked_task_add(b->record, &(struct booked_part){ (uint32_t)k, number, amount });
	b->d->gives = b->d->gives || amount < 0;
	o->used += b->now ? amount : 0;
	if (number == OUT_OF_TIME || o->fixed >= LARGEST_NEED * LARGEST_NEED)	/* INFINITY: there is no end of it */
		return 0;
	changes_source(&b->d->changes, (uint32_t)k, number);
	return bookings_note(b->d, &(struct booked_part){ (uint32_t)k, number, amount }, b->begin, b->end) ||
		       line_add(b, &b->d->cluster.timelines, &o->used_line, amount) ? not_booked(b->d) : 0;
}

/*
 * What runs in an advance reservation uses what is booked for that: it is in use, but there is no
 * less of it for others.
 */
static int advance_take(const struct grant_booking *b, size_t k, enum level level, uint32_t object, uint32_t slots, bool master)
{
	const struct advance *a = b->category->advance;
	struct offer *o = column_offer(&b->d->cluster.columns[b->d->cluster.consumables[k]], level, object);
	struct offer *kept = level == LEVEL_QUEUE ? advance_offer(a, &b->d->cluster, k, object) : NULL;
	int rc = 0;

	if (!a->keeps[k])
		return 0;
	if (o && o->fixed_text)
		rc = offer_take(b, k, o, OUT_OF_TIME, slots, master);
	return rc || !kept ? rc : offer_take(b, k, kept, relevant_place(&b->d->cluster, advance_place(a, object)), slots, master);
}

/* The k-th consumable of an object. */
static int consumable_take(const struct grant_booking *b, size_t k, enum level level, uint32_t object, uint32_t slots, bool master)
{
	struct offer *o = column_offer(&b->d->cluster.columns[b->d->cluster.consumables[k]], level, object);

	if (b->category->advance)
		return advance_take(b, k, level, object, slots, master);
	return o && o->fixed_text ? offer_take(b, k, o, relevant_object(&b->d->cluster, level, object), slots, master) : 0;
}

static int object_take(const struct grant_booking *b, enum level level, uint32_t object, uint32_t slots, bool master)
{
	int rc = 0;

	for (size_t k = 0; k < b->d->cluster.nconsumables && rc == 0; k++)
		rc = consumable_take(b, k, level, object, slots, master);
	return rc;
}

/* Quotas */

bool limit_is_counted(const struct complex *complex)
{
	return complex->consumable != CONSUMABLE_NO || strcmp(complex->name, "slots") == 0;
}

/* What the use of a limit is that one entry makes; JOB consumables are the master's. */
double limit_use(const struct dispatch *d, const struct category *category, const struct complex *complex, uint32_t slots, bool master)
{
	if (!limit_is_counted(complex))
		return 0.0;
	if (strcmp(complex->name, "slots") == 0)
		return slots;
	if (complex->consumable == CONSUMABLE_JOB)
		return master ? category_amount(d, category, complex) : 0.0;
	return category_amount(d, category, complex) * slots;
}

/* For each limit that counts for an entry. */
static int quotas_each(struct dispatch *d, struct category *category, const struct category_pe *with, const struct grant_entry *e, bool master,
		       int (*use)(const struct grant_booking *b, uint32_t rule, struct quota_count *count, double amount),
		       const struct grant_booking *b)
{
	const struct queue_instance *i = &d->cluster.instances[e->instance];
	size_t n = quota_rules(d->quotas, &with->view, i->queue, i->host, d->hits);
	struct quota_limit_now limit;
	int rc = 0;

	for (size_t h = 0; h < n && (rc == 0 || rc == -ENOENT); h++)
		for (size_t k = 0; ; k++) {
			rc = quota_limit(d->quotas, d->hits[h], &with->view, i->queue, i->host, k, &limit);
			if (rc == 0)
				rc = use(b, d->hits[h], limit.count, limit_use(d, category, limit.complex, e->slots, master));
			if (rc != 0)
				break;
		}
	return rc == -ENOENT ? 0 : rc;
}

static int count_book(const struct grant_booking *b, uint32_t rule, struct quota_count *count, double amount)
{
	if (b->turn && amount != 0)
		quotas_began(b->d->quotas, rule, b->turn);
	count->used += b->now ? amount : 0;
	return amount == 0 ? 0 : line_add(b, &b->d->cluster.limits, &count->line, amount);
}

static int count_take(const struct grant_booking *b, uint32_t rule, struct quota_count *count, double amount)
{
	(void)b;
	(void)rule;
	count->taken += amount;
	return 0;
}

static int count_give(const struct grant_booking *b, uint32_t rule, struct quota_count *count, double amount)
{
	(void)b;
	(void)rule;
	count->taken -= amount;
	return 0;
}

static int count_clear(const struct grant_booking *b, uint32_t rule, struct quota_count *count, double amount)
{
	(void)b;
	(void)rule;
	(void)amount;
	count->taken = 0.0;
	return 0;
}

int quota_take(struct search *s, uint32_t instance, uint32_t slots, enum quota_taking what)
{
	static int (*const uses[])(const struct grant_booking *b, uint32_t rule, struct quota_count *count, double amount) = {
		[QUOTA_TAKE] = count_take, [QUOTA_GIVE_BACK] = count_give, [QUOTA_CLEAR] = count_clear,
	};
	const struct grant_entry e = { instance, slots };

	return quotas_each(s->d, s->category, s->with, &e, false, uses[what], NULL);
}

/* A grant */

const struct category_pe *category_pe_of(const struct category *category, uint32_t pe)
{
	for (size_t i = 0; i < category->npes; i++)
		if (category->pes[i].pe == pe)
			return &category->pes[i];
	return NULL;
}

static int entry_take(const struct grant_booking *b, const struct category_pe *with, const struct grant_entry *e, bool master)
{
	uint32_t host = b->d->cluster.instances[e->instance].host;
	int rc = object_take(b, LEVEL_HOST, host, e->slots, master);

	if (rc == 0)
		rc = object_take(b, LEVEL_QUEUE, e->instance, e->slots, master);
	return rc ? rc : quotas_each(b->d, b->category, with, e, master, count_book, b);
}

/* A task may run in a PE that its job does not ask for any more, or that there is no more. */
static int other_with(struct dispatch *d, const struct category *category, uint32_t pe, struct category_pe *with)
{
	const struct quota_who who = { .user = category->user, .group = category->group, .project = category->project,
				       .pe = pe == UINT32_MAX ? NULL : d->cell->pes[pe].name };

	return category->free_of_quotas ? quota_view_none(d->quotas, &with->view) : quota_view_make(d->quotas, &with->view, &who);
}

int grant_book_host(struct dispatch *d, struct category *category, uint32_t host, uint32_t slots, bool master, int64_t begin, int64_t end)
{
	const struct grant_booking b = { d, category, begin, end, begin <= d->now, NULL, NULL };

	return object_take(&b, LEVEL_HOST, host, slots, master);
}

static int pe_take(const struct grant_booking *b, uint32_t pe, uint32_t slots)
{
	const struct booked_part part = { BOOKED_PE, pe, slots };
	struct dispatch *d = b->d;

	if (b->record)
		return booked_task_add(b->record, &part);
	d->pes[pe].used += b->now ? slots : 0;
	return bookings_note(d, &part, b->begin, b->end) || line_add(b, &d->cluster.limits, &d->pes[pe].line, slots) ? not_booked(d) : 0;
}

static int book(const struct grant_booking *b, const struct grant *g)
{
	struct dispatch *d = b->d;
	const struct category *category = b->category;
	const struct category_pe *with = category_pe_of(category, g->pe);
	struct category_pe other = { .pe = g->pe };
	uint32_t slots = 0;
	int rc = with ? 0 : other_with(d, category, g->pe, &other);

	for (size_t i = 0; i < g->n && rc == 0; i++) {
		rc = entry_take(b, with ? with : &other, &g->entries[i], i == 0);
		slots += g->entries[i].slots;
	}
	quota_view_free(&other.view);
	slots = slots > g->slots ? slots : g->slots;
	if (rc == 0)
		rc = object_take(b, LEVEL_GLOBAL, 0, slots, true);
	if (rc == 0 && g->pe != UINT32_MAX && !category->advance)
		rc = pe_take(b, g->pe, slots);
	return rc;
}

int grant_book(struct dispatch *d, struct category *category, const struct grant *g, int64_t begin, int64_t end)
{
	return book(&(struct grant_booking){ d, category, begin, end, begin <= d->now, NULL, NULL }, g);
}

int grant_book_running(struct dispatch *d, struct category *category, const struct grant *g, int64_t begin, int64_t end,
		       const struct quota_turn *turn)
{
	return book(&(struct grant_booking){ d, category, begin, end, begin <= d->now, turn, NULL }, g);
}

int grant_record_host(struct dispatch *d, struct category *category, uint32_t host, uint32_t slots, bool master, struct booked_task *task)
{
	return object_take(&(struct grant_booking){ d, category, 0, 0, true, NULL, task }, LEVEL_HOST, host, slots, master);
}

int grant_record(struct dispatch *d, struct category *category, const struct grant *g, struct booked_task *task)
{
	return book(&(struct grant_booking){ d, category, 0, 0, true, NULL, task }, g);
}

int grant_reserve(struct dispatch *d, struct category *category, const struct grant *g, int64_t end)
{
	return book(&(struct grant_booking){ d, category, g->begin, end, false, NULL, NULL }, g);
}

/* Grants */

void grant_clear(struct grant *g)
{
	g->n = 0;
	g->pe = UINT32_MAX;
	g->slots = g->violations = 0;
	g->unadjusted = false;
}

int grant_add(struct grant *g, uint32_t instance, uint32_t slots, bool at_head)
{
	size_t at;

	for (size_t i = 0; i < g->n; i++)
		if (g->entries[i].instance == instance) {
			g->entries[i].slots += slots;
			return 0;
		}
	if (g->n == g->capacity) {
		size_t capacity = 2 * g->capacity + 4;

		if (array_grow(&g->entries, capacity, sizeof(*g->entries)))
			return -ENOMEM;
		g->capacity = capacity;
	}
	at = at_head ? 0 : g->n;
	memmove(&g->entries[at + 1], &g->entries[at], (g->n - at) * sizeof(*g->entries));
	g->entries[at] = (struct grant_entry){ instance, slots };
	g->n++;
	return 0;
}

void grant_free(struct grant *g)
{
	free(g->entries);
	*g = (struct grant){ 0 };
}
