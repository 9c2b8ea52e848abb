/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/dispatch/suit.h"

#include <errno.h>
#include <string.h>

#include "conf/base/wildcard.h"
#include "sched/dispatch/search/pattern.h"
#include "sched/dispatch/search/search.h"

static size_t count(const struct dispatch *dispatch, const unsigned char *chosen)
{
	size_t n = 0;

	for (size_t i = 0; i < dispatch->supply.cluster.ninstances; i++)
		n += chosen[i];
	return n;
}

static int none_left(const struct dispatch *dispatch, const char *option, const char *value, struct error *error)
{
	if (dispatch->supply.cluster.ninstances == 0)
		return error_set(error, -ENOENT, "%s %.100s: this cell has no queue instance", option, value);
	return error_set(error, -ENOENT, "%s %.100s: no queue instance matches; there are %zu, for example %.80s",
			 option, value, dispatch->supply.cluster.ninstances,
			 dispatch->supply.cluster.instances[0].name);
}

/* Apply -q. */
static void choose_queues(const struct dispatch *dispatch, const char *queues, unsigned char *chosen)
{
	for (size_t i = 0; i < dispatch->supply.cluster.ninstances; i++) {
		const struct queue_instance *instance = &dispatch->supply.cluster.instances[i];

		chosen[i] = chosen[i] && queue_list_matches(dispatch->supply.cell, queues,
							    dispatch->supply.cluster.queue_names[instance->queue],
							    dispatch->supply.cluster.host_names[instance->host]);
	}
}

static bool offers(struct search *search, uint32_t instance)
{
	return match_object(search, LEVEL_GLOBAL, 0, 1) &&
	       match_object(search, LEVEL_HOST, search->supply->cluster.instances[instance].host, 1) &&
	       match_object(search, LEVEL_QUEUE, instance, 1);
}

/* Apply -l. FORCED complexes need not be requested here. */
static int choose_resources(struct dispatch *dispatch, const char *resources, unsigned char *chosen,
			    struct error *error)
{
	const struct category_facts facts = { .hard = resources, .user = "", .free_of_quotas = true };
	struct category category = { 0 };
	struct search search = {
		.question = { .category = &category, .counts = COUNT_NOTHING, .silent = true },
		.supply = &dispatch->supply,
		.shared = &dispatch->searches,
	};
	int rc = category_create(&category, &dispatch->supply, &facts);

	for (size_t k = 0; rc == 0 && k < category.nhard; k++)
		if (category.hard[k].column == UINT32_MAX)
			rc = error_set(error, -EINVAL, "-l %.100s: there is no resource \"%.100s\" in this cell",
				       resources, category.hard_list.items[k].name);
	if (rc == 0) {
		search.with = &category.pes[0];
		memset(category.requested, true, dispatch->supply.cluster.ncolumns * sizeof(*category.requested));
		for (uint32_t i = 0; i < dispatch->supply.cluster.ninstances; i++)
			chosen[i] = chosen[i] && offers(&search, i);
	}
	category_destroy(&category);
	return rc;
}

static bool has_pe(const struct queue_profile *profile, const struct suit_wishes *wishes)
{
	for (size_t i = 0; i < profile->pe_list.n; i++)
		for (size_t k = 0; k < wishes->npes; k++)
			if (!strcmp(wishes->pes[k], profile->pe_list.items[i]) ||
			    wildcard_match(wishes->pes[k], profile->pe_list.items[i], 0))
				return true;
	return false;
}

/* Check the access lists of the cluster, the host and the queue, without projects. */
static bool admits(struct search *search, uint32_t instance)
{
	static const struct strlist none = { 0 };
	const struct queue_instance *queue_instance = &search->supply->cluster.instances[instance];
	const struct queue_profile *profile = &search->supply->cluster.profiles[queue_instance->profile];
	const struct host_conf *host = search->supply->cluster.hosts[queue_instance->host].conf;
	const struct access *global = &search->supply->access;

	return match_access(search, &profile->user_lists, &profile->xuser_lists, &none, &none, queue_instance->name) &&
	       (!host || match_access(search, &host->user_lists, &host->xuser_lists, &none, &none, host->name)) &&
	       match_access(search, &global->user_lists, &global->xuser_lists, &none, &none, "global");
}

static bool admits_any(struct dispatch *dispatch, const struct suit_wishes *wishes, uint32_t instance)
{
	for (size_t k = 0; k < wishes->nusers; k++) {
		bool is_group = wishes->users[k][0] == '@';
		struct category category = { .user = is_group ? "" : wishes->users[k],
					     .group = is_group ? wishes->users[k] + 1 : NULL };
		struct search search = {
			.question = { .category = &category, .silent = true },
			.supply = &dispatch->supply,
			.shared = &dispatch->searches,
		};

		if (admits(&search, instance))
			return true;
	}
	return false;
}

int suit_choose(struct dispatch *dispatch, const struct suit_wishes *wishes, unsigned char *chosen, struct error *error)
{
	size_t n = dispatch->supply.cluster.ninstances;
	int rc;

	memset(chosen, 1, n);
	if (wishes->queues)
		choose_queues(dispatch, wishes->queues, chosen);
	if (wishes->queues && !count(dispatch, chosen))
		return none_left(dispatch, "-q", wishes->queues, error);
	for (size_t i = 0; wishes->nusers > 0 && i < n; i++)
		chosen[i] = chosen[i] && admits_any(dispatch, wishes, (uint32_t)i);
	if (wishes->nusers > 0 && !count(dispatch, chosen))
		return none_left(dispatch, "-U", wishes->users[0], error);
	for (size_t i = 0; wishes->npes > 0 && i < n; i++)
		chosen[i] = chosen[i] &&
			    has_pe(&dispatch->supply.cluster.profiles[dispatch->supply.cluster.instances[i].profile],
				   wishes);
	if (wishes->npes > 0 && !count(dispatch, chosen))
		return none_left(dispatch, "-pe", wishes->pes[0], error);
	rc = wishes->resources ? choose_resources(dispatch, wishes->resources, chosen, error) : 0;
	return rc == 0 && wishes->resources && !count(dispatch, chosen)
		       ? none_left(dispatch, "-l", wishes->resources, error)
		       : rc;
}

static bool suits_in(struct search *search, const unsigned char *chosen)
{
	for (uint32_t i = 0; i < search->supply->cluster.ninstances; i++) {
		bool as_master;

		if (chosen[i] && match_ever(search, i, &as_master) && offers(search, i))
			return true;
	}
	return false;
}

int suit_request(struct dispatch *dispatch, const struct category_facts *facts, const unsigned char *chosen,
		 bool *suits)
{
	struct category category = { 0 };
	struct search search = {
		.question = { .category = &category, .counts = COUNT_NOTHING, .silent = true },
		.supply = &dispatch->supply,
		.shared = &dispatch->searches,
	};
	int rc = category_create(&category, &dispatch->supply, facts);

	*suits = false;
	if (rc == 0 && category_is_possible(&search))
		for (size_t k = 0; k < category.npes && !*suits; k++) {
			search.with = &category.pes[k];
			*suits = suits_in(&search, chosen);
		}
	category_destroy(&category);
	return rc;
}
