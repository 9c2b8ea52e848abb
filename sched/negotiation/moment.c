/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "sched/negotiation/cross.h"
#include "sched/negotiation/inside.h"

static const char *const names[MOMENTS] = {
	[MOMENT_REMOTE_USER] = "RemoteUser", [MOMENT_REMOTE_OWNER] = "RemoteOwner", [MOMENT_ACCOUNTING_GROUP] = "AccountingGroup",
	[MOMENT_REMOTE_PRIO] = "RemoteUserPrio", [MOMENT_REMOTE_FLOOR] = "RemoteUserFloor",
	[MOMENT_REMOTE_USED] = "RemoteUserResourcesInUse", [MOMENT_REMOTE_GROUP] = "RemoteGroup",
	[MOMENT_REMOTE_GROUP_USED] = "RemoteGroupResourcesInUse", [MOMENT_REMOTE_GROUP_QUOTA] = "RemoteGroupQuota",
	[MOMENT_REMOTE_NEGOTIATING] = "RemoteNegotiatingGroup", [MOMENT_REMOTE_AUTOREGROUP] = "RemoteAutoregroup",
	[MOMENT_CURRENT_RANK] = "CurrentRank", [MOMENT_STATE] = "State", [MOMENT_ENTERED_STATE] = "EnteredCurrentState",
	[MOMENT_JOB_RUN_TIME] = "TotalJobRunTime",
	[MOMENT_USER_PRIO] = "SubmitterUserPrio", [MOMENT_OLD_PRIO] = "SubmittorPrio", [MOMENT_USED] = "SubmitterUserResourcesInUse",
	[MOMENT_GROUP] = "SubmitterGroup", [MOMENT_GROUP_USED] = "SubmitterGroupResourcesInUse",
	[MOMENT_GROUP_QUOTA] = "SubmitterGroupQuota", [MOMENT_NEGOTIATING] = "SubmitterNegotiatingGroup",
	[MOMENT_AUTOREGROUP] = "SubmitterAutoregroup",
};

uint32_t moment_of(const char *name)
{
	for (unsigned i = 0; i < MOMENTS; i++)
		if (names[i] && strcasecmp(name, names[i]) == 0)
			return 1u << i;
	return cross_name(name, NULL, NULL) ? 1u << MOMENT_OTHER_SLOTS : 0;
}

int moment_ads_create(struct moment_ads *m)
{
	struct classad_value unclaimed = { .type = CLASSAD_STRING, .text = "Unclaimed", .bytes = 9 };

	*m = (struct moment_ads){ .described = NONE };
	m->free = classad_create();
	m->claim = classad_create();
	m->job = classad_create();
	if (!m->free || !m->claim || !m->job)
		return -ENOMEM;
	return classad_set_value(m->free, "State", &unclaimed);
}

void moment_ads_free(struct moment_ads *m)
{
	classad_free(m->free);
	classad_free(m->claim);
	classad_free(m->job);
	classad_room_free(&m->room);
	*m = (struct moment_ads){ 0 };
}

const struct classad *moment_free(struct negotiator *n, uint32_t slot, const struct classad *ad)
{
	if (slot != NONE && n->cross.n > 0)
		cross_set(n, n->moments.free, slot);
	else if (classad_find(ad, "State"))
		return ad;
	classad_put_behind(n->moments.free, ad);
	return n->moments.free;
}

struct setting {			/* of attributes that somebody refers to */
	struct negotiator *n;
	struct classad *ad;
};

static void set_value(const struct setting *s, enum moment which, struct classad_value value)
{
	if (!(s->n->interest.moments & 1u << which))
		return;
	if (classad_set_value(s->ad, names[which], &value) < 0)
		s->n->rc = -ENOMEM;
}

static void set_real(const struct setting *s, enum moment which, double real)
{
	set_value(s, which, (struct classad_value){ .type = CLASSAD_REAL, .real = real });
}

static void set_text(const struct setting *s, enum moment which, const char *text, size_t bytes)
{
	if (text)
		set_value(s, which, (struct classad_value){ .type = CLASSAD_STRING, .text = text, .bytes = bytes });
	else
		classad_unset(s->ad, names[which]);
}

static void set_name(const struct setting *s, enum moment which, const char *text)
{
	set_text(s, which, text, text ? strlen(text) : 0);
}

static void set_times(const struct setting *s, const struct slot *slot)
{
	int64_t now = s->n->in->now;

	if (slot->since > 0) {
		set_value(s, MOMENT_ENTERED_STATE, (struct classad_value){ .type = CLASSAD_INT, .integer = slot->since });
		set_value(s, MOMENT_JOB_RUN_TIME, (struct classad_value){ .type = CLASSAD_INT, .integer = now > slot->since ? now - slot->since : 0 });
	} else {
		classad_unset(s->ad, names[MOMENT_ENTERED_STATE]);
		classad_unset(s->ad, names[MOMENT_JOB_RUN_TIME]);
	}
}

static void set_group(const struct setting *s, const struct slot *slot, uint32_t group)
{
	const struct condor_conf *conf = s->n->conf;
	bool known = slot->negotiating_group < conf->ngroups;

	if (conf->ngroups < 2)
		return;
	set_name(s, MOMENT_REMOTE_GROUP, conf->groups[group].name);
	set_real(s, MOMENT_REMOTE_GROUP_USED, s->n->customers->items[group].weight_used);
	set_real(s, MOMENT_REMOTE_GROUP_QUOTA, s->n->quotas[group].quota);
	set_name(s, MOMENT_REMOTE_NEGOTIATING, known ? conf->groups[slot->negotiating_group].name : NULL);
	if (known)
		set_value(s, MOMENT_REMOTE_AUTOREGROUP, (struct classad_value){ .type = CLASSAD_BOOL, .truth = slot->autoregroup });
	else
		classad_unset(s->ad, names[MOMENT_REMOTE_AUTOREGROUP]);
}

const struct classad *moment_claim(struct negotiator *n, uint32_t which)
{
	const struct slot *slot = &n->slots[which];
	uint32_t customer = slot_customer(slot);
	const char *name = n->in->names[customer], *at = strrchr(name, '@');
	const struct customer *c = &n->customers->items[customer];
	struct setting s = { n, n->moments.claim };

	classad_put_behind(s.ad, slot->ad);
	if (n->moments.described == which)
		return s.ad;
	set_name(&s, MOMENT_REMOTE_USER, name);
	set_text(&s, MOMENT_REMOTE_OWNER, name, at ? (size_t)(at - name) : strlen(name));
	set_name(&s, MOMENT_ACCOUNTING_GROUP, name);
	set_real(&s, MOMENT_REMOTE_PRIO, (float)customer_eup(c));
	set_value(&s, MOMENT_REMOTE_FLOOR, (struct classad_value){ .type = CLASSAD_INT, .integer = c->floor > 0 ? c->floor : 0 });
	set_real(&s, MOMENT_REMOTE_USED, c->weight_used);
	set_real(&s, MOMENT_CURRENT_RANK, slot->current_rank);
	set_name(&s, MOMENT_STATE, slot->state == SLOT_PREEMPTING ? "Preempting" : "Claimed");
	set_group(&s, slot, customer_group(n->customers, customer));
	if (n->interest.moments & (1u << MOMENT_ENTERED_STATE | 1u << MOMENT_JOB_RUN_TIME))
		set_times(&s, slot);
	if (n->interest.moments & 1u << MOMENT_OTHER_SLOTS)
		cross_set(n, s.ad, which);
	n->moments.described = n->interest.moments & MOMENTS_OF_USE ? NONE : which;
	return s.ad;
}

void moment_submitter(struct negotiator *n, const struct submitter_visit *v)
{
	uint32_t customer = n->in->submitters[v->submitter].customer, group = customer_group(n->customers, customer);
	const struct customer *c = &n->customers->items[customer];
	struct setting s = { n, n->moments.job };

	if (!(n->interest.moments & MOMENTS_OF_JOBS))
		return;
	set_real(&s, MOMENT_USER_PRIO, customer_eup(c));
	set_real(&s, MOMENT_OLD_PRIO, customer_eup(c));
	set_real(&s, MOMENT_USED, c->weight_used);
	if (n->conf->ngroups < 2)
		return;
	set_name(&s, MOMENT_GROUP, n->conf->groups[group].name);
	set_real(&s, MOMENT_GROUP_USED, n->customers->items[group].weight_used);
	set_real(&s, MOMENT_GROUP_QUOTA, n->quotas[group].quota);
	set_name(&s, MOMENT_NEGOTIATING, n->conf->groups[v->group].name);
	set_value(&s, MOMENT_AUTOREGROUP, (struct classad_value){ .type = CLASSAD_BOOL, .truth = v->autoregroup });
}

const struct classad *moment_job(struct negotiator *n, const struct classad *ad)
{
	if (!(n->interest.moments & MOMENTS_OF_JOBS))
		return ad;
	classad_put_behind(n->moments.job, ad);
	return n->moments.job;
}
