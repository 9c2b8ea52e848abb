/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules are numbered across all enabled sets. Three rows of bits show which rules apply to a queue,
 * a host and a category. The rules that count are in all three rows, and the first of their set.
 */
#include "sched/dispatch/quota/quota.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/formula.h"
#include "sched/dispatch/quota/filter.h"
#include "sched/dispatch/quota/rules.h"

/* Lifetime */

void quotas_destroy(struct quotas *quotas)
{
	if (!quotas)
		return;
	text_set_free(&quotas->texts);
	quota_counts_free(&quotas->counts);
	free(quotas->hosts);
	free(quotas->queues);
	free(quotas->dynamic);
	free(quotas->limits);
	free(quotas->places);
	free(quotas->turns);
	free(quotas->rules);
	free(quotas);
}

void quotas_begin(struct quotas *quotas, quota_host_value *value, void *context)
{
	quotas->value = value;
	quotas->context = context;
	quota_counts_clear(&quotas->counts);
	quotas_order_clear(quotas);
	for (size_t i = 0; i < quotas->ndynamic; i++)
		quotas->dynamic[i] = NAN;
}

size_t quotas_sets(const struct quotas *quotas)
{
	return quotas->nsets;
}

/* Users and projects */

bool quotas_name_user(const struct quotas *quotas, const char *user, const char *group)
{
	const struct quota_filter *filter;

	for (size_t r = 0; r < quotas->nrules; r++) {
		filter = &quotas->rules[r].conf->filters[QUOTA_USERS];
		if (!quota_filter_is_open(filter) && quota_filter_has_user(filter, quotas->cell, user, group))
			return true;
	}
	return false;
}

bool quotas_name_project(const struct quotas *quotas, const char *project)
{
	for (size_t r = 0; r < quotas->nrules; r++)
		if (quota_filter_names(&quotas->rules[r].conf->filters[QUOTA_PROJECTS], project))
			return true;
	return false;
}

bool quotas_count_project(const struct quotas *quotas, const char *project)
{
	const struct quota_filter *filter;

	for (size_t r = 0; r < quotas->nrules; r++) {
		filter = &quotas->rules[r].conf->filters[QUOTA_PROJECTS];
		if (filter->expanded && quota_filter_has(filter, project))
			return true;
	}
	return false;
}

static bool rule_is_for(const struct quotas *quotas, const struct rule *rule, const struct quota_who *who)
{
	const struct quota_filter *filter = rule->conf->filters;

	return quota_filter_has(&filter[QUOTA_PROJECTS], who->project) &&
	       quota_filter_has(&filter[QUOTA_PES], who->pe) &&
	       quota_filter_has_user(&filter[QUOTA_USERS], quotas->cell, who->user, who->group);
}

/* Find the number of a name in keys: 0 if there is no name. */
static int part_number(struct quotas *quotas, const char *name, uint32_t *part)
{
	*part = 0;
	if (!name || !*name)
		return 0;
	if (text_set_add(&quotas->texts, name, part))
		return -ENOMEM;
	++*part;
	return 0;
}

static const char *part_text(const struct quotas *quotas, uint32_t part)
{
	return part ? quotas->texts.texts[part - 1] : "";
}

int quota_view_make(struct quotas *quotas, struct quota_view *view, const struct quota_who *who)
{
	int error;

	quota_view_free(view);
	error = part_number(quotas, who->user, &view->user);
	error = error ? error : part_number(quotas, who->project, &view->project);
	error = error ? error : part_number(quotas, who->pe, &view->pe);
	view->rules = error ? NULL : calloc(quotas->words + 1, sizeof(*view->rules));
	if (!view->rules) {
		quota_view_free(view);
		return -ENOMEM;
	}
	for (size_t r = 0; r < quotas->nrules; r++)
		if (rule_is_for(quotas, &quotas->rules[r], who))
			bit_set(view->rules, r);
	return 0;
}

int quota_view_none(const struct quotas *quotas, struct quota_view *view)
{
	quota_view_free(view);
	view->rules = calloc(quotas->words + 1, sizeof(*view->rules));
	return view->rules ? 0 : -ENOMEM;
}

void quota_view_free(struct quota_view *view)
{
	free(view->rules);
	*view = (struct quota_view){ 0 };
}

bool quota_view_is_empty(const struct quotas *quotas, const struct quota_view *view)
{
	size_t w = 0;

	while (w < quotas->words && view->rules[w] == 0)
		w++;
	return w == quotas->words;
}

/* Rules and limits */

/* Return the bits from number `first` on, of the word that begins with bit `base`. */
static inline uint64_t bits_from(size_t first, size_t base)
{
	if (first <= base)
		return ~UINT64_C(0);
	return first - base < WORD_BITS ? ~UINT64_C(0) << (first - base) : 0;
}

size_t quota_rules(const struct quotas *quotas, const struct quota_view *view, uint32_t queue, uint32_t host,
		   uint32_t *hits)
{
	const uint64_t *of_queue = quotas->queues + queue * quotas->words,
		       *of_host = quotas->hosts + host * quotas->words;
	size_t n = 0, next = 0, base = 0, w;
	uint64_t bits;

	for (w = 0; w < quotas->words; w++, base += WORD_BITS) {
		bits = view->rules[w] & of_queue[w] & of_host[w] & bits_from(next, base);
		while (bits) {
			hits[n] = (uint32_t)base + (uint32_t)__builtin_ctzll(bits);
			next = quotas->rules[hits[n++]].end;
			bits &= bits_from(next, base);
		}
	}
	if (quotas->moved)
		quotas_order_hits(quotas, hits, n);
	return n;
}

struct on_host {
	const struct quotas *q;
	uint32_t host;
};

static double host_value(void *context, const char *name, bool *known)
{
	const struct on_host *on = context;

	return on->q->value(on->q->context, on->host, name, known);
}

double quotas_limit_value(struct quotas *quotas, const struct limit *limit, uint32_t host)
{
	struct on_host on = { quotas, host };
	bool known;
	double value;

	if (!limit->by_host)
		return limit->conf->value;
	if (isnan(limit->by_host[host])) {
		value = formula_value(&limit->conf->formula, host_value, &on, &known);
		limit->by_host[host] = known ? value : QUOTA_UNKNOWN;
	}
	return limit->by_host[host];
}

/* Return the key: the values whose filters are in braces. */
static struct quota_key key_of(const struct rule *rule, const struct quota_view *view, uint32_t queue, uint32_t host)
{
	const uint32_t all[QUOTA_KINDS] = { view->user, view->project, view->pe, queue + 1, host + 1 };
	struct quota_key key = { 0 };

	for (int k = 0; k < QUOTA_KINDS; k++)
		if (rule->conf->filters[k].expanded)
			key.part[k] = all[k];
	return key;
}

int quota_limit(struct quotas *quotas, uint32_t rule, const struct quota_view *view, uint32_t queue, uint32_t host,
		size_t k, struct quota_limit_now *limit)
{
	const struct rule *r = &quotas->rules[rule];
	struct quota_key key = key_of(r, view, queue, host);

	if (k >= r->nlimits)
		return -ENOENT;
	key.limit = r->limits + (uint32_t)k;
	limit->complex = quotas->limits[key.limit].complex;
	limit->text = quotas->limits[key.limit].conf->text;
	limit->value = quotas_limit_value(quotas, &quotas->limits[key.limit], host);
	return quota_counts_get(&quotas->counts, &key, &limit->count);
}

/* Texts */

int quota_rule_name(const struct quotas *quotas, uint32_t rule, char *text, size_t size)
{
	const struct rule *r = &quotas->rules[rule];

	if (*r->conf->name)
		return snprintf(text, size, "%s/%s", r->set->name, r->conf->name);
	return snprintf(text, size, "%s/%d", r->set->name, r->conf->number);
}

int quota_key_text(const struct quotas *quotas, uint32_t rule, const struct quota_view *view, uint32_t queue,
		   uint32_t host, char *text, size_t size)
{
	const struct quota_key key = key_of(&quotas->rules[rule], view, queue, host);

	return snprintf(text, size, "%s/%s/%s/%s/%s/", part_text(quotas, key.part[QUOTA_USERS]),
			part_text(quotas, key.part[QUOTA_PROJECTS]), part_text(quotas, key.part[QUOTA_PES]),
			key.part[QUOTA_QUEUES] ? quotas->names.queues[queue] : "",
			key.part[QUOTA_HOSTS] ? quotas->names.hosts[host] : "");
}

/* Reach of a failure */

static bool bit_of(const uint64_t *row, size_t bit)
{
	return row[bit / WORD_BITS] >> bit % WORD_BITS & 1;
}

enum quota_reach quota_reach(const struct quotas *quotas, uint32_t rule, const struct quota_view *view)
{
	const struct rule *r = &quotas->rules[rule];

	if (r->reach == QUOTA_REACH_INSTANCE)
		return r->reach;
	for (uint32_t earlier = r->begin; earlier < rule; earlier++)
		if (bit_of(view->rules, earlier) &&
		    (r->names_queues ? quotas->rules[earlier].names_hosts : quotas->rules[earlier].names_queues))
			return QUOTA_REACH_INSTANCE;
	return r->reach;
}

/*
 * Return whether the rule is the first of its set in a row of bits, counting only rules that apply
 * to the job.
 */
static bool is_first_in(const struct quotas *quotas, uint32_t rule, const struct quota_view *view, const uint64_t *row)
{
	for (uint32_t earlier = quotas->rules[rule].begin; earlier < rule; earlier++)
		if (bit_of(view->rules, earlier) && bit_of(row, earlier))
			return false;
	return bit_of(row, rule);
}

bool quota_puts_out_queue(const struct quotas *quotas, uint32_t rule, const struct quota_view *view, uint32_t queue)
{
	return is_first_in(quotas, rule, view, &quotas->queues[queue * quotas->words]);
}

bool quota_puts_out_host(const struct quotas *quotas, uint32_t rule, const struct quota_view *view, uint32_t host)
{
	return is_first_in(quotas, rule, view, &quotas->hosts[host * quotas->words]);
}

bool quotas_reach_far(const struct quotas *quotas)
{
	return quotas->reach_far;
}
