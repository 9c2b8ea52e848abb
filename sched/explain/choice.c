/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/explain/choice.h"


#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/columns.h"
#include "conf/base/search.h"
#include "sched/detach.h"
#include "sched/dispatch/suit.h"
#include "sched/parts.h"
#include "sched/reader/handle.h"

#define TEXT_MOST (1u << 20)

/* result for one request: whether it could run in a chosen instance */
struct asked {
	uint64_t alike;
	bool suits;
};

struct choice {
	struct sched *sched;
	unsigned char *chosen;		/* index: number of the instance */
	const char **names;		/* names of the chosen instances, sorted */
	size_t nnames;
	struct asked *asked;		/* results so far, by `alike` */
	size_t nasked, capacity;
};

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int choose(struct choice *choice, const struct suit_wishes *wishes, struct error *error)
{
	struct dispatch *dispatch = choice->sched->dispatch;
	size_t n;
	int rc;

	if (run_list(&choice->sched->run) || dispatch_look_ahead(dispatch, &choice->sched->run))
		return error_set(error, -ENOMEM, "out of memory");
	n = dispatch->supply.cluster.ninstances;
	choice->chosen = calloc(n + 1, 1);
	choice->names = calloc(n + 1, sizeof(*choice->names));
	if (!choice->chosen || !choice->names)
		return error_set(error, -ENOMEM, "out of memory");
	rc = suit_choose(dispatch, wishes, choice->chosen, error);
	for (size_t i = 0; rc == 0 && i < n; i++)
		if (choice->chosen[i])
			choice->names[choice->nnames++] = dispatch->supply.cluster.instances[i].name;
	qsort(choice->names, choice->nnames, sizeof(*choice->names), by_name);
	return rc;
}

int choice_open(struct choice **choice, const struct fl_view *view, const struct suit_wishes *wishes,
		struct error *error)
{
	const struct detach_options options = { .without_jobs = true };
	struct fl_run run;
	int rc;

	*choice = calloc(1, sizeof(**choice));
	if (!*choice)
		return error_set(error, -ENOMEM, "out of memory");
	rc = sched_detach(&(*choice)->sched, &view->view, &options, error);
	if (rc == 0) {
		fl_run(view, &run);
		(*choice)->sched->run.now = run.now;
		rc = choose(*choice, wishes, error);
	}
	if (rc) {
		choice_free(*choice);
		*choice = NULL;
	}
	return rc;
}

void choice_free(struct choice *choice)
{
	if (!choice)
		return;
	sched_destroy(choice->sched);
	free(choice->chosen);
	free(choice->names);
	free(choice->asked);
	free(choice);
}

/*
 * Copies of the texts of a request, because shared memory may change while they are parsed. Longer
 * texts are cut.
 */
struct copies {
	char *items[10];
	size_t n;
	bool failed;
};

static const char *copy(struct copies *copies, const char *text)
{
	char *made = *text ? strndup(text, TEXT_MOST) : NULL;

	copies->failed |= *text && !made;
	if (made)
		copies->items[copies->n++] = made;
	return made;
}

static bool ask(struct choice *choice, const struct fl_job *job, const struct fl_request *request)
{
	struct copies copies = { .n = 0 };
	const char *owner = copy(&copies, job->owner);
	const struct category_facts facts = { .user = owner ? owner : "",
					      .group = copy(&copies, request->group),
					      .project = copy(&copies, job->project),
					      .hard = copy(&copies, job->hard_resources),
					      .pe = copy(&copies, job->pe),
					      .pe_range = copy(&copies, job->pe_range),
					      .ckpt = copy(&copies, request->checkpoint),
					      .hard_queues = copy(&copies, request->hard_queues),
					      .master_queues = copy(&copies, request->master_queues),
					      .now = request->now,
					      .ar = job->ar };
	bool suits = false;

	if (!copies.failed && suit_request(choice->sched->dispatch, &facts, choice->chosen, &suits))
		suits = false;
	while (copies.n > 0)
		free(copies.items[--copies.n]);
	return suits;
}

static bool suits(struct choice *choice, const struct fl_view *view, const struct fl_job *job)
{
	struct fl_request request;
	size_t at;

	if (fl_request(view, job->job_number, &request))
		return false;
	lower_bound(at, choice->nasked, choice->asked[at].alike < request.alike);
	if (at < choice->nasked && choice->asked[at].alike == request.alike)
		return choice->asked[at].suits;
	if (array_reserve(&choice->capacity, choice->nasked + 1, COLUMN(choice->asked)))
		return false;
	memmove(choice->asked + at + 1, choice->asked + at, (choice->nasked++ - at) * sizeof(*choice->asked));
	choice->asked[at] = (struct asked){ request.alike, ask(choice, job, &request) };
	return choice->asked[at].suits;
}

bool choice_has(struct choice *choice, const struct fl_view *view, const struct fl_job *job)
{
	const char *queue = job->queue;

	if (job->is_started)
		return choice->nnames > 0 &&
		       bsearch(&queue, choice->names, choice->nnames, sizeof(*choice->names), by_name);
	return suits(choice, view, job);
}
