/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who may use which queue, whatever is free there: queue_conf(5), access_list(5), and the queues
 * that a job requests.
 */
#include <string.h>

#include "sched/dispatch/advance.h"
#include "sched/dispatch/dispatch.h"
#include "sched/dispatch/search/match.h"
#include "sched/dispatch/search/pattern.h"

enum { FIT_UNKNOWN, FIT_YES, FIT_NO };

static bool listed(const struct strlist *list, const char *name)
{
	for (size_t i = 0; i < list->n; i++)
		if (strcmp(list->items[i], name) == 0)
			return true;
	return false;
}

bool match_access(struct search *s, const struct strlist *user_lists, const struct strlist *xuser_lists, const struct strlist *projects,
		  const struct strlist *xprojects, const char *object)
{
	const struct category *a = s->category;

	if (user_lists->n > 0 && !category_all_in_lists(s->d, a, user_lists))
		match_why(s, WHY_USER_LISTS, "user_lists", object, 0, 0);
	else if (xuser_lists->n > 0 && category_any_in_lists(s->d, a, xuser_lists))
		match_why(s, WHY_USER_LISTS, "xuser_lists", object, 0, 0);
	else if (projects->n > 0 && !(a->project && listed(projects, a->project)))
		match_why(s, WHY_PROJECTS, "projects", object, 0, 0);
	else if (xprojects->n > 0 && a->project && listed(xprojects, a->project))
		match_why(s, WHY_PROJECTS, "xprojects", object, 0, 0);
	else
		return true;
	return false;
}

static bool in_pe_list(const struct queue_profile *p, const char *pe)
{
	return listed(&p->pe_list, pe);
}

static bool profile_fits(struct search *s, const struct queue_profile *p, const char *object)
{
	const struct category *a = s->category;
	const char *pe = s->with->pe == UINT32_MAX ? NULL : s->d->cell->pes[s->with->pe].name;

	if (!match_access(s, &p->user_lists, &p->xuser_lists, &p->projects, &p->xprojects, object))
		return false;
	if (pe && !in_pe_list(p, pe))
		match_why(s, WHY_PE_LIST, pe, object, 0, 0);
	else if (a->ckpt && !listed(&p->ckpt_list, a->ckpt))
		match_why(s, WHY_CKPT_LIST, a->ckpt, object, 0, 0);
	else if (a->now && !p->interactive)
		match_why(s, WHY_QTYPE, "INTERACTIVE", object, 0, 0);
	else if (!pe && !a->ckpt && !a->now && !p->batch)
		match_why(s, WHY_QTYPE, "BATCH", object, 0, 0);
	else
		return true;
	return false;
}

static bool match_queue_request(struct search *s, uint32_t instance, bool *as_master)
{
	const struct queue_instance *i = &s->d->cluster.instances[instance];
	const struct category *a = s->category;

	*as_master = false;
	if (!a->hard_queues || queue_list_matches(s->d->cell, a->hard_queues, s->d->cluster.queue_names[i->queue],
						  s->d->cluster.host_names[i->host]))
		return true;
	*as_master = a->pe && a->master_queues && queue_list_matches(s->d->cell, a->master_queues, s->d->cluster.queue_names[i->queue],
								     s->d->cluster.host_names[i->host]);
	if (!*as_master)
		match_why(s, WHY_QUEUE_REQUEST, a->hard_queues, i->name, 0, 0);
	return *as_master;
}

/*
 * Does any instance of a cluster queue satisfy a request, as far as the queue's own configuration
 * says?
 */
static bool queue_satisfies(struct search *s, uint32_t queue, const struct resource_request *w)
{
	const struct cluster *c = &s->d->cluster;
	const struct column *column = w->column == UINT32_MAX ? NULL : &c->columns[w->column];
	bool any = false;

	for (uint32_t i = 0; column && column->instances && i < c->ninstances; i++) {
		const struct offer *o = &column->instances[i];

		if (c->instances[i].queue != queue)
			continue;
		if (!o->fixed_text || match_offer(column, w, o->fixed_text, o->configured))
			return true;
		any = true;
	}
	return !any;
}

static bool profile_admits(struct search *s, const struct queue_profile *p)
{
	bool silent = s->silent, admits;

	s->silent = true;
	admits = profile_fits(s, p, "");
	s->silent = silent;
	return admits;
}

bool match_queue_admits(struct search *s, uint32_t queue)
{
	const struct category *a = s->category;
	const struct cluster *c = &s->d->cluster;
	bool admitted = false;

	if (a->advance && !advance_has_queue(s->d, a->advance, queue))
		return false;
	if (a->hard_queues && !queue_list_names(a->hard_queues, c->queue_names[queue]) &&
	    !(a->master_queues && queue_list_names(a->master_queues, c->queue_names[queue])))
		return false;
	for (size_t i = 0; i < c->nprofiles && !admitted; i++)
		admitted = c->profiles[i].queue == &s->d->cell->queues[queue] && profile_admits(s, &c->profiles[i]);
	return admitted;
}

static bool is_text(const struct search *s, const struct resource_request *w)
{
	return w->column != UINT32_MAX && s->d->cluster.columns[w->column].is_text;
}

bool match_queue_configured(struct search *s, uint32_t queue, uint32_t slots)
{
	const struct category *a = s->category;

	for (size_t i = 0; i < a->nhard; i++)
		if ((slots == 1 || is_text(s, &a->hard[i])) && !queue_satisfies(s, queue, &a->hard[i]))
			return false;
	return true;
}

bool match_ever(struct search *s, uint32_t instance, bool *as_master)
{
	const struct queue_instance *i = &s->d->cluster.instances[instance];
	const struct host_conf *host = s->d->hosts_restrict ? s->d->cluster.hosts[i->host].conf : NULL;
	unsigned char *fit = &s->category->profiles[(size_t)(s->with - s->category->pes) * s->d->cluster.nprofiles + i->profile];

	if (*fit == FIT_NO && s->silent)
		return false;
	if (s->category->avoided && avoided_has(s->d, s->category->avoided, i->host)) {
		match_why(s, WHY_RESCHEDULED, NULL, i->name, 0, 0);
		return false;
	}
	if (s->category->advance && !advance_has(s->category->advance, instance)) {
		match_why(s, WHY_ADVANCE_QUEUE, why_text(s->d->why, "%u", s->category->ar), i->name, 0, 0);
		return false;
	}
	if (*fit != FIT_YES)
		*fit = profile_fits(s, &s->d->cluster.profiles[i->profile], i->name) ? FIT_YES : FIT_NO;
	if (*fit == FIT_NO || !match_queue_request(s, instance, as_master))
		return false;
	return !host || match_access(s, &host->user_lists, &host->xuser_lists, &host->projects, &host->xprojects, host->name);
}

void match_profiles(struct search *s)
{
	const struct cluster *c = &s->d->cluster;
	unsigned char *fits = &s->category->profiles[(size_t)(s->with - s->category->pes) * c->nprofiles];

	for (size_t i = 0; i < c->nprofiles; i++)
		fits[i] = profile_admits(s, &c->profiles[i]) ? FIT_YES : FIT_NO;
}

bool match_host(struct search *s, uint32_t host)
{
	const struct host_conf *h = s->d->hosts_restrict ? s->d->cluster.hosts[host].conf : NULL;

	return (!h || match_access(s, &h->user_lists, &h->xuser_lists, &h->projects, &h->xprojects, h->name)) && match_forced(s, LEVEL_HOST, host);
}

bool match_static(struct search *s, uint32_t instance, bool *as_master)
{
	const struct queue_instance *i = &s->d->cluster.instances[instance];
	bool takes_part = i->state == INSTANCE_OPEN || i->is_subordinated || s->later;

	return takes_part && (!s->only || s->only[instance]) && match_ever(s, instance, as_master);
}
