/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/json/unknowns.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "conf/base/utf8.h"
#include "sched/policy/policies.h"
#include "sched/process/log.h"
#include "sched/qmaster/members/named.h"

#define KNOWN_MOST 4096			/* names remembered for each member; a cell has far fewer */
#define KNOWN_BYTES 256			/* longer names are looked up each time */

/* Names of the cell */

/* Check a name, unless it was found before. A name that is found is remembered. */
static int name_check(struct text_set *known, const struct cell *cell, const char *member, const char *text,
		      struct error *error)
{
	struct named_fault fault;
	uint32_t number;
	int rc;

	if (!text || !*text || text_set_find(known, text) != INDEX_NONE)
		return 0;
	rc = named_check(cell, member, text, &fault);
	if (rc)
		return error_set(error, rc, "%s: %s", member, fault.error.text);
	if (known->n == KNOWN_MOST)
		text_set_clear(known);
	if (strlen(text) < KNOWN_BYTES)
		/* Out of memory: it will be looked up again. */
		(void)text_set_add(known, text, &number);
	return 0;
}

static int job_check(struct unknowns *unknowns, const struct cell *cell, const struct job_spec *job,
		     struct error *error)
{
	const struct {
		const char *member, *text;
	} named[UNKNOWNS_MEMBERS] = {
		{ "hard_resource_list", job->hard },
		{ "soft_resource_list", job->soft },
		{ "hard_queue_list", job->hard_queues },
		{ "soft_queue_list", job->soft_queues },
		{ "master_queue_list", job->master_queues },
		{ "pe", job->pe },
		{ "checkpoint", job->ckpt },
		{ "project", job->project },
	};
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < UNKNOWNS_MEMBERS; i++)
		rc = name_check(&unknowns->known[i], cell, named[i].member, named[i].text, error);
	return rc;
}

/* Check the queue name of an instance, if the cell has a file for each queue. */
static int instance_check(const struct cell *cell, const char *instance, struct error *error)
{
	char queue[NAME_BYTES + 1];

	snprintf(queue, sizeof(queue), "%.*s", (int)strcspn(instance, "@"), instance);
	return !cell->nqueues || cell_queue(cell, queue)
		       ? 0
		       : error_set(error, -EINVAL, "queue: the cell has no queue \"%.80s\"", queue);
}

/*
 * Check the names in an event. The policies of Slurm and HTCondor use other names and report
 * unknown ones themselves. Nothing is checked if `algorithm` names another scheduler.
 */
static int names_check(struct unknowns *unknowns, const struct cell *cell, const struct event *event,
		       struct error *error)
{
	const struct policy_kind *policy = policies_find(cell->sched.algorithm);

	if (!policy || policy->requests != REQUESTS_GRIDENGINE)
		return 0;
	switch (event->type) {
	case EVENT_JOB_ADD:
	case EVENT_JOB_MODIFY:
		return job_check(unknowns, cell, &event->job, error);
	case EVENT_QUEUE_INSTANCE:
		return instance_check(cell, event->instance.queue, error);
	default:
		return 0;
	}
}

/* Logging */

static void unknown_log(struct unknowns *unknowns, const char *event, const char *text)
{
	struct error line;
	uint32_t number;

	error_set(&line, 0, "%s: %s", event, text);
	utf8_clean(line.text);
	if (unknowns->logged.n > UNKNOWNS_LOGGED || text_set_find(&unknowns->logged, line.text) != INDEX_NONE ||
	    text_set_add(&unknowns->logged, line.text, &number))
		return;
	if (unknowns->logged.n <= UNKNOWNS_LOGGED)
		log_line(LOG_ODD, "%s; the event is accepted, and this is logged once (--strict refuses such events)",
			 line.text);
	else
		log_line(LOG_ODD,
			 "more than %d different unknown names in events; further ones are only counted",
			 UNKNOWNS_LOGGED);
}

static int member_unknown(const struct event_form *form, const char *name, struct error *error)
{
	const char *nearest = event_nearest_member(form, name);

	return error_set(error, -EINVAL, "\"%.60s\" is not one of its members%s%s%s", name,
			 nearest ? "; did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : "");
}

int unknowns_check(struct unknowns *unknowns, const struct cell *cell, const struct event_form *form,
		   const struct taking *taking, const struct event *event, struct error *error)
{
	struct error why;
	int rc = 0;

	if (taking->unknown)
		rc = member_unknown(form, taking->unknown, &why);
	else
		rc = names_check(unknowns, cell, event, &why);
	if (rc == 0 || rc == -ENOMEM)
		return 0;
	unknowns->count++;
	if (unknowns->strict)
		return error_set(error, -EINVAL, "%s", why.text);
	unknown_log(unknowns, form->name, why.text);
	return 0;
}

void unknowns_forget(struct unknowns *unknowns)
{
	for (size_t i = 0; i < UNKNOWNS_MEMBERS; i++)
		text_set_clear(&unknowns->known[i]);
}

void unknowns_free(struct unknowns *unknowns)
{
	text_set_free(&unknowns->logged);
	for (size_t i = 0; i < UNKNOWNS_MEMBERS; i++)
		text_set_free(&unknowns->known[i]);
}
