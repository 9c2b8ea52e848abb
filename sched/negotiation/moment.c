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
	[MOMENT_ACTIVITY] = "Activity", [MOMENT_ENTERED_ACTIVITY] = "EnteredCurrentActivity", [MOMENT_JOB_START] = "JobStart",
	[MOMENT_JOB_RUN_TIME] = "TotalJobRunTime", [MOMENT_CLAIM_RUN_TIME] = "TotalClaimRunTime",
	[MOMENT_CLAIMED_BUSY] = "TotalTimeClaimedBusy",
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
	const struct classad_value unclaimed = { .type = CLASSAD_STRING, .text = "Unclaimed", .bytes = 9 };
	const struct classad_value idle = { .type = CLASSAD_STRING, .text = "Idle", .bytes = 4 };

	*m = (struct moment_ads){ .described = NONE };
	m->free = classad_create();
	m->claim = classad_create();
	m->job = classad_create();
	m->whole = classad_create();
	if (!m->free || !m->claim || !m->job || !m->whole)
		return -ENOMEM;
	return classad_set_value(m->free, "State", &unclaimed) || classad_set_value(m->free, "Activity", &idle) ? -ENOMEM : 0;
}

void moment_ads_free(struct moment_ads *m)
{
	classad_free(m->free);
	classad_free(m->claim);
	classad_free(m->job);
	classad_free(m->whole);
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

struct setting {			/* of attributes that some expression refers to */
	struct classad *ad;
	uint32_t wanted;		/* their bits */
	int rc;
};

static void set_value(struct setting *s, enum moment which, struct classad_value value)
{
	if ((s->wanted & 1u << which) && classad_set_value(s->ad, names[which], &value) < 0)
		s->rc = -ENOMEM;
}

static void set_real(struct setting *s, enum moment which, double real)
{
	set_value(s, which, (struct classad_value){ .type = CLASSAD_REAL, .real = real });
}

static void set_text(struct setting *s, enum moment which, const char *text, size_t bytes)
{
	if (text)
		set_value(s, which, (struct classad_value){ .type = CLASSAD_STRING, .text = text, .bytes = bytes });
	else
		classad_unset(s->ad, names[which]);
}

static void set_name(struct setting *s, enum moment which, const char *text)
{
	set_text(s, which, text, text ? strlen(text) : 0);
}

/* What the ad of a slot says of a claim that was reported with it counts; so it does where the time is unknown. */
static bool ad_decides(const struct slot *slot, enum moment which, bool is_known)
{
	return !is_known || (slot->claim_is_reported && slot->ad && classad_find(slot->ad, names[which]));
}

static void set_time(struct setting *s, const struct slot *slot, enum moment which, int64_t time)
{
	if (ad_decides(slot, which, time > 0))
		classad_unset(s->ad, names[which]);
	else
		set_value(s, which, (struct classad_value){ .type = CLASSAD_INT, .integer = time });
}

/* Seconds from then to now. */
static void set_duration(struct setting *s, const struct slot *slot, enum moment which, int64_t since, int64_t now)
{
	if (ad_decides(slot, which, since > 0))
		classad_unset(s->ad, names[which]);
	else
		set_value(s, which, (struct classad_value){ .type = CLASSAD_INT, .integer = now > since ? now - since : 0 });
}

static void set_activity(struct setting *s, const struct slot *slot)
{
	if (ad_decides(slot, MOMENT_ACTIVITY, true))
		classad_unset(s->ad, names[MOMENT_ACTIVITY]);
	else
		set_name(s, MOMENT_ACTIVITY, slot->state == SLOT_PREEMPTING ? "Vacating" : slot->suspended ? "Suspended" : "Busy");
}

int moment_describe_claim(struct classad *ad, const struct slot *slot, const char *user, int64_t now, uint32_t wanted)
{
	struct setting s = { .ad = ad, .wanted = wanted };
	const char *at = strrchr(user, '@');

	set_name(&s, MOMENT_REMOTE_USER, user);
	set_text(&s, MOMENT_REMOTE_OWNER, user, at ? (size_t)(at - user) : strlen(user));
	set_name(&s, MOMENT_ACCOUNTING_GROUP, user);
	set_real(&s, MOMENT_CURRENT_RANK, slot->current_rank);
	set_name(&s, MOMENT_STATE, slot->state == SLOT_PREEMPTING ? "Preempting" : "Claimed");
	if (!(wanted & MOMENTS_OF_TIME))
		return s.rc;
	set_activity(&s, slot);
	set_time(&s, slot, MOMENT_ENTERED_STATE, slot->since);
	/* since when a job is suspended is not known */
	set_time(&s, slot, MOMENT_ENTERED_ACTIVITY, slot->suspended ? 0 : slot->job_start);
	set_time(&s, slot, MOMENT_JOB_START, slot->job_start);
	set_duration(&s, slot, MOMENT_JOB_RUN_TIME, slot->job_start, now);
	set_duration(&s, slot, MOMENT_CLAIM_RUN_TIME, slot->since, now);
	set_duration(&s, slot, MOMENT_CLAIMED_BUSY, slot->since, now);
	return s.rc;
}

static void set_group(struct setting *s, const struct negotiator *n, const struct slot *slot, uint32_t group)
{
	const struct condor_conf *conf = n->conf;
	bool known = slot->negotiating_group < conf->ngroups;

	if (conf->ngroups < 2)
		return;
	set_name(s, MOMENT_REMOTE_GROUP, conf->groups[group].name);
	set_real(s, MOMENT_REMOTE_GROUP_USED, n->customers->items[group].weight_used);
	set_real(s, MOMENT_REMOTE_GROUP_QUOTA, n->quotas[group].quota);
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
	const struct customer *c = &n->customers->items[customer];
	struct setting s = { .ad = n->moments.claim, .wanted = n->interest.moments };

	classad_put_behind(s.ad, slot->ad);
	if (n->moments.described == which)
		return s.ad;
	s.rc = moment_describe_claim(s.ad, slot, n->in->names[customer], n->in->now, s.wanted);
	set_real(&s, MOMENT_REMOTE_PRIO, (float)customer_eup(c));
	set_value(&s, MOMENT_REMOTE_FLOOR, (struct classad_value){ .type = CLASSAD_INT, .integer = c->floor > 0 ? c->floor : 0 });
	set_real(&s, MOMENT_REMOTE_USED, c->weight_used);
	set_group(&s, n, slot, customer_group(n->customers, customer));
	if (n->interest.moments & 1u << MOMENT_OTHER_SLOTS)
		cross_set(n, s.ad, which);
	n->moments.described = n->interest.moments & MOMENTS_OF_USE ? NONE : which;
	n->rc = s.rc ? s.rc : n->rc;
	return s.ad;
}

void moment_submitter(struct negotiator *n, const struct submitter_visit *v)
{
	uint32_t customer = n->in->submitters[v->submitter].customer, group = customer_group(n->customers, customer);
	const struct customer *c = &n->customers->items[customer];
	struct setting s = { .ad = n->moments.job, .wanted = n->interest.moments };

	if (!(n->interest.moments & MOMENTS_OF_JOBS))
		return;
	set_real(&s, MOMENT_USER_PRIO, customer_eup(c));
	set_real(&s, MOMENT_OLD_PRIO, customer_eup(c));
	set_real(&s, MOMENT_USED, c->weight_used);
	if (n->conf->ngroups >= 2) {
		set_name(&s, MOMENT_GROUP, n->conf->groups[group].name);
		set_real(&s, MOMENT_GROUP_USED, n->customers->items[group].weight_used);
		set_real(&s, MOMENT_GROUP_QUOTA, n->quotas[group].quota);
		set_name(&s, MOMENT_NEGOTIATING, n->conf->groups[v->group].name);
		set_value(&s, MOMENT_AUTOREGROUP, (struct classad_value){ .type = CLASSAD_BOOL, .truth = v->autoregroup });
	}
	n->rc = s.rc ? s.rc : n->rc;
}

const struct classad *moment_job(struct negotiator *n, const struct classad *ad)
{
	if (!(n->interest.moments & MOMENTS_OF_JOBS))
		return ad;
	classad_put_behind(n->moments.job, ad);
	return n->moments.job;
}
