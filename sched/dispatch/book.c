/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/dispatch/book.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sched/dispatch/reserve/reserve.h"
#include "sched/dispatch/search/quota_use.h"

struct grant_booking {
	struct bookings *bookings;
	struct supply *supply;		/* of `bookings` */
	const struct category *category;
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
	int rc = booking->supply->reserves || !booking->now || *line != TIMELINE_EMPTY
			 ? timeline_book(timelines, line, booking->begin, booking->end, amount)
			 : 0;

	/* beyond all limits: no more of anything is left to account for */
	if (rc == -ERANGE)
		booking->bookings->holds = false;
	return rc == -ERANGE ? 0 : rc;
}

/* Note that records and timelines differ. */
static int not_booked(struct bookings *bookings)
{
	bookings->holds = false;
	return -ENOMEM;
}

/* Take the share of a job from an offer. `number` identifies the object in time. */
static int offer_take(const struct grant_booking *booking, size_t k, struct offer *offer, uint32_t number,
		      struct grant_share share)
{
	struct cluster *cluster = &booking->supply->cluster;
	const struct complex *complex = cluster->columns[cluster->consumables[k]].complex;
	double need = booking->category->need[k], amount = grant_share_amount(complex, need, share);

	if (complex->relop == RELOP_EXCL) {
		double *used = need != 0 ? &offer->used : &offer->shared;

		*used += booking->now ? share.slots : 0;
		changes_source(booking->bookings->changes, need != 0 ? (uint32_t)k : CHANGES_IGNORED, number);
		return number == OUT_OF_TIME ? 0
					     : line_add(booking, &cluster->timelines,
							need != 0 ? &offer->used_line : &offer->shared_line, share.slots);
	}
	if (amount == 0)
		return 0;
	if (booking->record)
		return booked_task_add(booking->record, &(struct booked_part){ (uint32_t)k, number, amount });
	booking->supply->gives = booking->supply->gives || amount < 0;
	offer->used += booking->now ? amount : 0;
	/* INFINITY: it cannot be used up */
	if (number == OUT_OF_TIME || offer->fixed >= LARGEST_NEED * LARGEST_NEED)
		return 0;
	changes_source(booking->bookings->changes, (uint32_t)k, number);
	return bookings_note(booking->bookings, &(struct booked_part){ (uint32_t)k, number, amount }, booking->begin,
			     booking->end) ||
			       line_add(booking, &cluster->timelines, &offer->used_line, amount)
		       ? not_booked(booking->bookings)
		       : 0;
}

/*
 * Take what a job in an advance reservation uses. The amount is already booked for the reservation:
 * it becomes used, but other jobs do not lose anything.
 */
static int advance_take(const struct grant_booking *booking, size_t k, enum level level, uint32_t object,
			struct grant_share share)
{
	const struct advance *advance = booking->category->advance;
	const struct cluster *cluster = &booking->supply->cluster;
	struct offer *offer = column_offer(&cluster->columns[cluster->consumables[k]], level, object);
	struct offer *kept = level == LEVEL_QUEUE ? advance_offer(advance, cluster, k, object) : NULL;
	int rc = 0;

	if (!advance->keeps[k])
		return 0;
	if (offer && offer->fixed_text)
		rc = offer_take(booking, k, offer, OUT_OF_TIME, share);
	if (rc == 0 && kept)
		rc = offer_take(booking, k, kept, relevant_place(cluster, advance_place(advance, object)), share);
	return rc;
}

/* Take consumable k from an object. */
static int consumable_take(const struct grant_booking *booking, size_t k, enum level level, uint32_t object,
			   struct grant_share share)
{
	const struct cluster *cluster = &booking->supply->cluster;
	struct offer *offer = column_offer(&cluster->columns[cluster->consumables[k]], level, object);

	if (booking->category->advance)
		return advance_take(booking, k, level, object, share);
	return offer && offer->fixed_text
		       ? offer_take(booking, k, offer, relevant_object(cluster, level, object), share)
		       : 0;
}

static int object_take(const struct grant_booking *booking, enum level level, uint32_t object,
		       struct grant_share share)
{
	int rc = 0;

	for (size_t k = 0; k < booking->supply->cluster.nconsumables && rc == 0; k++)
		rc = consumable_take(booking, k, level, object, share);
	return rc;
}

/* Quotas */

static int count_book(const void *context, uint32_t rule, struct quota_count *count, double amount)
{
	const struct grant_booking *booking = context;

	if (booking->turn && amount != 0)
		quotas_began(booking->supply->quotas, rule, booking->turn);
	count->used += booking->now ? amount : 0;
	return amount == 0 ? 0 : line_add(booking, &booking->supply->cluster.limits, &count->line, amount);
}

/* Booking a grant */

static int entry_take(const struct grant_booking *booking, const struct category_pe *with, const struct grant *grant,
		      size_t i)
{
	const struct grant_entry *entry = &grant->entries[i];
	struct grant_share share = grant_share(&booking->supply->cluster, grant, i);
	uint32_t host = booking->supply->cluster.instances[entry->instance].host;
	int rc = object_take(booking, LEVEL_HOST, host, share);

	share.is_first = true;
	if (rc == 0)
		rc = object_take(booking, LEVEL_QUEUE, entry->instance, share);
	return rc ? rc
		  : quota_use_each(booking->supply, booking->category, with, entry, i == 0, count_book, booking);
}

/*
 * Build the quota view for a running task in a PE that its job no longer requests, or that no
 * longer exists.
 */
static int other_with(const struct supply *supply, const struct category *category, uint32_t pe,
		      struct category_pe *with)
{
	const struct quota_who who = { .user = category->user, .group = category->group, .project = category->project,
				       .pe = pe == UINT32_MAX ? NULL : supply->cell->pes[pe].name };

	return category->free_of_quotas ? quota_view_none(supply->quotas, &with->view)
					: quota_view_make(supply->quotas, &with->view, &who);
}

/*
 * Begin to book what a job of a category takes from `begin` to `end`. It also takes it from what is
 * free now if it begins by now.
 */
static struct grant_booking booking_of(struct bookings *bookings, const struct category *category, int64_t begin,
				       int64_t end)
{
	return (struct grant_booking){ .bookings = bookings,
				       .supply = bookings->supply,
				       .category = category,
				       .begin = begin,
				       .end = end,
				       .now = begin <= bookings->supply->now };
}

int grant_book_host(struct bookings *bookings, const struct category *category, uint32_t host, uint32_t slots,
		    bool master, int64_t begin, int64_t end)
{
	const struct grant_booking booking = booking_of(bookings, category, begin, end);

	return object_take(&booking, LEVEL_HOST, host, (struct grant_share){ slots, master, true });
}

static int pe_take(const struct grant_booking *booking, uint32_t pe, uint32_t slots)
{
	const struct booked_part part = { BOOKED_PE, pe, slots };
	struct bookings *bookings = booking->bookings;
	struct supply *supply = bookings->supply;

	if (booking->record)
		return booked_task_add(booking->record, &part);
	supply->pes[pe].used += booking->now ? slots : 0;
	return bookings_note(bookings, &part, booking->begin, booking->end) ||
			       line_add(booking, &supply->cluster.limits, &supply->pes[pe].line, slots)
		       ? not_booked(bookings)
		       : 0;
}

static int book(const struct grant_booking *booking, const struct grant *grant)
{
	const struct category *category = booking->category;
	const struct category_pe *with = category_pe_of(category, grant->pe);
	struct category_pe other = { .pe = grant->pe };
	uint32_t slots = 0;
	int rc = with ? 0 : other_with(booking->supply, category, grant->pe, &other);

	for (size_t i = 0; i < grant->n && rc == 0; i++) {
		rc = entry_take(booking, with ? with : &other, grant, i);
		slots += grant->entries[i].slots;
	}
	quota_view_free(&other.view);
	slots = slots > grant->slots ? slots : grant->slots;
	if (rc == 0)
		rc = object_take(booking, LEVEL_GLOBAL, 0, (struct grant_share){ slots, true, true });
	if (rc == 0 && grant->pe != UINT32_MAX && !category->advance)
		rc = pe_take(booking, grant->pe, slots);
	return rc;
}

int grant_book(struct bookings *bookings, const struct category *category, const struct grant *grant, int64_t begin,
	       int64_t end)
{
	const struct grant_booking booking = booking_of(bookings, category, begin, end);

	return book(&booking, grant);
}

int grant_book_running(struct bookings *bookings, const struct category *category, const struct grant *grant,
		       int64_t begin, int64_t end, const struct quota_turn *turn)
{
	struct grant_booking booking = booking_of(bookings, category, begin, end);

	booking.turn = turn;
	return book(&booking, grant);
}

/* Begin to record what a running task of a category takes. */
static struct grant_booking recording_of(struct bookings *bookings, const struct category *category,
					 struct booked_task *task)
{
	return (struct grant_booking){
		.bookings = bookings, .supply = bookings->supply, .category = category, .now = true, .record = task
	};
}

int grant_record_host(struct bookings *bookings, const struct category *category, uint32_t host, uint32_t slots,
		      bool master, struct booked_task *task)
{
	const struct grant_booking booking = recording_of(bookings, category, task);

	return object_take(&booking, LEVEL_HOST, host, (struct grant_share){ slots, master, true });
}

int grant_record(struct bookings *bookings, const struct category *category, const struct grant *grant,
		 struct booked_task *task)
{
	const struct grant_booking booking = recording_of(bookings, category, task);

	return book(&booking, grant);
}

int grant_reserve(struct bookings *bookings, const struct category *category, const struct grant *grant, int64_t end)
{
	struct grant_booking booking = booking_of(bookings, category, grant->begin, end);

	booking.now = false;
	return book(&booking, grant);
}
