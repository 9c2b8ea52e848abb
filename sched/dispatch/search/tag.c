/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/dispatch/search/tag.h"

#include "conf/array.h"
#include "sched/dispatch/dispatch.h"
#include "sched/dispatch/search/match.h"

void tags_reset(struct dispatch *d)
{
	d->tag_search++;
	d->ntagged = 0;
}

struct tags tags_hide(struct dispatch *d)
{
	struct tags kept = { d->tag_search, d->ntagged };

	tags_reset(d);
	return kept;
}

void tags_show(struct dispatch *d, struct tags kept)
{
	d->tag_search = kept.search;
	d->ntagged = kept.n;
}

bool tags_matter(const struct search *s)
{
	return s->category->by_name != NULL;
}

bool tag_is_later(const struct dispatch *d, uint32_t instance)
{
	const struct queue_instance *i = &d->cluster.instances[instance];

	return i->tag_search == d->tag_search && i->tag == TAG_LATER;
}

static void tag(struct dispatch *d, uint32_t instance, enum tag tag)
{
	struct queue_instance *i = &d->cluster.instances[instance];

	if (i->tag_search == d->tag_search && i->tag == TAG_NEVER)
		return;
	if (i->tag_search != d->tag_search)
		d->tagged[d->ntagged++] = instance;
	i->tag_search = d->tag_search;
	i->tag = (unsigned char)tag;
}

/* As if nothing were booked. */
static struct search ever(const struct search *s)
{
	struct search search = *s;

	search.later = search.free = search.silent = true;
	return search;
}

static bool fits(struct search *s, const struct resource_request *w, const struct offer *o, uint32_t host)
{
	struct column *column = &s->d->cluster.columns[w->column];

	if (!o->fixed_text || column->complex->consumable == CONSUMABLE_NO)
		return match_fits(s, w, LEVEL_HOST, host);
	if (column->complex->relop == RELOP_EXCL && w->value != 0)
		return o->fixed != 0 && match_booked(s, o->used, o->used_line) == 0 && match_booked(s, o->shared, o->shared_line) == 0;
	return w->value == 0 || match_satisfies(column->complex->relop, w->value, match_left(s, column, o, LEVEL_HOST, host));
}

/* Without bookings in time nobody knows of later but for exclusive use. */
static enum tag request_tag(struct search *s, const struct resource_request *w, const struct offer *o, uint32_t host)
{
	struct search later = ever(s);

	if (fits(s, w, o, host))
		return TAG_NOW;
	if (!s->timed && s->d->cluster.columns[w->column].complex->relop != RELOP_EXCL)
		return TAG_NEVER;
	return fits(&later, w, o, host) ? TAG_LATER : TAG_NEVER;
}

static void tag_all(struct search *s, uint32_t host, enum tag as)
{
	const struct cluster *c = &s->d->cluster;

	for (uint32_t i = c->hosts[host].first_instance; i != UINT32_MAX; i = c->instances[i].next_on_host)
		if (match_master_queue(s, i))
			tag(s->d, i, as);
}

void tag_host(struct search *s, uint32_t host)
{
	const struct category *a = s->category;
	enum tag last = TAG_NOW;

	for (size_t k = 0; k < a->nhard; k++) {
		const struct resource_request *w = a->by_name[k];
		struct column *column = w->column == UINT32_MAX ? NULL : &s->d->cluster.columns[w->column];
		const struct offer *o = column ? column_offer(column, LEVEL_HOST, host) : NULL;
		bool once = column && column->complex->consumable == CONSUMABLE_JOB;

		if (!o || (!o->fixed_text && !o->load_text))
			continue;
		last = request_tag(s, w, o, host);
		if (last == TAG_NEVER && !once)
			return;
		if (last == TAG_NEVER)
			tag_all(s, host, TAG_NEVER);
		if (!once && column->complex->relop != RELOP_EXCL)
			last = TAG_NOW;
	}
	if (last == TAG_LATER)
		tag_all(s, host, TAG_LATER);
}

void tag_instance(struct search *s, uint32_t instance)
{
	struct search later = ever(s);

	if (!match_master_queue(s, instance) || match_once_at(s, instance))
		return;
	tag(s->d, instance, s->timed && match_once_at(&later, instance) ? TAG_LATER : TAG_NEVER);
}
