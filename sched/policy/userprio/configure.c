/* SPDX-License-Identifier: Apache-2.0 */
/* Objects made for a new configuration while another one is active. */
#include <errno.h>
#include <stdlib.h>

#include "sched/policy/userprio/inside.h"

static void texts_drop(struct userprio_cell *cell, struct strings *strings)
{
	for (size_t i = 0; cell->group_texts && i < 3 * cell->conf->ngroups; i++)
		strings_drop(strings, cell->group_texts[i]);
	free(cell->group_texts);
}

void userprio_free(struct userprio_cell *cell, struct strings *strings)
{
	if (!cell)
		return;
	negotiator_free(cell->negotiator);
	texts_drop(cell, strings);
	shown_free(&cell->last, strings);
	before_free(&cell->before, strings);
	cycle_result_free(&cell->result);
	submitters_free(&cell->submitters);
	ad_classes_free(&cell->classes);
	slot_list_free(&cell->slots);
	requests_free(&cell->requests);
	starts_free(cell);
	classad_room_free(&cell->room);
	classad_free(cell->claim_ad);
	free(cell->ends);
	free(cell->freed);
	free(cell->shown);
	free(cell);
}

static int ask(struct userprio_cell *cell)
{
	const struct condor_expression *const expressions[] = {
		&cell->conf->preemption_requirements,
		&cell->conf->preemption_rank,
		&cell->conf->pre_job_rank,
		&cell->conf->post_job_rank,
		&cell->conf->max_retirement_time,
		&cell->conf->max_vacate_time,
		&cell->conf->want_vacate,
		&cell->conf->kill,
		&cell->conf->preempt,
		&cell->conf->start,
		&cell->conf->rank,
	};

	for (size_t i = 0; i < sizeof(expressions) / sizeof(*expressions); i++)
		if (ad_classes_ask(&cell->classes, expressions[i]->program))
			return -ENOMEM;
	return 0;
}

static int texts_hold(struct userprio_cell *cell, struct strings *strings)
{
	cell->group_texts = malloc(3 * cell->conf->ngroups * sizeof(*cell->group_texts));
	if (!cell->group_texts)
		return -ENOMEM;
	for (size_t g = 0; g < cell->conf->ngroups; g++) {
		const struct condor_group *group = &cell->conf->groups[g];

		cell->group_texts[3 * g] = strings_hold(strings, group->quota_by);
		cell->group_texts[3 * g + 1] = strings_hold(strings, group->surplus_by);
		cell->group_texts[3 * g + 2] = strings_hold(strings, group->autoregroup_by);
	}
	return 0;
}

static struct userprio_cell *userprio_make(const struct condor_conf *conf, struct strings *strings)
{
	struct userprio_cell *cell = calloc(1, sizeof(*cell));

	if (!cell)
		return NULL;
	cell->conf = conf;
	ad_classes_create(&cell->classes);
	cell->negotiator = negotiator_create(conf);
	cell->claim_ad = classad_create();
	if (cell->negotiator && cell->claim_ad && ask(cell) == 0 && texts_hold(cell, strings) == 0)
		return cell;
	userprio_free(cell, strings);
	return NULL;
}

static void prepared_drop(struct userprio_policy *policy, struct run *run)
{
	if (policy->prepared)
		accountant_room_free(&policy->prepared->room_for, run->strings);
	userprio_free(policy->prepared, run->strings);
	policy->prepared = NULL;
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
