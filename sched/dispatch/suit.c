/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/dispatch/suit.h"

#include <errno.h>
#include <string.h>

#include "conf/wildcard.h"
#include "sched/dispatch/search/pattern.h"

static size_t count(const struct dispatch *d, const unsigned char *chosen)
{
	size_t n = 0;

	for (size_t i = 0; i < d->cluster.ninstances; i++)
		n += chosen[i];
	return n;
}

static int none_left(const struct dispatch *d, const char *option, const char *value, struct error *error)
{
	if (d->cluster.ninstances == 0)
		return error_set(error, -ENOENT, "%s %.100s: there is no queue instance in this cell", option, value);
	return error_set(error, -ENOENT, "%s %.100s: no queue instance is left; there are %zu, as %.80s", option, value, d->cluster.ninstances,
			 d->cluster.instances[0].name);
}

/* -q */
static void choose_queues(const struct dispatch *d, const char *queues, unsigned char *chosen)
{
	for (size_t i = 0; i < d->cluster.ninstances; i++) {
		const struct queue_instance *q = &d->cluster.instances[i];

		chosen[i] = chosen[i] && queue_list_matches(d->cell, queues, d->cluster.queue_names[q->queue], d->cluster.host_names[q->host]);
	}
}

static bool offers(struct search *s, uint32_t instance)
{
	return match_object(s, LEVEL_GLOBAL, 0, 1) && match_object(s, LEVEL_HOST, s->d->cluster.instances[instance].host, 1) &&
	       match_object(s, LEVEL_QUEUE, instance, 1);
}

/* -l: what is FORCED there need not be asked for. */
static int choose_resources(struct dispatch *d, const char *resources, unsigned char *chosen, struct error *error)
{
	const struct category_facts facts = { .hard = resources, .user = "", .free_of_quotas = true };
	struct category category = { 0 };
	struct search s = { .d = d, .category = &category, .free = true, .silent = true };
	int rc = category_create(&category, d, &facts);

	for (size_t k = 0; rc == 0 && k < category.nhard; k++)
		if (category.hard[k].column == UINT32_MAX)
			rc = error_set(error, -EINVAL, "-l %.100s: there is no resource \"%.100s\" in this cell", resources, category.hard_list.items[k].name);
	if (rc == 0) {
		s.with = &category.pes[0];
		memset(category.requested, true, d->cluster.ncolumns * sizeof(*category.requested));
		for (uint32_t i = 0; i < d->cluster.ninstances; i++)
			chosen[i] = chosen[i] && offers(&s, i);
	}
	category_destroy(&category);
	return rc;
}

static bool has_pe(const struct queue_profile *profile, const struct suit_wishes *w)
{
	for (size_t i = 0; i < profile->pe_list.n; i++)
		for (size_t k = 0; k < w->npes; k++)
			if (!strcmp(w->pes[k], profile->pe_list.items[i]) || wildcard_match(w->pes[k], profile->pe_list.items[i], 0))
				return true;
	return false;
}

/* The lists of the cluster, the host and the queue; projects are others' affair. */
static bool admits(struct search *s, uint32_t instance)
{
	static const struct strlist none = { 0 };
	const struct queue_instance *i = &s->d->cluster.instances[instance];
	const struct queue_profile *p = &s->d->cluster.profiles[i->profile];
	const struct host_conf *host = s->d->cluster.hosts[i->host].conf;
	const struct access *global = &s->d->global_access;

	return match_access(s, &p->user_lists, &p->xuser_lists, &none, &none, i->name) &&
	       (!host || match_access(s, &host->user_lists, &host->xuser_lists, &none, &none, host->name)) &&
	       match_access(s, &global->user_lists, &global->xuser_lists, &none, &none, "global");
}

static bool admits_any(struct dispatch *d, const struct suit_wishes *w, uint32_t instance)
{
	for (size_t k = 0; k < w->nusers; k++) {
		bool is_group = w->users[k][0] == '@';
		struct category category = { .user = is_group ? "" : w->users[k], .group = is_group ? w->users[k] + 1 : NULL };
		struct search s = { .d = d, .category = &category, .silent = true };

		if (admits(&s, instance))
			return true;
	}
	return false;
}

int suit_choose(struct dispatch *d, const struct suit_wishes *w, unsigned char *chosen, struct error *error)
{
	size_t n = d->cluster.ninstances;
	int rc;

	memset(chosen, 1, n);
	if (w->queues)
		choose_queues(d, w->queues, chosen);
	if (w->queues && !count(d, chosen))
		return none_left(d, "-q", w->queues, error);
	for (size_t i = 0; w->nusers > 0 && i < n; i++)
		chosen[i] = chosen[i] && admits_any(d, w, (uint32_t)i);
	if (w->nusers > 0 && !count(d, chosen))
		return none_left(d, "-U", w->users[0], error);
	for (size_t i = 0; w->npes > 0 && i < n; i++)
		chosen[i] = chosen[i] && has_pe(&d->cluster.profiles[d->cluster.instances[i].profile], w);
	if (w->npes > 0 && !count(d, chosen))
		return none_left(d, "-pe", w->pes[0], error);
	rc = w->resources ? choose_resources(d, w->resources, chosen, error) : 0;
	return rc == 0 && w->resources && !count(d, chosen) ? none_left(d, "-l", w->resources, error) : rc;
}

static bool suits_in(struct search *s, const unsigned char *chosen)
{
	for (uint32_t i = 0; i < s->d->cluster.ninstances; i++) {
		bool as_master;

		if (chosen[i] && match_ever(s, i, &as_master) && offers(s, i))
			return true;
	}
	return false;
}

int suit_request(struct dispatch *d, const struct category_facts *facts, const unsigned char *chosen, bool *suits)
{
	struct category category = { 0 };
	struct search s = { .d = d, .category = &category, .free = true, .silent = true };
	int rc = category_create(&category, d, facts);

	*suits = false;
	if (rc == 0 && category_is_possible(&s))
		for (size_t k = 0; k < category.npes && !*suits; k++) {
			s.with = &category.pes[k];
			*suits = suits_in(&s, chosen);
		}
	category_destroy(&category);
	return rc;
}
