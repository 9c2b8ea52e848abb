/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/explain/choice.h"


#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/array.h"
#include "conf/search.h"
#include "sched/detach.h"
#include "sched/dispatch/suit.h"
#include "sched/parts.h"
#include "sched/reader/handle.h"

#define TEXT_MOST (1u << 20)

struct asked {				/* of a request, whether it could go there */
	uint64_t alike;
	bool suits;
};

struct choice {
	struct sched *sched;
	unsigned char *chosen;		/* by instance */
	const char **names;		/* of those chosen, sorted */
	size_t nnames;
	struct asked *asked;		/* so far, by `alike` */
	size_t nasked, capacity;
};

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int choose(struct choice *s, const struct suit_wishes *w, struct error *error)
{
	struct dispatch *d = s->sched->dispatch;
	size_t n;
	int rc;

	if (run_list(&s->sched->run) || dispatch_look_ahead(d, &s->sched->run))
		return error_set(error, -ENOMEM, "out of memory");
	n = d->cluster.ninstances;
	s->chosen = calloc(n + 1, 1);
	s->names = calloc(n + 1, sizeof(*s->names));
	if (!s->chosen || !s->names)
		return error_set(error, -ENOMEM, "out of memory");
	rc = suit_choose(d, w, s->chosen, error);
	for (size_t i = 0; rc == 0 && i < n; i++)
		if (s->chosen[i])
			s->names[s->nnames++] = d->cluster.instances[i].name;
	qsort(s->names, s->nnames, sizeof(*s->names), by_name);
	return rc;
}

int choice_open(struct choice **s, const struct fl_view *view, const struct suit_wishes *w, struct error *error)
{
	const struct detach_options options = { .without_jobs = true };
	struct fl_run run;
	int rc;

	*s = calloc(1, sizeof(**s));
	if (!*s)
		return error_set(error, -ENOMEM, "out of memory");
	rc = sched_detach(&(*s)->sched, &view->view, &options, error);
	if (rc == 0) {
		fl_run(view, &run);
		(*s)->sched->run.now = run.now;
		rc = choose(*s, w, error);
	}
	if (rc) {
		choice_free(*s);
		*s = NULL;
	}
	return rc;
}

void choice_free(struct choice *s)
{
	if (!s)
		return;
	sched_destroy(s->sched);
	free(s->chosen);
	free(s->names);
	free(s->asked);
	free(s);
}

/*
 * Texts of a request, copied: what lies in shared memory may change while it is taken apart. Longer
 * ones are cut.
 */
struct copies {
	char *items[10];
	size_t n;
	bool failed;
};

static const char *copy(struct copies *t, const char *text)
{
	char *made = *text ? strndup(text, TEXT_MOST) : NULL;

	t->failed |= *text && !made;
	if (made)
		t->items[t->n++] = made;
	return made;
}

static bool ask(struct choice *s, const struct fl_job *job, const struct fl_request *r)
{
	struct copies t = { .n = 0 };
	const char *owner = copy(&t, job->owner);
	const struct category_facts facts = {
		.user = owner ? owner : "", .group = copy(&t, r->group), .project = copy(&t, job->project), .hard = copy(&t, job->hard_resources),
		.pe = copy(&t, job->pe), .pe_range = copy(&t, job->pe_range), .ckpt = copy(&t, r->checkpoint),
		.hard_queues = copy(&t, r->hard_queues), .master_queues = copy(&t, r->master_queues), .now = r->now, .ar = job->ar };
	bool suits = false;

	if (!t.failed && suit_request(s->sched->dispatch, &facts, s->chosen, &suits))
		suits = false;
	while (t.n > 0)
		free(t.items[--t.n]);
	return suits;
}

static bool suits(struct choice *s, const struct fl_view *view, const struct fl_job *job)
{
	struct fl_request r;
	size_t at;

	if (fl_request(view, job->job_number, &r))
		return false;
	lower_bound(at, s->nasked, s->asked[at].alike < r.alike);
	if (at < s->nasked && s->asked[at].alike == r.alike)
		return s->asked[at].suits;
	if (s->nasked == s->capacity) {
		if (array_grow(&s->asked, 2 * s->capacity + 64, sizeof(*s->asked)))
			return false;
		s->capacity = 2 * s->capacity + 64;
	}
	memmove(s->asked + at + 1, s->asked + at, (s->nasked++ - at) * sizeof(*s->asked));
	s->asked[at] = (struct asked){ r.alike, ask(s, job, &r) };
	return s->asked[at].suits;
}

bool choice_has(struct choice *s, const struct fl_view *view, const struct fl_job *job)
{
	const char *queue = job->queue;

	if (job->is_started)
		return s->nnames > 0 && bsearch(&queue, s->names, s->nnames, sizeof(*s->names), by_name);
	return suits(s, view, job);
}
