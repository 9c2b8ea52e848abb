/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One run after the other, each in a scheduler of its own: its files are rewritten, the published
 * state is told to it, changes behind that, it runs, and what it has published stays for the reader
 * while it goes.
 */
#include "sched/whatif/whatif.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sched/detach.h"
#include "sched/reader/handle.h"
#include "sched/run/records_state.h"
#include "sched/run/retell.h"
#include "sched/whatif/inside.h"
#include "sched/whatif/migrate.h"

struct whatif {
	const struct fl_view *view;
	struct cell_files files;	/* that the run worked by */
	struct fl_run run;
	struct fl_cell *computed;	/* what whatif_before() shows; NULL: the view */
	const struct fl_view *before;	/* NULL: nobody has asked */
	unsigned workers;
	bool reconfigured;		/* all runs are those of a scheduler that has just been */
	char *notes;			/* of the last run */
};

int whatif_open(struct whatif **result, const struct fl_view *view, struct error *error)
{
	struct whatif *w = calloc(1, sizeof(*w));
	int rc = w ? retell_files(&view->view, &w->files) : -ENOMEM;

	*result = NULL;
	if (rc == 0) {
		w->view = view;
		w->workers = 1;
		fl_run(view, &w->run);
		*result = w;
		return 0;
	}
	free(w);
	if (rc == -ENODATA)
		return error_set(error, rc, "the run has no state");
	if (rc == -EACCES)
		return error_set(error, rc, "not all who may read the run may read all files of the cell: they are not published");
	return error_set(error, rc, "%s", rc == -EPROTO ? "the state in shared memory is damaged" : strerror(-rc));
}

void whatif_close(struct whatif *w)
{
	if (!w)
		return;
	if (w->computed)
		fl_end(w->computed);
	fl_detach(w->computed);
	cell_files_free(&w->files);
	free(w->notes);
	free(w);
}

void whatif_workers(struct whatif *w, unsigned n)
{
	w->workers = n;
}

const char *whatif_notes(const struct whatif *w)
{
	return w->notes ? w->notes : "";
}

/* One run */

struct trial {
	const struct whatif *w;
	const struct suppositions *s;
	struct rewrite rewrite;
	bool rewritten;			/* the files are others */
	/* by supposition: the customer whose factor it is was told */
	bool *seen;
	struct migration migration;
	const struct cell *decays_by;	/* half-lives for what is to decay; NULL: nothing is */
	struct sched *sched;
};

static int files_make(struct trial *a, struct error *error)
{
	const struct cell *cell;
	int rc = rewrite_begin(&a->rewrite, &a->w->files);

	a->rewritten = suppose_files(a->s);
	for (size_t i = 0; rc == 0 && i < a->s->n; i++) {
		const struct supposition *s = &a->s->items[i];

		rc = s->kind == SUPPOSED_ALGORITHM ? migration_files(&a->migration, &a->rewrite, &a->w->view->view, s, error) :
						     files_change(&a->rewrite, s, error);
	}
	if (rc == 0 && decay_any(a->s))
		rc = rewrite_cell(&a->rewrite, &a->decays_by, error);
	return rc == 0 && a->rewritten ? rewrite_cell(&a->rewrite, &cell, error) : rc;
}

/* A negotiation cycle is due whenever the last one was. */
static void edit(void *context, struct event *event)
{
	struct trial *a = context;

	if (event->type == EVENT_SCHEDULER_STATE) {
		event->scheduler.cycle_begin = event->scheduler.cycle_end = 0;
		event->scheduler.reconfigured |= a->w->reconfigured;
	}
	if (event->type == EVENT_CUSTOMER)
		told_factor(a->s, event, a->seen);
	if (a->decays_by)
		decay_edit(a->s, a->decays_by, event);
	if (a->migration.to)
		migration_edit(&a->migration, event);
}

/* Whose factor is set before he was ever seen: of this pool, if his name does not say of which. */
static int factor_add(struct trial *a, const struct supposition *s, struct error *error)
{
	const struct cell *cell = sched_cell(a->sched);
	const char *domain = cell->condor.uid_domain;
	struct error why = { "" };
	struct event e;
	char name[1100];
	int rc;

	if (strcmp(cell->sched.algorithm, "userprio") != 0)
		return suppose_error(s, -EINVAL, error, "factors count with algorithm userprio; this is algorithm %s", cell->sched.algorithm);
	snprintf(name, sizeof(name), "%.512s%s%.512s", s->name, strchr(s->name, '@') ? "" : "@", strchr(s->name, '@') ? "" : domain ? domain : "");
	event_init(&e, EVENT_CUSTOMER);
	e.customer.name = name;
	e.customer.values = (struct customer){ .rup = RUP_LEAST, .factor = s->value, .ceiling = CEILING_NONE };
	rc = mirror_apply(sched_mirror(a->sched), &e, &why);
	return rc == -EINVAL ? suppose_error(s, rc, error, "%s", why.text) : rc;
}

static int factors_add(struct trial *a, struct error *error)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < a->s->n; i++)
		if (a->s->items[i].kind == SUPPOSED_SHARER && a->s->items[i].amount == SUPPOSE_FACTOR && !a->seen[i])
			rc = factor_add(a, &a->s->items[i], error);
	return rc;
}

static int told_make(struct trial *a, struct error *error)
{
	int rc = migration_finish(&a->migration, a->sched, error);

	rc = rc ? rc : factors_add(a, error);
	for (size_t i = 0; rc == 0 && i < a->s->n; i++)
		rc = told_change(a->sched, &a->s->items[i], error);
	return rc;
}

static int now_of(const struct trial *a, int64_t *now, struct error *error)
{
	*now = a->w->run.now;
	for (size_t i = 0; i < a->s->n; i++) {
		const struct supposition *s = &a->s->items[i];

		if (s->kind != SUPPOSED_TIME)
			continue;
		*now = s->is_relative ? *now + s->time : s->time;
		if (*now < a->w->run.now)
			return suppose_error(s, -EINVAL, error, "that is %lld s before the run: a later time is allowed", (long long)(a->w->run.now - *now));
	}
	return 0;
}

static int make(struct trial *a, bool as_due, struct error *error)
{
	struct detach_options options = { .edit = as_due || a->s->n > 0 ? edit : NULL, .context = a };
	int64_t now;
	int rc = now_of(a, &now, error);

	rc = rc ? rc : files_make(a, error);
	if (rc)
		return rc;
	options.files = a->rewritten ? &a->rewrite.files : NULL;
	rc = sched_detach(&a->sched, &a->w->view->view, &options, error);
	rc = rc ? rc : told_make(a, error);
	if (a->sched)
		sched_pause(a->sched, false);
	if (rc == 0 && a->w->workers > 1)
		rc = sched_workers(a->sched, a->w->workers);
	return rc ? rc : sched_run(a->sched, now, a->w->run.event, error);
}

static int run(struct whatif *w, const struct suppositions *s, bool as_due, struct fl_cell **result, struct error *error)
{
	struct trial a = { .w = w, .s = s, .seen = calloc(s->n + 1, sizeof(bool)) };
	int rc = a.seen ? 0 : -ENOMEM;

	*result = NULL;
	error->text[0] = '\0';
	rc = rc ? rc : make(&a, as_due, error);
	if (rc == 0)
		rc = fl_attach_descriptor(result, sched_descriptor(a.sched));
	if (rc && !*error->text)
		error_set(error, rc, "%s", strerror(-rc));
	sched_destroy(a.sched);
	free(w->notes);
	w->notes = a.rewrite.notes;
	a.rewrite.notes = NULL;
	rewrite_free(&a.rewrite);
	migration_free(&a.migration);
	free(a.seen);
	return rc;
}

int whatif_run(struct whatif *w, const struct suppositions *s, struct fl_cell **result, struct error *error)
{
	const struct suppositions none = { 0 };

	return run(w, s ? s : &none, false, result, error);
}

void whatif_reconfigured(struct whatif *w)
{
	w->reconfigured = true;
}

/* Is the published run another one than runs with changes are, which order what they decide? */
static bool is_other(const struct whatif *w)
{
	struct fl_multifactor multifactor;
	const struct state_head *head = view_state(&w->view->view);
	struct fl_negotiation n;

	if (head && LOAD_ONCE(head->dispatches) == RUN_PAUSED)
		return true;
	if (fl_negotiation(w->view, &n) == 0)
		return n.begin != w->run.now;
	return w->reconfigured && fl_multifactor(w->view, &multifactor) == 0;
}

int whatif_before(struct whatif *w, const struct fl_view **before, struct error *error)
{
	const struct suppositions none = { 0 };
	int rc = 0;

	if (!w->before && is_other(w))
		rc = run(w, &none, true, &w->computed, error);
	if (rc == 0 && !w->before)
		w->before = w->computed ? fl_begin(w->computed) : w->view;
	*before = w->before;
	return rc;
}
