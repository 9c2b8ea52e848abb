/* SPDX-License-Identifier: Apache-2.0 */
/* What is made for a cell, beside what is in force. */
#include <errno.h>
#include <stdlib.h>

#include "sched/policy/userprio/inside.h"

static void texts_drop(struct userprio_cell *u, struct strings *strings)
{
	for (size_t i = 0; u->group_texts && i < 3 * u->conf->ngroups; i++)
		strings_drop(strings, u->group_texts[i]);
	free(u->group_texts);
}

void userprio_free(struct userprio_cell *u, struct strings *strings)
{
	if (!u)
		return;
	negotiator_free(u->negotiator);
	texts_drop(u, strings);
	shown_free(&u->last, strings);
	before_free(&u->before, strings);
	cycle_result_free(&u->result);
	submitters_free(&u->submitters);
	ad_classes_free(&u->classes);
	slot_list_free(&u->slots);
	requests_free(&u->requests);
	starts_free(u);
	classad_room_free(&u->room);
	classad_free(u->claim_ad);
	free(u->ends);
	free(u->freed);
	free(u->shown);
	free(u);
}

static int ask(struct userprio_cell *u)
{
	const struct condor_expression *const expressions[] = {
		&u->conf->preemption_requirements, &u->conf->preemption_rank, &u->conf->pre_job_rank, &u->conf->post_job_rank,
		&u->conf->max_retirement_time, &u->conf->max_vacate_time, &u->conf->want_vacate, &u->conf->kill, &u->conf->preempt,
		&u->conf->start, &u->conf->rank,
	};

	for (size_t i = 0; i < sizeof(expressions) / sizeof(*expressions); i++)
		if (ad_classes_ask(&u->classes, expressions[i]->program))
			return -ENOMEM;
	return 0;
}

static int texts_hold(struct userprio_cell *u, struct strings *strings)
{
	u->group_texts = malloc(3 * u->conf->ngroups * sizeof(*u->group_texts));
	if (!u->group_texts)
		return -ENOMEM;
	for (size_t g = 0; g < u->conf->ngroups; g++) {
		const struct condor_group *group = &u->conf->groups[g];

		u->group_texts[3 * g] = strings_hold(strings, group->quota_by);
		u->group_texts[3 * g + 1] = strings_hold(strings, group->surplus_by);
		u->group_texts[3 * g + 2] = strings_hold(strings, group->autoregroup_by);
	}
	return 0;
}

static struct userprio_cell *userprio_make(const struct condor_conf *conf, struct strings *strings)
{
	struct userprio_cell *u = calloc(1, sizeof(*u));

	if (!u)
		return NULL;
	u->conf = conf;
	ad_classes_create(&u->classes);
	u->negotiator = negotiator_create(conf);
	u->claim_ad = classad_create();
	if (u->negotiator && u->claim_ad && ask(u) == 0 && texts_hold(u, strings) == 0)
		return u;
	userprio_free(u, strings);
	return NULL;
}

static void prepared_drop(struct userprio_policy *p, struct run *run)
{
	if (p->prepared)
		accountant_room_free(&p->prepared->room_for, run->strings);
	userprio_free(p->prepared, run->strings);
	p->prepared = NULL;
}

int userprio_prepare(struct policy *policy, struct run *run, const struct cell *cell)
{
	struct userprio_policy *p = (struct userprio_policy *)policy;

	prepared_drop(p, run);
	if (!cell)
		return 0;
	p->prepared = userprio_make(&cell->condor, run->strings);
	if (p->prepared && accountant_prepare(&p->accountant, run->strings, &cell->condor, &p->prepared->room_for) == 0)
		return 0;
	prepared_drop(p, run);
	return -ENOMEM;
}

void userprio_replace(struct policy *policy, struct run *run, const struct cell *cell)
{
	struct userprio_policy *p = (struct userprio_policy *)policy;
	struct accountant_room *room = p->prepared ? &p->prepared->room_for : NULL;

	userprio_free(p->in_force, run->strings);
	p->in_force = NULL;
	p->conf = NULL;
	if (!cell)
		return;
	accountant_replace(&p->accountant, run->strings, &cell->condor, room);
	winners_follow(p, room->moved);
	accountant_room_free(room, run->strings);
	p->in_force = p->prepared;
	p->prepared = NULL;
	p->conf = &cell->condor;
	p->in_force->wanted = true;
}
