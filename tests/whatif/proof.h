/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a run shows, whatever its policy; and the same run in a scheduler that was started with a
 * change: its cell read from a directory that has it, all jobs told one by one, the change told by
 * the qmaster. cmocka.h and its headers come first.
 */
#ifndef TESTS_WHATIF_PROOF_H
#define TESTS_WHATIF_PROOF_H

#include "sched/whatif/whatif.h"
#include "tests/run/detached.h"

#define STORY_START(seed) (88172645463325252u ^ (seed) * 0x9e3779b97f4a7c15u)

/* What a run shows */

/* Why HTCondor's negotiation left a job out depends on what earlier cycles knew. */
static inline void show_rows(FILE *out, const struct fl_view *view, bool reasons)
{
	struct fl_why why;
	struct fl_job j;

	for (int list = FL_STARTED; list <= FL_PENDING; list++)
		for (size_t k = 0; fl_get(view, (enum fl_list)list, k, &j) == 0; k++) {
			fprintf(out, "job %u.%u %s %s %d %u %u %s %s %s %u %a %a %a %a %a %a %a %a %a\n", j.job_number, j.task, j.state, j.owner, j.priority,
				j.jobshare, j.override_tickets, j.hard_resources, j.pe_range, j.queue, j.slots, j.prio, j.nurg, j.ntckts, j.npprior, j.urg,
				j.otckt, j.ftckt, j.stckt, j.share);
			for (size_t i = 0; reasons && !j.is_started && fl_why(view, j.job_number, i, &why) == 0; i++)
				fprintf(out, "  why %s %s %s %u %a %a\n", why.kind, why.subject, why.object, why.count, why.wanted, why.had);
		}
}

static inline void show_promises(FILE *out, const struct fl_view *view)
{
	struct fl_association a;
	struct fl_submitter s;
	struct fl_sharer sharer;
	struct fl_customer c;
	struct fl_node n;

	for (size_t k = 0; fl_node(view, k, &n) == 0; k++)
		fprintf(out, "node %s %d %u %u %a %a %a\n", n.name, n.parent, n.shares, n.job_count, n.usage, n.long_target_share, n.short_target_share);
	for (size_t k = 0; fl_sharer(view, FL_USER, k, &sharer) == 0; k++)
		fprintf(out, "user %s %u %u %u %a\n", sharer.name, sharer.oticket, sharer.fshare, sharer.running_tasks, sharer.usage.combined);
	for (size_t k = 0; fl_association(view, k, &a) == 0; k++)
		fprintf(out, "association %s %s %u %a %a %a %a %a %a %u\n", a.account, a.user, a.shares, a.norm_shares, a.raw_usage, a.norm_usage,
			a.effective_usage, a.fairshare, a.level_fs, a.rank);
	for (size_t k = 0; fl_customer(view, k, &c) == 0; k++)
		fprintf(out, "customer %s %u %a %a %a %a\n", c.name, c.used, c.rup, c.factor, c.weight_used, c.accumulated);
	for (size_t k = 0; fl_submitter(view, k, &s) == 0; k++)
		fprintf(out, "submitter %s %u %u %a %a %a %s\n", s.name, s.idle, s.running, s.share, s.slice, s.limit, s.stop);
}

static inline void show_everything(FILE *out, const struct fl_view *view)
{
	struct fl_run run;

	fl_run(view, &run);
	fprintf(out, "now %" PRId64 " free slots %" PRIu64 "\n", run.now, run.free_slots);
	show_rows(out, view, true);
	show_promises(out, view);
}

/* For the caller to free. */
static inline char *text_of(const struct fl_view *view, show_run *show)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	show(out, view);
	show_state(out, view);
	fclose(out);
	return text;
}

/* The run that is published, with these changes. */
static inline char *supposed(struct fixture *f, const struct suppositions *s, show_run *show)
{
	struct fl_cell *result = NULL;
	struct whatif *w;
	char *text;

	if (whatif_open(&w, f->view, &f->error) || whatif_run(w, s, &result, &f->error))
		fail_msg("%s", f->error.text);
	text = text_of(fl_begin(result), show);
	assert_int_equal(fl_end(result), 0);
	fl_detach(result);
	whatif_close(w);
	return text;
}

/* The same by another way */

/* a change, as somebody makes it who starts a scheduler with it */
struct started_with {
	/* in a copy of the cell's directory; NULL: nothing */
	void (*files)(struct fixture *other, uint32_t which);
	/* behind what was told; NULL: nothing */
	void (*events)(struct fixture *other, uint32_t which);
	uint32_t which;
	int64_t later;			/* seconds */
};

struct told_again { struct fixture *other; bool reconfigured; };

static inline int tell_again(void *context, const struct event *event)
{
	const struct told_again *again = context;
	struct event copy = *event;
	struct error error = { "" };

	if (copy.type == EVENT_SCHEDULER_STATE) {
		copy.scheduler.reconfigured = again->reconfigured;
		/* a negotiation cycle is due whenever the last one was */
		copy.scheduler.cycle_begin = copy.scheduler.cycle_end = 0;
	}
	if (mirror_apply(sched_mirror(again->other->sched), &copy, &error))
		fail_msg("%s", error.text);
	return 0;
}

static inline char *run_of_started(struct fixture *f, const struct started_with *with, show_run *show)
{
	struct fixture other = { .cell = f->cell };
	struct told_again again = { &other, with->files };
	const struct retell_calls calls = { .context = &again, .event = tell_again };
	struct report report = { 0 };
	struct fl_cell *reader;
	char command[400], *text;
	struct fl_run run;

	fl_run(f->view, &run);
	snprintf(other.cell.directory, sizeof(other.cell.directory), "%s/other", f->cell.shm);
	snprintf(command, sizeof(command), "rm -rf '%s' && cp -r '%s' '%s'", other.cell.directory, f->cell.directory, other.cell.directory);
	assert_int_equal(system(command), 0);
	if (with->files)
		with->files(&other, with->which);
	if (sched_create_detached(&other.sched, other.cell.directory, NULL, 256 << 20, &report, &other.error)) {
		report_print(&report, stderr);
		fail_msg("%s", other.error.text);
	}
	listen_to(&other, other.sched);
	assert_int_equal(retell_events(&f->view->view, &calls), 0);
	if (with->events)
		with->events(&other, with->which);
	assert_int_equal(sched_run(other.sched, run.now + with->later, run.event, &other.error), 0);
	assert_int_equal(fl_attach_descriptor(&reader, sched_descriptor(other.sched)), 0);
	text = text_of(fl_begin(reader), show);
	assert_int_equal(fl_end(reader), 0);
	fl_detach(reader);
	events_destroy(&other.events);
	sched_destroy(other.sched);
	report_free(&report);
	return text;
}

/* Both ways agree. */
struct change_case {
	void (*suppose)(struct suppositions *s, uint32_t which);
	struct started_with with;
};

static inline void check_change(struct story *s, const struct change_case *c, uint32_t which, int64_t later, show_run *show, uint64_t seed, unsigned k)
{
	struct suppositions list = { 0 };
	struct started_with with = c->with;
	char *a, *b;

	with.which = which;
	with.later = later;
	c->suppose(&list, which);
	assert_int_equal(suppose_after(&list, "--at", later), 0);
	a = supposed(s->f, &list, show);
	b = run_of_started(s->f, &with, show);
	check_same(a, b, seed, k);
	free(a);
	free(b);
	suppose_nothing(&list);
}

static inline void check_nothing(struct story *s, show_run *show, uint64_t seed, unsigned k)
{
	char *a = text_of(s->f->view, show), *b = supposed(s->f, NULL, show);

	check_same(a, b, seed, k);
	free(a);
	free(b);
}

static inline bool is_there(struct fixture *f, uint32_t number)
{
	return jobs_find(&sched_mirror(f->sched)->state->jobs, number) != INDEX_NONE;
}

static inline uint64_t seed_of(void)
{
	const char *given = getenv("FAIRLEAD_SEED");

	return given ? strtoull(given, NULL, 10) : 1;
}

#endif
