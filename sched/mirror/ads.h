/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ClassAds of jobs and slots. Each distinct ad is stored once, parsed, under a number that is valid
 * as long as the ad is held. Two ads are equal if they have the same attributes with the same
 * words, in any order. They are compared as a text of lines "Name = expression", sorted by name;
 * the case of names is ignored.
 */
#ifndef SCHED_MIRROR_ADS_H
#define SCHED_MIRROR_ADS_H

#include "conf/classad/classad.h"
#include "sched/mirror/event.h"
#include "sched/mirror/pool.h"
#include "shm/strings.h"

#define AD_BYTES_MOST 65536u		/* maximum size of an ad's text */
#define AD_ATTRIBUTES_MOST 2000u

enum ad_owner { AD_OF_JOB, AD_OF_SLOT };

struct ad_record {
	struct classad *ad;
	uint64_t made;			/* unique among all ads that ever existed */
};

struct ads {
	struct strings *strings;	/* borrowed */
	struct pool pool;		/* indexed by the string id of the text, which is held */
	struct ad_record *items;
	size_t capacity;
	uint64_t made;			/* number of ads made so far */
	char *text;			/* last text that was written */
	size_t text_bytes;
};

void ads_create(struct ads *ads, struct strings *strings);
void ads_destroy(struct ads *ads);

/*
 * Return the text of these attributes, which are sorted in place; "" if n is 0. Valid until the
 * next call. NULL: *rc is -EINVAL with the attribute in `error` (attributes of a job have the names
 * of the members of its event), or -ENOMEM.
 */
const char *ads_write(struct ads *ads, enum ad_owner owner, struct ad_attribute *items, size_t n, int *rc,
		      struct error *error);
/*
 * Hold the ad with this text and set its number; NONE if the text is "". -EINVAL: an expression is
 * invalid, with its attribute and the column in `error`; -ENOMEM.
 */
int ads_hold(struct ads *ads, enum ad_owner owner, const char *text, uint32_t *id, struct error *error);
void ads_drop(struct ads *ads, uint32_t id);	/* no-op for NONE */

/*
 * Split such a text into attributes, in place. `items` has space for AD_ATTRIBUTES_MOST. Returns
 * their number.
 */
size_t ad_text_cut(char *text, struct ad_attribute *items);

/*
 * Return the number of the attribute that a member of a job's event stands for, counted from the
 * bit CONDOR_REQUIREMENTS of enum condor_member. CONDOR_ATTRIBUTES: no such member.
 */
size_t ad_attribute_of(const char *name);
extern const char *const ad_attribute_names[CONDOR_ATTRIBUTES];
/* Return whether the value is a text, as for concurrency_limits and kill_sig, and no expression. */
bool ad_attribute_is_text(size_t attribute);

#endif
