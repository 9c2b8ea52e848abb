/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "sched/negotiation/cross.h"
#include "sched/negotiation/inside.h"

static const char *const names[MOMENTS] = {
	[MOMENT_REMOTE_USER] = "RemoteUser", [MOMENT_REMOTE_OWNER] = "RemoteOwner",
	[MOMENT_ACCOUNTING_GROUP] = "AccountingGroup",
	[MOMENT_REMOTE_PRIO] = "RemoteUserPrio", [MOMENT_REMOTE_FLOOR] = "RemoteUserFloor",
	[MOMENT_REMOTE_USED] = "RemoteUserResourcesInUse", [MOMENT_REMOTE_GROUP] = "RemoteGroup",
	[MOMENT_REMOTE_GROUP_USED] = "RemoteGroupResourcesInUse", [MOMENT_REMOTE_GROUP_QUOTA] = "RemoteGroupQuota",
	[MOMENT_REMOTE_NEGOTIATING] = "RemoteNegotiatingGroup", [MOMENT_REMOTE_AUTOREGROUP] = "RemoteAutoregroup",
	[MOMENT_CURRENT_RANK] = "CurrentRank", [MOMENT_STATE] = "State", [MOMENT_ENTERED_STATE] = "EnteredCurrentState",
	[MOMENT_ACTIVITY] = "Activity", [MOMENT_ENTERED_ACTIVITY] = "EnteredCurrentActivity",
	[MOMENT_JOB_START] = "JobStart",
	[MOMENT_JOB_RUN_TIME] = "TotalJobRunTime", [MOMENT_CLAIM_RUN_TIME] = "TotalClaimRunTime",
	[MOMENT_CLAIMED_BUSY] = "TotalTimeClaimedBusy",
	[MOMENT_USER_PRIO] = "SubmitterUserPrio", [MOMENT_OLD_PRIO] = "SubmittorPrio",
	[MOMENT_USED] = "SubmitterUserResourcesInUse",
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

int moment_ads_create(struct moment_ads *ads)
{
	const struct classad_value unclaimed = { .type = CLASSAD_STRING, .text = "Unclaimed", .bytes = 9 };
	const struct classad_value idle = { .type = CLASSAD_STRING, .text = "Idle", .bytes = 4 };

	*ads = (struct moment_ads){ .described = NONE };
	ads->free = classad_create();
	ads->claim = classad_create();
	ads->job = classad_create();
	ads->whole = classad_create();
	if (!ads->free || !ads->claim || !ads->job || !ads->whole)
		return -ENOMEM;
	return classad_set_value(ads->free, "State", &unclaimed) || classad_set_value(ads->free, "Activity", &idle)
		       ? -ENOMEM
		       : 0;
}

void moment_ads_free(struct moment_ads *ads)
{
	classad_free(ads->free);
	classad_free(ads->claim);
	classad_free(ads->job);
	classad_free(ads->whole);
	classad_room_free(&ads->room);
	*ads = (struct moment_ads){ 0 };
}

const struct classad *moment_free(struct negotiator *negotiator, uint32_t slot, const struct classad *ad)
{
	if (slot != NONE && negotiator->cross.n > 0)
		cross_set(negotiator, negotiator->moments.free, slot);
	else if (classad_find(ad, "State"))
		return ad;
	classad_set_base(negotiator->moments.free, ad);
	return negotiator->moments.free;
}

struct setting {			/* attributes to which some expression refers */
	struct classad *ad;
	uint32_t wanted;		/* their bits */
	int rc;
};

static void set_value(struct setting *setting, enum moment which, struct classad_value value)
{
	if ((setting->wanted & 1u << which) && classad_set_value(setting->ad, names[which], &value) < 0)
		setting->rc = -ENOMEM;
}

static void set_real(struct setting *setting, enum moment which, double real)
{
	set_value(setting, which, (struct classad_value){ .type = CLASSAD_REAL, .real = real });
}

static void set_text(struct setting *setting, enum moment which, const char *text, size_t bytes)
{
	if (text)
		set_value(setting, which,
			  (struct classad_value){ .type = CLASSAD_STRING, .text = text, .bytes = bytes });
	else
		classad_unset(setting->ad, names[which]);
}

static void set_name(struct setting *setting, enum moment which, const char *text)
{
	set_text(setting, which, text, text ? strlen(text) : 0);
}

/* Return whether the ad has priority: its claim was reported, or the time is unknown. */
static bool ad_decides(const struct slot *slot, enum moment which, bool is_known)
{
	return !is_known || (slot->claim_is_reported && slot->ad && classad_find(slot->ad, names[which]));
}

static void set_time(struct setting *setting, const struct slot *slot, enum moment which, int64_t time)
{
	if (ad_decides(slot, which, time > 0))
		classad_unset(setting->ad, names[which]);
	else
		set_value(setting, which, (struct classad_value){ .type = CLASSAD_INT, .integer = time });
}

/* Set the seconds from `since` to now. */
static void set_duration(struct setting *setting, const struct slot *slot, enum moment which, int64_t since,
			 int64_t now)
{
	if (ad_decides(slot, which, since > 0))
		classad_unset(setting->ad, names[which]);
	else
		set_value(setting, which,
			  (struct classad_value){ .type = CLASSAD_INT, .integer = now > since ? now - since : 0 });
}

static void set_activity(struct setting *setting, const struct slot *slot)
{
	if (ad_decides(slot, MOMENT_ACTIVITY, true))
		classad_unset(setting->ad, names[MOMENT_ACTIVITY]);
	else
		set_name(setting, MOMENT_ACTIVITY,
			 slot->state == SLOT_PREEMPTING ? "Vacating"
			 : slot->suspended		? "Suspended"
							: "Busy");
}

int moment_describe_claim(struct classad *ad, const struct slot *slot, const char *user, int64_t now, uint32_t wanted)
{
	struct setting setting = { .ad = ad, .wanted = wanted };
	const char *at = strrchr(user, '@');

	set_name(&setting, MOMENT_REMOTE_USER, user);
	set_text(&setting, MOMENT_REMOTE_OWNER, user, at ? (size_t)(at - user) : strlen(user));
	set_name(&setting, MOMENT_ACCOUNTING_GROUP, user);
	set_real(&setting, MOMENT_CURRENT_RANK, slot->current_rank);
	set_name(&setting, MOMENT_STATE, slot->state == SLOT_PREEMPTING ? "Preempting" : "Claimed");
	if (!(wanted & MOMENTS_OF_TIME))
		return setting.rc;
	set_activity(&setting, slot);
	set_time(&setting, slot, MOMENT_ENTERED_STATE, slot->since);
	/* the time when a job was suspended is unknown */
	set_time(&setting, slot, MOMENT_ENTERED_ACTIVITY, slot->suspended ? 0 : slot->job_start);
	set_time(&setting, slot, MOMENT_JOB_START, slot->job_start);
	set_duration(&setting, slot, MOMENT_JOB_RUN_TIME, slot->job_start, now);
	set_duration(&setting, slot, MOMENT_CLAIM_RUN_TIME, slot->since, now);
	set_duration(&setting, slot, MOMENT_CLAIMED_BUSY, slot->since, now);
	return setting.rc;
}

static void set_group(struct setting *setting, const struct negotiator *negotiator, const struct slot *slot,
		      uint32_t group)
{
	const struct condor_conf *conf = negotiator->conf;
	bool known = slot->negotiating_group < conf->ngroups;

	if (conf->ngroups < 2)
		return;
	set_name(setting, MOMENT_REMOTE_GROUP, conf->groups[group].name);
	set_real(setting, MOMENT_REMOTE_GROUP_USED, negotiator->customers->items[group].weight_used);
	set_real(setting, MOMENT_REMOTE_GROUP_QUOTA, negotiator->quotas[group].quota);
	set_name(setting, MOMENT_REMOTE_NEGOTIATING, known ? conf->groups[slot->negotiating_group].name : NULL);
	if (known)
		set_value(setting, MOMENT_REMOTE_AUTOREGROUP,
			  (struct classad_value){ .type = CLASSAD_BOOL, .truth = slot->autoregroup });
	else
		classad_unset(setting->ad, names[MOMENT_REMOTE_AUTOREGROUP]);
}

const struct classad *moment_claim(struct negotiator *negotiator, uint32_t which)
{
	const struct slot *slot = &negotiator->slots[which];
	uint32_t customer = slot_customer(slot);
	const struct customer *c = &negotiator->customers->items[customer];
	struct setting setting = { .ad = negotiator->moments.claim, .wanted = negotiator->interest.moments };

	classad_set_base(setting.ad, slot->ad);
	if (negotiator->moments.described == which)
		return setting.ad;
	setting.rc = moment_describe_claim(setting.ad, slot, negotiator->in->names[customer], negotiator->in->now,
					   setting.wanted);
	set_real(&setting, MOMENT_REMOTE_PRIO, (float)customer_eup(c));
	set_value(&setting, MOMENT_REMOTE_FLOOR,
		  (struct classad_value){ .type = CLASSAD_INT, .integer = c->floor > 0 ? c->floor : 0 });
	set_real(&setting, MOMENT_REMOTE_USED, c->weight_used);
	set_group(&setting, negotiator, slot, customer_group(negotiator->customers, customer));
	if (negotiator->interest.moments & 1u << MOMENT_OTHER_SLOTS)
		cross_set(negotiator, setting.ad, which);
	negotiator->moments.described = negotiator->interest.moments & MOMENTS_OF_USE ? NONE : which;
	negotiator->rc = setting.rc ? setting.rc : negotiator->rc;
	return setting.ad;
}

void moment_submitter(struct negotiator *negotiator, const struct submitter_visit *visit)
{
	uint32_t customer = negotiator->in->submitters[visit->submitter].customer,
		 group = customer_group(negotiator->customers, customer);
	const struct customer *c = &negotiator->customers->items[customer];
	struct setting setting = { .ad = negotiator->moments.job, .wanted = negotiator->interest.moments };

	if (!(negotiator->interest.moments & MOMENTS_OF_JOBS))
		return;
	set_real(&setting, MOMENT_USER_PRIO, customer_eup(c));
	set_real(&setting, MOMENT_OLD_PRIO, customer_eup(c));
	set_real(&setting, MOMENT_USED, c->weight_used);
	if (negotiator->conf->ngroups >= 2) {
		set_name(&setting, MOMENT_GROUP, negotiator->conf->groups[group].name);
		set_real(&setting, MOMENT_GROUP_USED, negotiator->customers->items[group].weight_used);
		set_real(&setting, MOMENT_GROUP_QUOTA, negotiator->quotas[group].quota);
		set_name(&setting, MOMENT_NEGOTIATING, negotiator->conf->groups[visit->group].name);
		set_value(&setting, MOMENT_AUTOREGROUP,
			  (struct classad_value){ .type = CLASSAD_BOOL, .truth = visit->autoregroup });
	}
	negotiator->rc = setting.rc ? setting.rc : negotiator->rc;
}

const struct classad *moment_job(struct negotiator *negotiator, const struct classad *ad)
{
	if (!(negotiator->interest.moments & MOMENTS_OF_JOBS))
		return ad;
	classad_set_base(negotiator->moments.job, ad);
	return negotiator->moments.job;
}
