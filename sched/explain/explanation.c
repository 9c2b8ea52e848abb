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

/* Select the policy by the tables that the run has. */
static const struct explained_policy *policy_of(const struct fl_view *view)
{
	struct fl_multifactor multifactor;
	struct fl_negotiation negotiation;

	if (fl_multifactor(view, &multifactor) == 0)
		return &multifactor_explained;
	return fl_negotiation(view, &negotiation) == 0 ? &userprio_explained : &gridengine_explained;
}

static int run_again(struct explainer *explainer, struct error *error)
{
	const struct state_head *head = view_state(&explainer->view->view);
	struct fl_run run;
	int rc;

	explainer->last_order = head ? LOAD_ONCE(head->last_order) : 0;
	fl_run(explainer->view, &run);
	explainer->sched->run.scratch.witness = &explainer->witness;
	sched_publishes(explainer->sched, false);
	rc = sched_run(explainer->sched, run.now, run.event, error);
	if (rc == 0 && (explainer->witness.override.lost || explainer->witness.functional.lost))
		rc = error_set(error, -ENOMEM, "out of memory");
	return rc;
}

static int begin(struct explainer *explainer, struct error *error)
{
	static const struct detach_options options;
	int rc = 0;

	explainer->policy = policy_of(explainer->view);
	if (explainer->policy->looks_inside)
		rc = sched_detach(&explainer->sched, &explainer->view->view, &options, error);
	if (rc == 0 && explainer->sched)
		rc = run_again(explainer, error);
	if (rc)
		return rc;
	rc = explainer->policy->begin ? explainer->policy->begin(explainer) : 0;
	return rc ? error_set(error, rc, "out of memory") : 0;
}

int explainer_create(struct explainer **explainer, const struct fl_view *view, struct error *error)
{
	int rc;

	*explainer = calloc(1, sizeof(**explainer));
	if (!*explainer)
		return error_set(error, -ENOMEM, "out of memory");
	(*explainer)->view = view;
	rc = begin(*explainer, error);
	if (rc) {
		explainer_destroy(*explainer);
		*explainer = NULL;
	}
	return rc;
}

void explainer_destroy(struct explainer *explainer)
{
	if (!explainer)
		return;
	if (explainer->policy && explainer->policy->end)
		explainer->policy->end(explainer);
	else
		free(explainer->own);
	sched_destroy(explainer->sched);
	free(explainer->witness.override.tasks);
	free(explainer->witness.functional.tasks);
	free(explainer);
}

/* Selection of the row */

static bool range_has(const struct fl_range *range, uint32_t id)
{
	struct fl_range fl_range = *range;

	return fl_range.step > 0 && id >= fl_range.min && id <= fl_range.max &&
	       (id - fl_range.min) % fl_range.step == 0;
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

/* Find the row with this task. Without a task, the last row is that of the pending tasks. */
static int row_of(const struct fl_view *view, uint32_t number, uint32_t task, struct explanation *explanation)
{
	struct fl_job job;
	bool any = false;

	for (size_t k = 0; fl_find(view, number, k, &job) == 0; k++) {
		if (task == 0 ? any && job.is_started : job.is_started ? job.task != task : !is_waiting(&job, task))
			continue;
		explanation->job = job;
		any = true;
	}
	if (!any)
		return -ENOENT;
	explanation->is_hidden = task != 0 && explanation->job.task != task;
	explanation->job.task = task != 0 ? task : explanation->job.task;
	return 0;
}

/* Check against published values */

/* Return a published value by its name. False: fl_job has no value with this name. */
static bool published_value(const struct fl_job *job, const char *name, double *value)
{
	const struct { const char *name; double value;
	} values[] = {
		{ "prio", job->prio },	     { "nurg", job->nurg },	  { "ntckts", job->ntckts },
		{ "npprior", job->npprior }, { "urg", job->urg },	  { "rrcontr", job->rrcontr },
		{ "wtcontr", job->wtcontr }, { "dlcontr", job->dlcontr }, { "tckts", job->tckts },
		{ "otckt", job->otckt },     { "ftckt", job->ftckt },	  { "stckt", job->stckt },
		{ "share", job->share },
	};

	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
		if (strcmp(values[i].name, name) == 0) {
			*value = values[i].value;
			return true;
		}
	return false;
}

static int compare(const struct explanation *explanation, struct error *error)
{
	uint32_t wrong = derivation_check(&explanation->derivation);

	if (wrong != DERIVED_NONE)
		return error_set(error, -EPROTO, "job %u: %.80s does not follow from the lines above it",
				 explanation->job.job_number, explanation->derivation.lines[wrong].name);
	for (size_t i = 0; explanation->is_shown && i < explanation->nvalues; i++) {
		double derived = derived_value(&explanation->derivation, explanation->values[i].line), published;

		if (published_value(&explanation->job, explanation->values[i].name, &published) && derived != published)
			return error_set(error, -EPROTO, "job %u: %s is derived as %.17g, and published as %.17g",
					 explanation->job.job_number, explanation->values[i].name, derived, published);
	}
	return 0;
}

int explain_job(struct explainer *explainer, uint32_t job_number, uint32_t task, struct explanation *explanation,
		struct error *error)
{
	int rc;

	*explanation = (struct explanation){ .policy = explainer->policy->name,
					     .is_by_submitter = explainer->policy->orders_submitters,
					     .prio = DERIVED_NONE,
					     .why = "",
					     .note = "",
					     .is_shown = true,
					     .sum = DERIVED_NONE,
					     .is_sum = true };
	rc = row_of(explainer->view, job_number, task, explanation);
	if (rc)
		return task ? error_set(error, rc, "job %u has no pending or running task %u", job_number, task) :
			      error_set(error, rc, "job %u does not exist", job_number);
	rc = explainer->policy->explain(explainer, explanation);
	if (rc)
		return error_set(error, rc, "job %u: %s", job_number,
				 rc == -ENOMEM ? "out of memory" : "the run that was computed again has no such job");
	return compare(explanation, error);
}

void explanation_free(struct explanation *explanation)
{
	for (size_t i = 0; i < explanation->nsections; i++) {
		free(explanation->sections[i].rows);
		free(explanation->sections[i].notes);
	}
	free(explanation->sections);
	free(explanation->terms);
	free(explanation->values);
	derivation_free(&explanation->derivation);
	*explanation = (struct explanation){ .prio = DERIVED_NONE, .sum = DERIVED_NONE };
}
