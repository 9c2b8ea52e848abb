/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ClassAds of jobs and slots: each distinct one once, parsed, under a number that stays as long as
 * somebody holds it. Ads are alike that say the same in the same words, in whatever order: what is
 * compared is a text of lines "Name = expression", by name without case.
 */
#ifndef SCHED_MIRROR_ADS_H
#define SCHED_MIRROR_ADS_H

#include "conf/classad/classad.h"
#include "sched/mirror/event.h"
#include "sched/mirror/pool.h"
#include "shm/strings.h"

#define AD_BYTES_MOST 65536u		/* of the text of an ad */
#define AD_ATTRIBUTES_MOST 2000u

enum ad_owner { AD_OF_JOB, AD_OF_SLOT };

struct ad_record {
	struct classad *ad;
	uint64_t made;			/* differs from that of every other ad that there ever was */
};

struct ads {
	struct strings *strings;	/* borrowed */
	struct pool pool;		/* by the string id of the text, which is held */
	struct ad_record *items;
	size_t capacity;
	uint64_t made;			/* so many */
	char *text;			/* the last one that was written */
	size_t text_bytes;
};

void ads_create(struct ads *ads, struct strings *strings);
void ads_destroy(struct ads *ads);

/*
 * The text of these attributes, which are sorted here; "" of none. Valid until the next call. NULL:
 * *rc is -EINVAL with the attribute in `error` (a job's are named as the members of its event are),
 * or -ENOMEM.
 */
const char *ads_write(struct ads *ads, enum ad_owner owner, struct ad_attribute *items, size_t n, int *rc,
		      struct error *error);
/*
 * The number of the ad with such a text, held once more; NONE: of "". -EINVAL: an expression can't
 * be read, its attribute and the column are in `error`; -ENOMEM.
 */
int ads_hold(struct ads *ads, enum ad_owner owner, const char *text, uint32_t *id, struct error *error);
void ads_drop(struct ads *ads, uint32_t id);	/* NONE is a no-op */

/*
 * The attributes of such a text, which is cut into pieces for it; `items` has room for
 * AD_ATTRIBUTES_MOST. How many there are.
 */
size_t ad_text_cut(char *text, struct ad_attribute *items);

/*
 * Attributes that members of a job's event stand for: which of enum condor_member, by the number
 * behind CONDOR_REQUIREMENTS. CONDOR_ATTRIBUTES: none.
 */
size_t ad_attribute_of(const char *name);
extern const char *const ad_attribute_names[CONDOR_ATTRIBUTES];
/* those whose value is a text, as concurrency_limits and kill_sig; the others are expressions */
bool ad_attribute_is_text(size_t attribute);

#endif
