/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Book what a task uses: slots, consumables, quotas and slots of the PE. Bookings are kept in time
 * if reservations are possible.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/array.h"
#include "sched/dispatch/dispatch.h"
#include "sched/dispatch/reserve/reserve.h"
#include "sched/dispatch/search/parallel.h"

struct grant_booking {
	struct dispatch *d;
	struct category *category;
	int64_t begin, end;
	bool now;			/* also take the amount from what is free now */
	const struct quota_turn *turn;	/* turn of a running task; otherwise NULL */
	struct booked_task *record;	/* only record the booking here; NULL: book it */
};

#define OUT_OF_TIME UINT32_MAX		/* not an object whose bookings are kept in time */

/* Consumables */

/*
 * Book an amount on a line. Bookings are kept in time if reservations are possible. If only advance
 * reservations exist, what is taken now matters in time only on lines where one of these is booked.
 */
static int line_add(const struct grant_booking *booking, struct timelines *timelines, uint32_t *line, double amount)
{
	int rc = booking->d->reserves || !booking->now || *line != TIMELINE_EMPTY
			 ? timeline_book(timelines, line, booking->begin, booking->end, amount)
			 : 0;

	/* beyond all limits: no more of anything is left to account for */
	if (rc == -ERANGE)
		booking->d->bookings.holds = false;
	return rc == -ERANGE ? 0 : rc;
}

/* Note that records and timelines differ. */
static int not_booked(struct dispatch *dispatch)
{
	dispatch->bookings.holds = false;
	return -ENOMEM;
}

/*
 * Take `slots` more slots of the job from an offer. `master`: the master task is among them.
 * `number` identifies the object in time.
 */
static int offer_take(const struct grant_booking *booking, size_t k, struct offer *offer, uint32_t number,
		      uint32_t slots, bool master)
{
	const struct complex *complex = booking->d->cluster.columns[booking->d->cluster.consumables[k]].complex;
	double need = booking->category->need[k], amount = complex->consumable == CONSUMABLE_JOB ? need : need * slots;

	if (complex->relop == RELOP_EXCL) {
		double *used = need != 0 ? &offer->used : &offer->shared;

		*used += booking->now ? slots : 0;
		changes_source(&booking->d->changes, need != 0 ? (uint32_t)k : CHANGES_IGNORED, number);
		return number == OUT_OF_TIME ? 0
					     : line_add(booking, &booking->d->cluster.timelines,
							need != 0 ? &offer->used_line : &offer->shared_line, slots);
	}
	if (need == 0 || (complex->consumable == CONSUMABLE_JOB && !master))
		return 0;
	if (booking->record)
		return booked_task_add(booking->record, &(struct booked_part){ (uint32_t)k, number, amount });
	booking->d->gives = booking->d->gives || amount < 0;
	offer->used += booking->now ? amount : 0;
	/* INFINITY: it cannot be used up */
	if (number == OUT_OF_TIME || offer->fixed >= LARGEST_NEED * LARGEST_NEED)
		return 0;
	changes_source(&booking->d->changes, (uint32_t)k, number);
	return bookings_note(booking->d, &(struct booked_part){ (uint32_t)k, number, amount }, booking->begin,
			     booking->end) ||
			       line_add(booking, &booking->d->cluster.timelines, &offer->used_line, amount)
		       ? not_booked(booking->d)
		       : 0;
}

/*
 * Take what a job in an advance reservation uses. The amount is already booked for the reservation:
 * it becomes used, but other jobs do not lose anything.
 */
static int advance_take(const struct grant_booking *booking, size_t k, enum level level, uint32_t object,
			uint32_t slots, bool master)
{
	const struct advance *advance = booking->category->advance;
	struct offer *offer =
		column_offer(&booking->d->cluster.columns[booking->d->cluster.consumables[k]], level, object);
	struct offer *kept = level == LEVEL_QUEUE ? advance_offer(advance, &booking->d->cluster, k, object) : NULL;
	int rc = 0;

	if (!advance->keeps[k])
		return 0;
	if (offer && offer->fixed_text)
		rc = offer_take(booking, k, offer, OUT_OF_TIME, slots, master);
	return rc || !kept ? rc
			   : offer_take(booking, k, kept,
					relevant_place(&booking->d->cluster, advance_place(advance, object)), slots,
					master);
}

/* Take consumable k from an object. */
static int consumable_take(const struct grant_booking *booking, size_t k, enum level level, uint32_t object,
			   uint32_t slots, bool master)
{
	struct offer *offer =
		column_offer(&booking->d->cluster.columns[booking->d->cluster.consumables[k]], level, object);

	if (booking->category->advance)
		return advance_take(booking, k, level, object, slots, master);
	return offer && offer->fixed_text
		       ? offer_take(booking, k, offer, relevant_object(&booking->d->cluster, level, object), slots,
				    master)
		       : 0;
}

static int object_take(const struct grant_booking *booking, enum level level, uint32_t object, uint32_t slots,
		       bool master)
{
	int rc = 0;

	for (size_t k = 0; k < booking->d->cluster.nconsumables && rc == 0; k++)
		rc = consumable_take(booking, k, level, object, slots, master);
	return rc;
}

/* Quotas */

bool limit_is_counted(const struct complex *complex)
{
	return complex->consumable != CONSUMABLE_NO || strcmp(complex->name, "slots") == 0;
}

/* Return how much of a limit one entry uses. The master's entry uses all of a JOB consumable. */
double limit_use(const struct dispatch *dispatch, const struct category *category, const struct complex *complex,
		 uint32_t slots, bool master)
{
	if (!limit_is_counted(complex))
		return 0.0;
	if (strcmp(complex->name, "slots") == 0)
		return slots;
	if (complex->consumable == CONSUMABLE_JOB)
		return master ? category_amount(dispatch, category, complex) : 0.0;
	return category_amount(dispatch, category, complex) * slots;
}

/* Call `use` for each limit that counts for an entry. */
static int quotas_each(struct dispatch *dispatch, struct category *category, const struct category_pe *with,
		       const struct grant_entry *entry, bool master,
		       int (*use)(const struct grant_booking *grant_booking, uint32_t rule, struct quota_count *count,
				  double amount),
		       const struct grant_booking *grant_booking)
{
	const struct queue_instance *instance = &dispatch->cluster.instances[entry->instance];
	size_t n = quota_rules(dispatch->quotas, &with->view, instance->queue, instance->host, dispatch->hits);
	struct quota_limit_now limit;
	int rc = 0;

	for (size_t h = 0; h < n && (rc == 0 || rc == -ENOENT); h++)
		for (size_t k = 0; ; k++) {
			rc = quota_limit(dispatch->quotas, dispatch->hits[h], &with->view, instance->queue,
					 instance->host, k, &limit);
			if (rc == 0)
				rc = use(grant_booking, dispatch->hits[h], limit.count,
					 limit_use(dispatch, category, limit.complex, entry->slots, master));
			if (rc != 0)
				break;
		}
	return rc == -ENOENT ? 0 : rc;
}

static int count_book(const struct grant_booking *booking, uint32_t rule, struct quota_count *count, double amount)
{
	if (booking->turn && amount != 0)
		quotas_began(booking->d->quotas, rule, booking->turn);
	count->used += booking->now ? amount : 0;
	return amount == 0 ? 0 : line_add(booking, &booking->d->cluster.limits, &count->line, amount);
}

static int count_take(const struct grant_booking *booking, uint32_t rule, struct quota_count *count, double amount)
{
	(void)booking;
	(void)rule;
	count->taken += amount;
	return 0;
}

static int count_give(const struct grant_booking *booking, uint32_t rule, struct quota_count *count, double amount)
{
	(void)booking;
	(void)rule;
	count->taken -= amount;
	return 0;
}

static int count_clear(const struct grant_booking *booking, uint32_t rule, struct quota_count *count, double amount)
{
	(void)booking;
	(void)rule;
	(void)amount;
	count->taken = 0.0;
	return 0;
}

int quota_take(struct search *search, uint32_t instance, uint32_t slots, enum quota_taking what)
{
	static int (*const uses[])(const struct grant_booking *booking, uint32_t rule, struct quota_count *count,
				   double amount) = {
		[QUOTA_TAKE] = count_take,
		[QUOTA_GIVE_BACK] = count_give,
		[QUOTA_CLEAR] = count_clear,
	};
	const struct grant_entry entry = { instance, slots };

	return quotas_each(search->d, search->category, search->with, &entry, false, uses[what], NULL);
}

/* Booking a grant */

const struct category_pe *category_pe_of(const struct category *category, uint32_t pe)
{
	for (size_t i = 0; i < category->npes; i++)
		if (category->pes[i].pe == pe)
			return &category->pes[i];
	return NULL;
}

static int entry_take(const struct grant_booking *booking, const struct category_pe *with,
		      const struct grant_entry *entry, bool master)
{
	uint32_t host = booking->d->cluster.instances[entry->instance].host;
	int rc = object_take(booking, LEVEL_HOST, host, entry->slots, master);

	if (rc == 0)
		rc = object_take(booking, LEVEL_QUEUE, entry->instance, entry->slots, master);
	return rc ? rc : quotas_each(booking->d, booking->category, with, entry, master, count_book, booking);
}

/*
 * Build the quota view for a running task in a PE that its job no longer requests, or that no
 * longer exists.
 */
static int other_with(struct dispatch *dispatch, const struct category *category, uint32_t pe, struct category_pe *with)
{
	const struct quota_who who = { .user = category->user, .group = category->group, .project = category->project,
				       .pe = pe == UINT32_MAX ? NULL : dispatch->cell->pes[pe].name };

	return category->free_of_quotas ? quota_view_none(dispatch->quotas, &with->view)
					: quota_view_make(dispatch->quotas, &with->view, &who);
}

int grant_book_host(struct dispatch *dispatch, struct category *category, uint32_t host, uint32_t slots, bool master,
		    int64_t begin, int64_t end)
{
	const struct grant_booking booking = { dispatch, category, begin, end, begin <= dispatch->now, NULL, NULL };

	return object_take(&booking, LEVEL_HOST, host, slots, master);
}

static int pe_take(const struct grant_booking *booking, uint32_t pe, uint32_t slots)
{
	const struct booked_part part = { BOOKED_PE, pe, slots };
	struct dispatch *dispatch = booking->d;

	if (booking->record)
		return booked_task_add(booking->record, &part);
	dispatch->pes[pe].used += booking->now ? slots : 0;
	return bookings_note(dispatch, &part, booking->begin, booking->end) ||
			       line_add(booking, &dispatch->cluster.limits, &dispatch->pes[pe].line, slots)
		       ? not_booked(dispatch)
		       : 0;
}

static int book(const struct grant_booking *booking, const struct grant *grant)
{
	struct dispatch *dispatch = booking->d;
	const struct category *category = booking->category;
	const struct category_pe *with = category_pe_of(category, grant->pe);
	struct category_pe other = { .pe = grant->pe };
	uint32_t slots = 0;
	int rc = with ? 0 : other_with(dispatch, category, grant->pe, &other);

	for (size_t i = 0; i < grant->n && rc == 0; i++) {
		rc = entry_take(booking, with ? with : &other, &grant->entries[i], i == 0);
		slots += grant->entries[i].slots;
	}
	quota_view_free(&other.view);
	slots = slots > grant->slots ? slots : grant->slots;
	if (rc == 0)
		rc = object_take(booking, LEVEL_GLOBAL, 0, slots, true);
	if (rc == 0 && grant->pe != UINT32_MAX && !category->advance)
		rc = pe_take(booking, grant->pe, slots);
	return rc;
}

int grant_book(struct dispatch *dispatch, struct category *category, const struct grant *grant, int64_t begin,
	       int64_t end)
{
	return book(&(struct grant_booking){ dispatch, category, begin, end, begin <= dispatch->now, NULL, NULL },
		    grant);
}

int grant_book_running(struct dispatch *dispatch, struct category *category, const struct grant *grant, int64_t begin,
		       int64_t end, const struct quota_turn *turn)
{
	return book(&(struct grant_booking){ dispatch, category, begin, end, begin <= dispatch->now, turn, NULL },
		    grant);
}

int grant_record_host(struct dispatch *dispatch, struct category *category, uint32_t host, uint32_t slots, bool master,
		      struct booked_task *task)
{
	return object_take(&(struct grant_booking){ dispatch, category, 0, 0, true, NULL, task }, LEVEL_HOST, host,
			   slots, master);
}

int grant_record(struct dispatch *dispatch, struct category *category, const struct grant *grant,
		 struct booked_task *task)
{
	return book(&(struct grant_booking){ dispatch, category, 0, 0, true, NULL, task }, grant);
}

int grant_reserve(struct dispatch *dispatch, struct category *category, const struct grant *grant, int64_t end)
{
	return book(&(struct grant_booking){ dispatch, category, grant->begin, end, false, NULL, NULL }, grant);
}

/* Grants */

void grant_clear(struct grant *grant)
{
	grant->n = 0;
	grant->pe = UINT32_MAX;
	grant->slots = grant->violations = 0;
	grant->unadjusted = false;
}

int grant_add(struct grant *grant, uint32_t instance, uint32_t slots, bool at_head)
{
	size_t at;

	for (size_t i = 0; i < grant->n; i++)
		if (grant->entries[i].instance == instance) {
			grant->entries[i].slots += slots;
			return 0;
		}
	if (grant->n == grant->capacity) {
		size_t capacity = 2 * grant->capacity + 4;

		if (array_grow(&grant->entries, capacity, sizeof(*grant->entries)))
			return -ENOMEM;
		grant->capacity = capacity;
	}
	at = at_head ? 0 : grant->n;
	memmove(&grant->entries[at + 1], &grant->entries[at], (grant->n - at) * sizeof(*grant->entries));
	grant->entries[at] = (struct grant_entry){ instance, slots };
	grant->n++;
	return 0;
}

void grant_free(struct grant *grant)
{
	free(grant->entries);
	*grant = (struct grant){ 0 };
}
