/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs with changes, each in a scheduler of its own. The cell's files are rewritten, and the
 * published state is sent to the scheduler, followed by the changes. After the run the scheduler is
 * destroyed, but its published result stays for the reader.
 */
#include "sched/whatif/whatif.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sched/detach.h"
#include "sched/policy/policies.h"
#include "sched/reader/handle.h"
#include "sched/run/records_state.h"
#include "sched/run/resend.h"
#include "sched/whatif/inside.h"
#include "sched/whatif/migrate.h"

struct whatif {
	const struct fl_view *view;
	struct cell_files files;	/* files of the published run */
	struct fl_run run;
	struct fl_cell *computed;	/* result of whatif_before(); NULL: the view */
	const struct fl_view *before;	/* NULL: not requested yet */
	unsigned workers;
	bool reconfigured;		/* make all runs as after a change of configuration */
	char *notes;			/* notes of the last run */
};

int whatif_open(struct whatif **result, const struct fl_view *view, struct error *error)
{
	struct whatif *whatif = calloc(1, sizeof(*whatif));
	int rc = whatif ? resend_files(&view->view, &whatif->files) : -ENOMEM;

	*result = NULL;
	if (rc == 0) {
		whatif->view = view;
		whatif->workers = 1;
		fl_run(view, &whatif->run);
		*result = whatif;
		return 0;
	}
	free(whatif);
	if (rc == -ENODATA)
		return error_set(error, rc, "the run has no state");
	if (rc == -EACCES)
		return error_set(error, rc,
				 "the files of the cell are not published: not all readers of the run may read them");
	return error_set(error, rc, "%s", rc == -EPROTO ? "the state in shared memory is damaged" : strerror(-rc));
}

void whatif_close(struct whatif *whatif)
{
	if (!whatif)
		return;
	if (whatif->computed)
		fl_end(whatif->computed);
	fl_detach(whatif->computed);
	cell_files_free(&whatif->files);
	free(whatif->notes);
	free(whatif);
}

void whatif_workers(struct whatif *whatif, unsigned n)
{
	whatif->workers = n;
}

const char *whatif_notes(const struct whatif *whatif)
{
	return whatif->notes ? whatif->notes : "";
}

/* One run */

struct trial {
	const struct whatif *w;
	const struct suppositions *s;
	struct rewrite rewrite;
	bool rewritten;			/* the files have changed */
	/* Whether the customer of each factor was reported, by supposition. */
	bool *seen;
	struct migration migration;
	const struct cell *decays_by;	/* half-lives for decays; NULL: there are none */
	struct sched *sched;
};

static int files_make(struct trial *trial, struct error *error)
{
	const struct cell *cell;
	int rc = rewrite_begin(&trial->rewrite, &trial->w->files);

	trial->rewritten = suppose_files(trial->s);
	for (size_t i = 0; rc == 0 && i < trial->s->n; i++) {
		const struct supposition *supposition = &trial->s->items[i];

		rc = supposition->kind == SUPPOSED_ALGORITHM
			     ? migration_files(&trial->migration, &trial->rewrite, &trial->w->view->view, supposition,
					       error)
			     : files_change(&trial->rewrite, supposition, error);
	}
	if (rc == 0 && decay_any(trial->s))
		rc = rewrite_cell(&trial->rewrite, &trial->decays_by, error);
	return rc == 0 && trial->rewritten ? rewrite_cell(&trial->rewrite, &cell, error) : rc;
}

/* Edit a reported event. A negotiation cycle is due, whenever the last one was. */
static void edit(void *context, struct event *event)
{
	struct trial *trial = context;

	if (event->type == EVENT_SCHEDULER_STATE) {
		event->scheduler.cycle_begin = event->scheduler.cycle_end = 0;
		event->scheduler.reconfigured |= trial->w->reconfigured;
	}
	if (event->type == EVENT_CUSTOMER)
		reported_factor(trial->s, event, trial->seen);
	if (trial->decays_by)
		decay_edit(trial->s, trial->decays_by, event);
	if (trial->migration.to)
		migration_edit(&trial->migration, event);
}

/* Add a customer with a factor that was not reported. The default pool is this one. */
static int factor_add(struct trial *trial, const struct supposition *supposition, struct error *error)
{
	const struct cell *cell = sched_cell(trial->sched);
	const char *domain = cell->condor.uid_domain;
	struct error why = { "" };
	struct event event;
	char name[1100];
	int rc;

	if (!policies_of(cell)->edit)
		return suppose_error(supposition, -EINVAL, error,
				     "factors need algorithm userprio; the cell has algorithm %s",
				     cell->sched.algorithm);
	snprintf(name, sizeof(name), "%.512s%s%.512s", supposition->name, strchr(supposition->name, '@') ? "" : "@",
		 strchr(supposition->name, '@') ? ""
		 : domain			? domain
						: "");
	event_init(&event, EVENT_CUSTOMER);
	event.customer.name = name;
	event.customer.values =
		(struct customer){ .rup = RUP_LEAST, .factor = supposition->value, .ceiling = CEILING_NONE };
	rc = mirror_apply(sched_mirror(trial->sched), &event, &why);
	return rc == -EINVAL ? suppose_error(supposition, rc, error, "%s", why.text) : rc;
}

static int factors_add(struct trial *trial, struct error *error)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < trial->s->n; i++)
		if (trial->s->items[i].kind == SUPPOSED_SHARER && trial->s->items[i].amount == SUPPOSE_FACTOR &&
		    !trial->seen[i])
			rc = factor_add(trial, &trial->s->items[i], error);
	return rc;
}

static int reported_make(struct trial *trial, struct error *error)
{
	int rc = migration_finish(&trial->migration, trial->sched, error);

	rc = rc ? rc : factors_add(trial, error);
	for (size_t i = 0; rc == 0 && i < trial->s->n; i++)
		rc = reported_change(trial->sched, &trial->s->items[i], error);
	return rc;
}

static int now_of(const struct trial *trial, int64_t *now, struct error *error)
{
	*now = trial->w->run.now;
	for (size_t i = 0; i < trial->s->n; i++) {
		const struct supposition *supposition = &trial->s->items[i];

		if (supposition->kind != SUPPOSED_TIME)
			continue;
		*now = supposition->is_relative ? *now + supposition->time : supposition->time;
		if (*now < trial->w->run.now)
			return suppose_error(supposition, -EINVAL, error,
					     "this is %lld s before the run: give a later time",
					     (long long)(trial->w->run.now - *now));
	}
	return 0;
}

static int make(struct trial *trial, bool as_due, struct error *error)
{
	struct detach_options options = { .edit = as_due || trial->s->n > 0 ? edit : NULL, .context = trial };
	int64_t now;
	int rc = now_of(trial, &now, error);

	rc = rc ? rc : files_make(trial, error);
	if (rc)
		return rc;
	options.files = trial->rewritten ? &trial->rewrite.files : NULL;
	rc = sched_detach(&trial->sched, &trial->w->view->view, &options, error);
	rc = rc ? rc : reported_make(trial, error);
	if (trial->sched)
		sched_pause(trial->sched, false);
	if (rc == 0 && trial->w->workers > 1)
		rc = sched_workers(trial->sched, trial->w->workers);
	return rc ? rc : sched_run(trial->sched, now, trial->w->run.event, error);
}

static int run(struct whatif *whatif, const struct suppositions *suppositions, bool as_due, struct fl_cell **result,
	       struct error *error)
{
	struct trial trial = { .w = whatif, .s = suppositions, .seen = calloc(suppositions->n + 1, sizeof(bool)) };
	int rc = trial.seen ? 0 : -ENOMEM;

	*result = NULL;
	error->text[0] = '\0';
	rc = rc ? rc : make(&trial, as_due, error);
	if (rc == 0)
		rc = fl_attach_descriptor(result, sched_descriptor(trial.sched));
	if (rc && !*error->text)
		error_set(error, rc, "%s", strerror(-rc));
	sched_destroy(trial.sched);
	free(whatif->notes);
	whatif->notes = trial.rewrite.notes;
	trial.rewrite.notes = NULL;
	rewrite_free(&trial.rewrite);
	migration_free(&trial.migration);
	free(trial.seen);
	return rc;
}

int whatif_run(struct whatif *whatif, const struct suppositions *suppositions, struct fl_cell **result,
	       struct error *error)
{
	const struct suppositions none = { 0 };

	return run(whatif, suppositions ? suppositions : &none, false, result, error);
}

void whatif_reconfigured(struct whatif *whatif)
{
	whatif->reconfigured = true;
}

/* Return whether the published run differs from runs with changes, which are never paused. */
static bool is_other(const struct whatif *whatif)
{
	struct fl_multifactor multifactor;
	const struct state_head *head = view_state(&whatif->view->view);
	struct fl_negotiation negotiation;

	if (head && LOAD_ONCE(head->dispatches) == RUN_PAUSED)
		return true;
	if (fl_negotiation(whatif->view, &negotiation) == 0)
		return negotiation.begin != whatif->run.now;
	return whatif->reconfigured && fl_multifactor(whatif->view, &multifactor) == 0;
}

int whatif_before(struct whatif *whatif, const struct fl_view **before, struct error *error)
{
	const struct suppositions none = { 0 };
	int rc = 0;

	if (!whatif->before && is_other(whatif))
		rc = run(whatif, &none, true, &whatif->computed, error);
	if (rc == 0 && !whatif->before)
		whatif->before = whatif->computed ? fl_begin(whatif->computed) : whatif->view;
	*before = whatif->before;
	return rc;
}
