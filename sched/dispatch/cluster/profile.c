/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/dispatch/cluster/profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/lists.h"
#include "conf/base/number.h"
#include "conf/subordinates.h"

/* Attributes of a queue that matter for jobs whatever they request. */
static const char *const profile_attributes[] = {
	"seq_no", "qtype", "pe_list", "ckpt_list", "user_lists", "xuser_lists", "projects", "xprojects",
	"load_thresholds", "suspend_thresholds", "nsuspend", "suspend_interval", "complex_values", "subordinate_list",
};
enum {
	AT_SEQ_NO,
	AT_QTYPE,
	AT_PE_LIST,
	AT_CKPT_LIST,
	AT_USER_LISTS,
	AT_XUSER_LISTS,
	AT_PROJECTS,
	AT_XPROJECTS,
	AT_LOAD_THRESHOLDS,
	AT_SUSPEND_THRESHOLDS,
	AT_NSUSPEND,
	AT_SUSPEND_INTERVAL,
	AT_COMPLEX_VALUES,
	AT_SUBORDINATE_LIST,
	ATTRIBUTES
};
_Static_assert(sizeof(profile_attributes) / sizeof(*profile_attributes) == ATTRIBUTES, "each attribute needs a number");

static int names_read(struct strlist *list, const char *text)
{
	struct error error;

	return text && strlist_parse(list, text, &error) == -ENOMEM ? -ENOMEM : 0;
}

static int pairs_read(struct pairs *pairs, const char *text)
{
	struct error error;

	return text && pairs_parse(pairs, text, LIST_SEPARATORS, &error) == -ENOMEM ? -ENOMEM : 0;
}

static uint32_t whole_number(const char *text, uint32_t fallback)
{
	uint32_t n;

	return text && number_u32(text, &n) == 0 ? n : fallback;
}

static uint32_t seconds(const char *text, uint32_t fallback)
{
	uint32_t n;

	return text && number_time(text, &n) == 0 ? n : fallback;
}

/*
 * Read subordinate_list. In a slot-wise list the qmaster suspends single tasks. A run sets the
 * subordinate queue aside when all slots are used, as Grid Engine does.
 */
static int subordinates_read(struct queue_profile *profile, const struct cell *cell, const char *text)
{
	struct subordinates list = { 0 };
	int rc = text && subordinates_parse(&list, text, NULL) == -ENOMEM ? -ENOMEM : 0;

	for (size_t i = 0; i < list.n && rc == 0; i++) {
		const struct queue *queue = cell_queue(cell, list.items[i].queue);
		struct subordinate_queue *item =
			queue ? array_add(&profile->subordinates, &profile->nsubordinates, sizeof(*item)) : NULL;

		if (item)
			*item = (struct subordinate_queue){ (uint32_t)(queue - cell->queues), list.items[i].slots };
		else if (queue)
			rc = -ENOMEM;
	}
	subordinates_free(&list);
	return rc;
}

static int profile_read(struct queue_profile *profile, const struct cell *cell)
{
	const char **v = profile->values;

	profile->seq_no = whole_number(v[AT_SEQ_NO], 0);
	profile->batch = !v[AT_QTYPE] || strcasestr(v[AT_QTYPE], "BATCH");
	profile->interactive = !v[AT_QTYPE] || strcasestr(v[AT_QTYPE], "INTERACTIVE");
	profile->nsuspend = whole_number(v[AT_NSUSPEND], 1);
	profile->suspend_interval = seconds(v[AT_SUSPEND_INTERVAL], 300);
	if (names_read(&profile->pe_list, v[AT_PE_LIST]) || names_read(&profile->ckpt_list, v[AT_CKPT_LIST]) ||
	    names_read(&profile->user_lists, v[AT_USER_LISTS]) ||
	    names_read(&profile->xuser_lists, v[AT_XUSER_LISTS]) || names_read(&profile->projects, v[AT_PROJECTS]) ||
	    names_read(&profile->xprojects, v[AT_XPROJECTS]) ||
	    pairs_read(&profile->load_thresholds, v[AT_LOAD_THRESHOLDS]) ||
	    pairs_read(&profile->suspend_thresholds, v[AT_SUSPEND_THRESHOLDS]) ||
	    pairs_read(&profile->complex_values, v[AT_COMPLEX_VALUES]) ||
	    subordinates_read(profile, cell, v[AT_SUBORDINATE_LIST]))
		return -ENOMEM;
	return 0;
}

void profile_clear(struct queue_profile *profile)
{
	strlist_free(&profile->pe_list);
	strlist_free(&profile->ckpt_list);
	strlist_free(&profile->user_lists);
	strlist_free(&profile->xuser_lists);
	strlist_free(&profile->projects);
	strlist_free(&profile->xprojects);
	pairs_free(&profile->load_thresholds);
	pairs_free(&profile->suspend_thresholds);
	pairs_free(&profile->complex_values);
	free(profile->subordinates);
	free(profile->values);
}

/*
 * Compare with a profile. Equal overrides share one string in the cell, so comparing addresses is
 * sufficient.
 */
static bool profile_is(const struct queue_profile *profile, const struct queue *queue, const char *const *values)
{
	return profile->queue == queue && memcmp(profile->values, values, ATTRIBUTES * sizeof(*values)) == 0;
}

/*
 * Search backwards: instances of a queue are consecutive, so the profile is probably among the
 * last.
 */
uint32_t cluster_profile(struct cluster *cluster, const struct queue *queue, const char *host)
{
	const char *values[ATTRIBUTES];
	struct queue_profile *profile;

	for (size_t i = 0; i < ATTRIBUTES; i++)
		values[i] = cell_queue_value(cluster->cell, queue, host, profile_attributes[i]);
	for (size_t i = cluster->nprofiles; i > 0; i--)
		if (profile_is(&cluster->profiles[i - 1], queue, values))
			return (uint32_t)(i - 1);
	profile = array_add(&cluster->profiles, &cluster->nprofiles, sizeof(*profile));
	if (!profile)
		return UINT32_MAX;
	profile->queue = queue;
	profile->values = malloc(sizeof(values));
	if (!profile->values)
		return UINT32_MAX;
	memcpy(profile->values, values, sizeof(values));
	return profile_read(profile, cluster->cell) ? UINT32_MAX : (uint32_t)(cluster->nprofiles - 1);
}
