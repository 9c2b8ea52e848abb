/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tag of an instance says whether the instance can give a job its master task now, only later,
 * or never. Grid Engine 8.1.9 keeps tags from the search of one parallel job to that of the next.
 * They are meant for one search only. But a job may start, or get a reservation, before the next
 * search. In that case all instances with the tag LATER are taken out of the list, as if their
 * loads had crossed a threshold (review.c). That is not useful, but it determines which jobs start.
 *
 * All tags are cleared at the beginning of the search of a parallel job, whatever its result is,
 * and at each time that is tried for its reservation, including times before now. The amounts and
 * environments that are tried for one start do not clear each other's tags. tag.h decides which
 * instances a search tags. review.c tags instances in which a job start has used up a consumable.
 */
#ifndef SCHED_DISPATCH_SEARCH_TAGS_H
#define SCHED_DISPATCH_SEARCH_TAGS_H

#include <stddef.h>
#include <stdint.h>

enum tag { TAG_NEVER, TAG_LATER, TAG_NOW };

struct tagged_instance {
	enum tag tag;
	/* search that has set the tag; if not current, there is none */
	uint32_t search;
};

struct tags {				/* zero-initialise */
	struct tagged_instance *instances;	/* per instance */
	uint32_t search;		/* number of the search that the tags belong to */
	uint32_t *tagged;		/* instances tagged by that search */
	size_t n;
};

/* Begin a run without tags, for instances 0..n-1. Return 0 or -ENOMEM. */
int tags_begin(struct tags *tags, size_t n);
void tags_free(struct tags *tags);
void tags_reset(struct tags *tags);

/* Hide all tags until tags_show(). No instance may be tagged in between. */
struct hidden_tags {
	uint32_t search;
	size_t n;
};
struct hidden_tags tags_hide(struct tags *tags);
void tags_show(struct tags *tags, struct hidden_tags hidden);

/* Copy of all tags. saved_tags_free() accepts a zero-initialised one. */
struct saved_tags {
	struct saved_tag {
		uint32_t instance;
		enum tag tag;
	} *items;
	size_t n;
};
/* Return 0 or -ENOMEM. */
int tags_save(const struct tags *tags, struct saved_tags *saved);
/* Replace all tags by those of the copy. */
void tags_restore(struct tags *tags, const struct saved_tags *saved);
void saved_tags_free(struct saved_tags *saved);

void tags_set(struct tags *tags, uint32_t instance, enum tag tag);
enum tag tags_of(const struct tags *tags, uint32_t instance);
/* Clear the tag of an instance that was set aside because of it, for the case that it returns. */
void tags_take(struct tags *tags, uint32_t instance);

#endif
