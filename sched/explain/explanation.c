/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/explain/explanation.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/detach.h"
#include "sched/explain/inside.h"
#include "sched/reader/handle.h"
#include "sched/run/records_state.h"

/* The explainer */

/* As the run shows itself. */
static const struct explained_policy *policy_of(const struct fl_view *view)
{
	struct fl_multifactor multifactor;
	struct fl_negotiation negotiation;

	if (fl_multifactor(view, &multifactor) == 0)
		return &multifactor_explained;
	return fl_negotiation(view, &negotiation) == 0 ? &userprio_explained : &gridengine_explained;
}

static int run_again(struct explainer *e, struct error *error)
{
	const struct state_head *head = view_state(&e->view->view);
	struct fl_run run;
	int rc;

	e->last_order = head ? LOAD_ONCE(head->last_order) : 0;
	fl_run(e->view, &run);
	e->sched->run.scratch.witness = &e->witness;
	sched_publishes(e->sched, false);
	rc = sched_run(e->sched, run.now, run.event, error);
	if (rc == 0 && (e->witness.override.lost || e->witness.functional.lost))
		rc = error_set(error, -ENOMEM, "out of memory");
	return rc;
}

static int begin(struct explainer *e, struct error *error)
{
	static const struct detach_options options;
	int rc = 0;

	e->policy = policy_of(e->view);
	if (e->policy->looks_inside)
		rc = sched_detach(&e->sched, &e->view->view, &options, error);
	if (rc == 0 && e->sched)
		rc = run_again(e, error);
	if (rc)
		return rc;
	rc = e->policy->begin ? e->policy->begin(e) : 0;
	return rc ? error_set(error, rc, "out of memory") : 0;
}

int explainer_create(struct explainer **e, const struct fl_view *view, struct error *error)
{
	int rc;

	*e = calloc(1, sizeof(**e));
	if (!*e)
		return error_set(error, -ENOMEM, "out of memory");
	(*e)->view = view;
	rc = begin(*e, error);
	if (rc) {
		explainer_destroy(*e);
		*e = NULL;
	}
	return rc;
}

void explainer_destroy(struct explainer *e)
{
	if (!e)
		return;
	if (e->policy && e->policy->end)
		e->policy->end(e);
	else
		free(e->own);
	sched_destroy(e->sched);
	free(e->witness.override.tasks);
	free(e->witness.functional.tasks);
	free(e);
}

struct sched *explainer_sched(const struct explainer *e)
{
	return e->sched;
}

/* Which row is meant */

static bool range_has(const struct fl_range *range, uint32_t id)
{
	struct fl_range r = *range;

	return r.step > 0 && id >= r.min && id <= r.max && (id - r.min) % r.step == 0;
}

static bool is_waiting(const struct fl_job *job, uint32_t task)
{
	if (job->nranges == 0)
		return task == job->task;
	for (size_t i = 0; i < job->nranges; i++)
		if (range_has(&job->tasks[i], task))
			return true;
	return false;
}

/* The one with this task; without one, the row of those that wait is the last one. */
static int row_of(const struct fl_view *view, uint32_t number, uint32_t task, struct explanation *x)
{
	struct fl_job job;
	bool any = false;

	for (size_t k = 0; fl_find(view, number, k, &job) == 0; k++) {
		if (task == 0 ? any && job.is_started : job.is_started ? job.task != task : !is_waiting(&job, task))
			continue;
		x->job = job;
		any = true;
	}
	if (!any)
		return -ENOENT;
	x->is_hidden = task != 0 && x->job.task != task;
	x->job.task = task != 0 ? task : x->job.task;
	return 0;
}

/* What was derived is what was published. */

/* False: it is none of fl_job's. */
static bool published_value(const struct fl_job *job, const char *name, double *value)
{
	const struct { const char *name; double value; } values[] = {
		{ "prio", job->prio }, { "nurg", job->nurg }, { "ntckts", job->ntckts }, { "npprior", job->npprior }, { "urg", job->urg },
		{ "rrcontr", job->rrcontr }, { "wtcontr", job->wtcontr }, { "dlcontr", job->dlcontr }, { "tckts", job->tckts },
		{ "otckt", job->otckt }, { "ftckt", job->ftckt }, { "stckt", job->stckt }, { "share", job->share },
	};

	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
		if (strcmp(values[i].name, name) == 0) {
			*value = values[i].value;
			return true;
		}
	return false;
}

static int compare(const struct explanation *x, struct error *error)
{
	uint32_t wrong = derivation_check(&x->derivation);

	if (wrong != DERIVED_NONE)
		return error_set(error, -EPROTO, "job %u: %.80s does not follow from the lines above it", x->job.job_number,
				 x->derivation.lines[wrong].name);
	for (size_t i = 0; x->is_shown && i < x->nvalues; i++) {
		double derived = derived_value(&x->derivation, x->values[i].line), published;

		if (published_value(&x->job, x->values[i].name, &published) && derived != published)
			return error_set(error, -EPROTO, "job %u: %s is derived as %.17g, and published as %.17g", x->job.job_number,
					 x->values[i].name, derived, published);
	}
	return 0;
}

int explain_job(struct explainer *e, uint32_t job_number, uint32_t task, struct explanation *x, struct error *error)
{
	int rc;

	*x = (struct explanation){ .policy = e->policy->name, .prio = DERIVED_NONE, .why = "", .note = "", .is_shown = true,
				   .sum = DERIVED_NONE, .is_sum = true };
	rc = row_of(e->view, job_number, task, x);
	if (rc)
		return task ? error_set(error, rc, "job %u has no task %u that waits or runs", job_number, task) :
			      error_set(error, rc, "job %u does not exist", job_number);
	rc = e->policy->explain(e, x);
	if (rc)
		return error_set(error, rc, "job %u: %s", job_number, rc == -ENOMEM ? "out of memory" : "it is not in the run as made again");
	return compare(x, error);
}

void explanation_free(struct explanation *x)
{
	for (size_t i = 0; i < x->nsections; i++) {
		free(x->sections[i].rows);
		free(x->sections[i].notes);
	}
	free(x->sections);
	free(x->terms);
	free(x->values);
	derivation_free(&x->derivation);
	*x = (struct explanation){ .prio = DERIVED_NONE, .sum = DERIVED_NONE };
}
