/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Access to queues, independent of free resources: queue_conf(5), access_list(5), and the queues
 * that a job requests.
 */
#include <string.h>

#include "sched/dispatch/search/advance.h"
#include "sched/dispatch/search/match.h"
#include "sched/dispatch/search/pattern.h"
#include "sched/dispatch/search/search.h"
#include "sched/mirror/state.h"

enum { FIT_UNKNOWN, FIT_YES, FIT_NO };

static bool listed(const struct strlist *list, const char *name)
{
	for (size_t i = 0; i < list->n; i++)
		if (strcmp(list->items[i], name) == 0)
			return true;
	return false;
}

bool match_access(struct search *search, const struct strlist *user_lists, const struct strlist *xuser_lists,
		  const struct strlist *projects, const struct strlist *xprojects, const char *object)
{
	const struct category *category = search->question.category;

	if (user_lists->n > 0 && !category_all_in_lists(search->supply->cell, category, user_lists))
		match_why(search, WHY_USER_LISTS, "user_lists", object, 0, 0);
	else if (xuser_lists->n > 0 && category_any_in_lists(search->supply->cell, category, xuser_lists))
		match_why(search, WHY_USER_LISTS, "xuser_lists", object, 0, 0);
	else if (projects->n > 0 && !(category->project && listed(projects, category->project)))
		match_why(search, WHY_PROJECTS, "projects", object, 0, 0);
	else if (xprojects->n > 0 && category->project && listed(xprojects, category->project))
		match_why(search, WHY_PROJECTS, "xprojects", object, 0, 0);
	else
		return true;
	return false;
}

/*
 * Return whether the advance reservation has begun and jobs can start in it. If not, record the
 * reason.
 */
static bool advance_is_open(struct search *search)
{
	const struct category *category = search->question.category;
	const struct advance *advance = category->advance;
	const char *state = advance && advance->reported->state != NONE
				    ? strings_text(search->supply->advances.strings, advance->reported->state)
				    : "";

	if (!advance)
		match_why(search, WHY_NO_ADVANCE, why_text(search->shared->why, "%u", category->ar), NULL, 0, 0);
	else if (*state == 'E' && advance->reported->hard_error)
		match_why(search, WHY_ADVANCE_ERROR, why_text(search->shared->why, "%u", category->ar), NULL, 0, 0);
	else if (*state != 'r' && *state != 'E')
		match_why(search, WHY_ADVANCE_WAITS, why_text(search->shared->why, "%u", category->ar), NULL, 0,
			  (double)advance->reported->start_time);
	else
		return true;
	return false;
}

bool category_is_possible(struct search *search)
{
	const struct category *category = search->question.category;
	const struct access *global = &search->supply->access;

	if (category->ckpt && !cell_checkpoint(search->supply->cell, category->ckpt))
		match_why(search, WHY_NO_CKPT, category->ckpt, NULL, 0, 0);
	else if (category->pe && category->npes == 0)
		match_why(search, WHY_NO_PE, category->pe, NULL, 0, 0);
	else if (category->ar == 0 || advance_is_open(search))
		return match_access(search, &global->user_lists, &global->xuser_lists, &global->projects,
				    &global->xprojects, "global");
	return false;
}

static bool in_pe_list(const struct queue_profile *profile, const char *pe)
{
	return listed(&profile->pe_list, pe);
}

static bool profile_fits(struct search *search, const struct queue_profile *profile, const char *object)
{
	const struct category *category = search->question.category;
	const char *pe = search->with->pe == UINT32_MAX ? NULL : search->supply->cell->pes[search->with->pe].name;

	if (!match_access(search, &profile->user_lists, &profile->xuser_lists, &profile->projects, &profile->xprojects,
			  object))
		return false;
	if (pe && !in_pe_list(profile, pe))
		match_why(search, WHY_PE_LIST, pe, object, 0, 0);
	else if (category->ckpt && !listed(&profile->ckpt_list, category->ckpt))
		match_why(search, WHY_CKPT_LIST, category->ckpt, object, 0, 0);
	else if (category->now && !profile->interactive)
		match_why(search, WHY_QTYPE, "INTERACTIVE", object, 0, 0);
	else if (!pe && !category->ckpt && !category->now && !profile->batch)
		match_why(search, WHY_QTYPE, "BATCH", object, 0, 0);
	else
		return true;
	return false;
}

static bool match_queue_request(struct search *search, uint32_t instance, bool *as_master)
{
	const struct queue_instance *queue_instance = &search->supply->cluster.instances[instance];
	const struct category *category = search->question.category;

	*as_master = false;
	if (!category->hard_queues || queue_list_matches(search->supply->cell, category->hard_queues,
							 search->supply->cluster.queue_names[queue_instance->queue],
							 search->supply->cluster.host_names[queue_instance->host]))
		return true;
	*as_master = category->pe && category->master_queues &&
		     queue_list_matches(search->supply->cell, category->master_queues,
					search->supply->cluster.queue_names[queue_instance->queue],
					search->supply->cluster.host_names[queue_instance->host]);
	if (!*as_master)
		match_why(search, WHY_QUEUE_REQUEST, category->hard_queues, queue_instance->name, 0, 0);
	return *as_master;
}

/*
 * Return whether any instance of a cluster queue satisfies a request according to the configuration
 * of the queue.
 */
static bool queue_satisfies(struct search *search, uint32_t queue, const struct resource_request *request)
{
	const struct cluster *cluster = &search->supply->cluster;
	const struct column *column = request->column == UINT32_MAX ? NULL : &cluster->columns[request->column];
	bool any = false;

	for (uint32_t i = 0; column && column->instances && i < cluster->ninstances; i++) {
		const struct offer *offer = &column->instances[i];

		if (cluster->instances[i].queue != queue)
			continue;
		if (!offer->fixed_text || match_offer(column, request, offer->fixed_text, offer->configured))
			return true;
		any = true;
	}
	return !any;
}

static bool profile_admits(struct search *search, const struct queue_profile *profile)
{
	struct search silent = search_silent(search);

	return profile_fits(&silent, profile, "");
}

bool match_queue_admits(struct search *search, uint32_t queue)
{
	const struct category *category = search->question.category;
	const struct cluster *cluster = &search->supply->cluster;
	bool admitted = false;

	if (category->advance && !advance_has_queue(category->advance, cluster, queue))
		return false;
	if (category->hard_queues && !queue_list_names(category->hard_queues, cluster->queue_names[queue]) &&
	    !(category->master_queues && queue_list_names(category->master_queues, cluster->queue_names[queue])))
		return false;
	for (size_t i = 0; i < cluster->nprofiles && !admitted; i++)
		admitted = cluster->profiles[i].queue == &search->supply->cell->queues[queue] &&
			   profile_admits(search, &cluster->profiles[i]);
	return admitted;
}

static bool is_text(const struct search *search, const struct resource_request *request)
{
	return request->column != UINT32_MAX && search->supply->cluster.columns[request->column].is_text;
}

bool match_queue_configured(struct search *search, uint32_t queue, uint32_t slots)
{
	const struct category *category = search->question.category;

	for (size_t i = 0; i < category->nhard; i++)
		if ((slots == 1 || is_text(search, &category->hard[i])) &&
		    !queue_satisfies(search, queue, &category->hard[i]))
			return false;
	return true;
}

bool match_ever(struct search *search, uint32_t instance, bool *as_master)
{
	const struct queue_instance *queue_instance = &search->supply->cluster.instances[instance];
	const struct host_conf *host =
		search->supply->hosts_restrict ? search->supply->cluster.hosts[queue_instance->host].conf : NULL;
	unsigned char *fit =
		&search->question.category->profiles[(size_t)(search->with - search->question.category->pes) *
							     search->supply->cluster.nprofiles +
						     queue_instance->profile];

	if (*fit == FIT_NO && search->question.silent)
		return false;
	if (search->question.category->avoided &&
	    avoided_has(&search->shared->avoided, search->question.category->avoided, queue_instance->host)) {
		match_why(search, WHY_RESCHEDULED, NULL, queue_instance->name, 0, 0);
		return false;
	}
	if (search->question.category->advance && !advance_has(search->question.category->advance, instance)) {
		match_why(search, WHY_ADVANCE_QUEUE, why_text(search->shared->why, "%u", search->question.category->ar),
			  queue_instance->name, 0, 0);
		return false;
	}
	if (*fit != FIT_YES)
		*fit = profile_fits(search, &search->supply->cluster.profiles[queue_instance->profile],
				    queue_instance->name)
			       ? FIT_YES
			       : FIT_NO;
	if (*fit == FIT_NO || !match_queue_request(search, instance, as_master))
		return false;
	return !host || match_access(search, &host->user_lists, &host->xuser_lists, &host->projects, &host->xprojects,
				     host->name);
}

void match_profiles(struct search *search)
{
	const struct cluster *cluster = &search->supply->cluster;
	unsigned char *fits =
		&search->question.category
			 ->profiles[(size_t)(search->with - search->question.category->pes) * cluster->nprofiles];

	for (size_t i = 0; i < cluster->nprofiles; i++)
		fits[i] = profile_admits(search, &cluster->profiles[i]) ? FIT_YES : FIT_NO;
}

bool match_host(struct search *search, uint32_t host)
{
	const struct host_conf *conf = search->supply->hosts_restrict ? search->supply->cluster.hosts[host].conf : NULL;

	return (!conf || match_access(search, &conf->user_lists, &conf->xuser_lists, &conf->projects, &conf->xprojects,
				      conf->name)) &&
	       match_forced(search, LEVEL_HOST, host);
}

bool match_static(struct search *search, uint32_t instance, bool *as_master)
{
	const struct queue_instance *queue_instance = &search->supply->cluster.instances[instance];
	bool is_considered = queue_instance->state == INSTANCE_OPEN || queue_instance->is_subordinated ||
			     search_is_later(search);

	return is_considered && (!search->question.only || search->question.only[instance]) &&
	       match_ever(search, instance, as_master);
}
