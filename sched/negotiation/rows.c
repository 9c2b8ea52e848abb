/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Results of matching a kind of requests with the classes of slots: whether the Requirements of
 * both sides are true, and both ranks. They are computed when they are first needed, and kept.
 */
#include <stdlib.h>
#include <string.h>

#include "sched/negotiation/inside.h"

/* limit for all rows; above it they are computed again */
#define ROW_BYTES_MOST ((size_t)256 << 20)

static void row_free(struct class_row *row)
{
	free(row->items);
	free(row->verdicts);
	free(row->walked);
	*row = (struct class_row){ 0 };
}

void rows_drop(struct clusters *clusters)
{
	for (size_t i = 0; i < clusters->keys.n && i < clusters->capacity; i++) {
		row_free(&clusters->kinds[i].rows[0]);
		row_free(&clusters->kinds[i].rows[1]);
	}
	clusters->row_bytes = 0;
}

void rows_bound(struct clusters *clusters)
{
	if (clusters->row_bytes > ROW_BYTES_MOST)
		rows_drop(clusters);
}

bool requirements_are_true(struct negotiator *negotiator, const struct classad *my, const struct classad *target)
{
	struct classad_pair pair = { my, target };
	struct classad_value value;

	if (!classad_find(my, "Requirements"))
		return true;
	classad_room_reset(&negotiator->moments.room);
	classad_attribute(&pair, "Requirements", &negotiator->moments.room, &value);
	return classad_is_true(&value);
}

static double rank_of(struct negotiator *negotiator, const struct classad *my, const struct classad *target,
		      double otherwise)
{
	struct classad_pair pair = { my, target };
	struct classad_value value;
	double number;

	classad_room_reset(&negotiator->moments.room);
	classad_attribute(&pair, "Rank", &negotiator->moments.room, &value);
	return classad_number(&value, &number) && !isnan(number) ? number : otherwise;
}

static const struct classad *class_ad(struct negotiator *negotiator, const struct slot_class *class,
				      enum slot_place place)
{
	if (place == PLACE_CLAIMED && class->single != NONE)
		return moment_claim(negotiator, class->single);
	return moment_free(negotiator, class->single, class->ad);
}

/*
 * Return the ad of a claimed slot if the owner of the claim does not matter: any claimed slot of
 * the class will do.
 */
static const struct classad *claimed_ad(struct negotiator *negotiator, uint32_t class)
{
	const struct class_pool *pool = &negotiator->pool.classes[class];

	return moment_claim(negotiator, negotiator->pool.claimed[pool->claimed]);
}

enum match_verdict row_evaluate(struct negotiator *negotiator, const struct request_kind *kind, uint32_t which,
				enum slot_place place, struct row_entry *entry)
{
	const struct slot_class *class = &negotiator->slot_classes.items[which];
	const struct classad *job = moment_job(negotiator, kind->ad);
	const struct classad *slot =
		place == PLACE_CLAIMED ? claimed_ad(negotiator, which) : class_ad(negotiator, class, place);

	*entry = (struct row_entry){ .class = which, .weight = class->weight };
	if (class->partitionable && !piece_fits(negotiator, class, kind->ad, &entry->weight))
		return VERDICT_BY_JOB;
	if (!requirements_are_true(negotiator, job, slot))
		return VERDICT_BY_JOB;
	if (!requirements_are_true(negotiator, slot, job))
		return VERDICT_BY_SLOT;
	entry->job = rank_of(negotiator, job, slot, 0);
	entry->rank = class->rank_is_constant ? class->rank : rank_of(negotiator, slot, job, (double)NAN);
	if (negotiator->interest.by_job[ROOT_PRE])
		entry->pre = negotiators_rank(negotiator, negotiator->conf->pre_job_rank.program, slot, job);
	if (negotiator->interest.by_job[ROOT_POST])
		entry->post = negotiators_rank(negotiator, negotiator->conf->post_job_rank.program, slot, job);
	return VERDICT_MATCHES;
}

static int compare(const void *a, const void *b, void *context)
{
	const struct row_entry *x = a, *y = b;
	const struct slot_class *classes = context, *cx = &classes[x->class], *cy = &classes[y->class];
	float pre_x = x->pre + cx->pre, pre_y = y->pre + cy->pre, post_x = x->post + cx->post,
	      post_y = y->post + cy->post;

	if (pre_x != pre_y)
		return pre_x > pre_y ? -1 : 1;
	if (x->job != y->job)
		return x->job > y->job ? -1 : 1;
	if (post_x != post_y)
		return post_x > post_y ? -1 : 1;
	return (x->class > y->class) - (x->class < y->class);
}

static int row_room(struct negotiator *negotiator, struct class_row *row)
{
	size_t classes = negotiator->slot_classes.keys.n, before = row->nverdicts;

	if (classes > before) {
		if (room_for(&row->verdicts, &row->nverdicts, classes, 1) < 0)
			return -ENOMEM;
		memset(row->verdicts + before, VERDICT_UNKNOWN, row->nverdicts - before);
	}
	negotiator->clusters.row_bytes += row->nverdicts - before;
	return 0;
}

static int row_add(struct negotiator *negotiator, struct class_row *row, const struct row_entry *entry)
{
	size_t before = row->capacity;

	if (room_for(&row->items, &row->capacity, row->n + 1, sizeof(*row->items)) < 0)
		return -ENOMEM;
	negotiator->clusters.row_bytes += (row->capacity - before) * sizeof(*row->items);
	row->items[row->n++] = *entry;
	return 0;
}

enum keeps { KEEP, KEEP_CYCLE, KEEP_NOT };	/* how long a row is valid */

static enum keeps row_keeps(const struct negotiator *negotiator, const struct request_kind *kind, enum slot_place place)
{
	const struct interest *interest = &negotiator->interest;
	bool claims = place == PLACE_CLAIMED && interest->claim_matters;

	if (kind->moments || (interest->both_moments & MOMENTS_OF_JOBS) || cross_is_on(negotiator) ||
	    (claims && (interest->both_moments & MOMENTS_OF_USE)))
		return KEEP_NOT;
	if (kind->time || claims || interest->slots[ROOT_REQUIREMENTS].time || interest->slots[ROOT_RANK].time ||
	    (interest->by_job[ROOT_PRE] && interest->slots[ROOT_PRE].time) ||
	    (interest->by_job[ROOT_POST] && interest->slots[ROOT_POST].time))
		return KEEP_CYCLE;
	return KEEP;
}

int row_complete(struct negotiator *negotiator, uint32_t which, enum slot_place place)
{
	struct request_kind *kind = &negotiator->clusters.kinds[which];
	struct class_row *row = &kind->rows[place == PLACE_CLAIMED];
	const struct slot_pool *pool = &negotiator->pool;
	enum keeps keeps = row_keeps(negotiator, kind, place);
	bool restart = keeps == KEEP_NOT || (keeps == KEEP_CYCLE && row->cycle != negotiator->cycle), changed = restart;
	int rc = 0;

	if (!restart && row->verdicts && row->cycle == negotiator->cycle && row->revived == pool->revived)
		return 0;
	rc = row_room(negotiator, row);
	if (restart) {
		row->n = 0;
		memset(row->verdicts, VERDICT_UNKNOWN, row->nverdicts);
	}
	for (size_t i = 0; i < pool->nlists[place == PLACE_CLAIMED] && rc == 0; i++) {
		uint32_t class = pool->lists[place == PLACE_CLAIMED][i];
		struct row_entry entry;

		if (row->verdicts[class] != VERDICT_UNKNOWN)
			continue;
		row->verdicts[class] = row_evaluate(negotiator, kind, class, place, &entry);
		if (row->verdicts[class] == VERDICT_MATCHES)
			rc = row_add(negotiator, row, &entry);
		changed = true;
	}
	if (row->n > 0 && place == PLACE_FREE && (changed || row->version != negotiator->slot_classes.version))
		qsort_r(row->items, row->n, sizeof(*row->items), compare, negotiator->slot_classes.items);
	row->version = negotiator->slot_classes.version;
	row->cycle = negotiator->cycle;
	row->revived = pool->revived;
	row->alive = 0;
	return rc;
}
