/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Results of a run, for any policy, and of the same run in a scheduler that was started with a
 * change. Its cell is read from a directory with the change, all jobs are reported one by one, and
 * the qmaster reports the change. Include after cmocka.h and its headers.
 */
#ifndef TESTS_WHATIF_PROOF_H
#define TESTS_WHATIF_PROOF_H

#include "sched/whatif/whatif.h"
#include "tests/run/detached.h"

#define STORY_START(seed) (88172645463325252u ^ (seed) * 0x9e3779b97f4a7c15u)

/* Results of a run */

/*
 * The reasons for which HTCondor's negotiation left a job out depend on the knowledge of earlier
 * cycles.
 */
static inline void show_rows(FILE *out, const struct fl_view *view, bool reasons)
{
	struct fl_why why;
	struct fl_job job;

	for (int list = FL_STARTED; list <= FL_PENDING; list++)
		for (size_t k = 0; fl_get(view, (enum fl_list)list, k, &job) == 0; k++) {
			fprintf(out, "job %u.%u %s %s %d %u %u %s %s %s %u %a %a %a %a %a %a %a %a %a\n",
				job.job_number, job.task, job.state, job.owner, job.priority, job.jobshare,
				job.override_tickets, job.hard_resources, job.pe_range, job.queue, job.slots, job.prio,
				job.nurg, job.ntckts, job.npprior, job.urg, job.otckt, job.ftckt, job.stckt, job.share);
			for (size_t i = 0; reasons && !job.is_started && fl_why(view, job.job_number, i, &why) == 0;
			     i++)
				fprintf(out, "  why %s %s %s %u %a %a\n", why.kind, why.subject, why.object, why.count,
					why.wanted, why.had);
		}
}

static inline void show_promises(FILE *out, const struct fl_view *view)
{
	struct fl_association association;
	struct fl_submitter submitter;
	struct fl_sharer sharer;
	struct fl_customer customer;
	struct fl_node node;

	for (size_t k = 0; fl_node(view, k, &node) == 0; k++)
		fprintf(out, "node %s %d %u %u %a %a %a\n", node.name, node.parent, node.shares, node.job_count,
			node.usage, node.long_target_share, node.short_target_share);
	for (size_t k = 0; fl_sharer(view, FL_USER, k, &sharer) == 0; k++)
		fprintf(out, "user %s %u %u %u %a\n", sharer.name, sharer.oticket, sharer.fshare, sharer.running_tasks,
			sharer.usage.combined);
	for (size_t k = 0; fl_association(view, k, &association) == 0; k++)
		fprintf(out, "association %s %s %u %a %a %a %a %a %a %u\n", association.account, association.user,
			association.shares, association.norm_shares, association.raw_usage, association.norm_usage,
			association.effective_usage, association.fairshare, association.level_fs, association.rank);
	for (size_t k = 0; fl_customer(view, k, &customer) == 0; k++)
		fprintf(out, "customer %s %u %a %a %a %a\n", customer.name, customer.used, customer.rup,
			customer.factor, customer.weight_used, customer.accumulated);
	for (size_t k = 0; fl_submitter(view, k, &submitter) == 0; k++)
		fprintf(out, "submitter %s %u %u %a %a %a %s\n", submitter.name, submitter.idle, submitter.running,
			submitter.share, submitter.slice, submitter.limit, submitter.stop);
}

static inline void show_everything(FILE *out, const struct fl_view *view)
{
	struct fl_run run;

	fl_run(view, &run);
	fprintf(out, "now %" PRId64 " free slots %" PRIu64 "\n", run.now, run.free_slots);
	show_rows(out, view, true);
	show_promises(out, view);
}

/* Return the results as a text. The caller frees it. */
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

/* Return the published run with these changes. */
static inline char *supposed(struct fixture *fixture, const struct suppositions *suppositions, show_run *show)
{
	struct fl_cell *result = NULL;
	struct whatif *whatif;
	char *text;

	if (whatif_open(&whatif, fixture->view, &fixture->error) ||
	    whatif_run(whatif, suppositions, &result, &fixture->error))
		fail_msg("%s", fixture->error.text);
	text = text_of(fl_begin(result), show);
	assert_int_equal(fl_end(result), 0);
	fl_detach(result);
	whatif_close(whatif);
	return text;
}

/* Another way to the same run */

/* A change made by an administrator who starts a scheduler with it. */
struct started_with {
	/* Change files in a copy of the cell's directory; may be NULL. */
	void (*files)(struct fixture *other, uint32_t which);
	/* Additional events after the reported ones; may be NULL. */
	void (*events)(struct fixture *other, uint32_t which);
	uint32_t which;
	int64_t later;			/* seconds */
};

struct reported_again { struct fixture *other; bool reconfigured; };

static inline int report_again(void *context, const struct event *event)
{
	const struct reported_again *again = context;
	struct event copy = *event;
	struct error error = { "" };

	if (copy.type == EVENT_SCHEDULER_STATE) {
		copy.scheduler.reconfigured = again->reconfigured;
		/* A negotiation cycle is always due, whatever the time of the last one. */
		copy.scheduler.cycle_begin = copy.scheduler.cycle_end = 0;
	}
	if (mirror_apply(sched_mirror(again->other->sched), &copy, &error))
		fail_msg("%s", error.text);
	return 0;
}

static inline char *run_of_started(struct fixture *fixture, const struct started_with *with, show_run *show)
{
	struct fixture other = { .cell = fixture->cell };
	struct reported_again again = { &other, with->files };
	const struct resend_calls calls = { .context = &again, .event = report_again };
	struct report report = { 0 };
	struct fl_cell *reader;
	char command[400], *text;
	struct fl_run run;

	fl_run(fixture->view, &run);
	snprintf(other.cell.directory, sizeof(other.cell.directory), "%s/other", fixture->cell.shm);
	snprintf(command, sizeof(command), "rm -rf '%s' && cp -r '%s' '%s'", other.cell.directory,
		 fixture->cell.directory, other.cell.directory);
	assert_int_equal(system(command), 0);
	if (with->files)
		with->files(&other, with->which);
	if (sched_create_detached(&other.sched, other.cell.directory, NULL, 256 << 20, &report, &other.error)) {
		report_print(&report, stderr);
		fail_msg("%s", other.error.text);
	}
	listen_to(&other, other.sched);
	assert_int_equal(resend_events(&fixture->view->view, &calls), 0);
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

/* Two ways to the same result. */
struct change_case {
	void (*suppose)(struct suppositions *suppositions, uint32_t which);
	struct started_with with;
};

static inline void check_change(struct story *story, const struct change_case *change_case, uint32_t which,
				int64_t later, show_run *show, uint64_t seed, unsigned k)
{
	struct suppositions list = { 0 };
	struct started_with with = change_case->with;
	char *a, *b;

	with.which = which;
	with.later = later;
	change_case->suppose(&list, which);
	assert_int_equal(suppose_after(&list, "--at", later), 0);
	a = supposed(story->f, &list, show);
	b = run_of_started(story->f, &with, show);
	check_same(a, b, seed, k);
	free(a);
	free(b);
	suppose_nothing(&list);
}

static inline void check_nothing(struct story *story, show_run *show, uint64_t seed, unsigned k)
{
	char *a = text_of(story->f->view, show), *b = supposed(story->f, NULL, show);

	check_same(a, b, seed, k);
	free(a);
	free(b);
}

static inline bool is_there(struct fixture *fixture, uint32_t number)
{
	return jobs_find(&sched_mirror(fixture->sched)->state->jobs, number) != INDEX_NONE;
}

static inline uint64_t seed_of(void)
{
	const char *given = getenv("FAIRLEAD_SEED");

	return given ? strtoull(given, NULL, 10) : 1;
}

#endif
