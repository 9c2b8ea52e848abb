/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When memory runs out at any single allocation of an event or a run, the event is refused without
 * an effect, and the run can be repeated. The final result is the same as with enough memory, and
 * no memory leaks.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "sched/mirror/tables.h"
#include "tests/mirror/cell.h"
#include "tests/mirror/census.h"
#include "tests/failing_memory.h"

#ifndef CAN_FAIL

int main(void)
{
	printf("allocations cannot be made to fail in this build\n");
	return 77;
}

#else

/* Steps */

static const struct usage_value values[] = { { "cpu", 10 }, { "mem", 2 }, { "io", 1 }, { "ru_wallclock", 5 } };
static const struct usage_values usage = { values, 4 }, usage_more = { values, 2 };
static const struct granted granted[] = { { .queue = "all.q@node", .slots = 1 }, { .queue = "all.q@far", .slots = 2 } };
static const struct load_report load[] = { { "np_load_avg", "0.25" }, { "arch", "lx-amd64" }, { "far_value", "7" } };

static const struct load_report other_load[] = { { "np_load_avg", "0.5" }, { "arch", "lx-amd64" } };

static int add(struct mirror *mirror, uint32_t number, const char *owner, const char *tasks, struct error *error)
{
	struct job_spec spec = { .given = JOB_TASKS | JOB_HOLD | JOB_HOLD_JID | JOB_HOLD_JID_AD | JOB_DEADLINE,
				 .job_number = number,
				 .owner = owner,
				 .project = "red",
				 .name = "long",
				 .hard = "h_rt=60,arch=x",
				 .pe = "mpi",
				 .pe_range = "2-4,7",
				 .hard_queues = "all.q",
				 .soft_queues = "b.q",
				 .master_queues = "c.q",
				 .ckpt = "blcr",
				 .group = "staff",
				 .submission_time = NOW,
				 .hold_jid = &(const uint32_t){ 99 },
				 .nhold_jid = 1,
				 .hold_jid_ad = (const uint32_t[]){ 96, 95 },
				 .nhold_jid_ad = 2 };
	int code;

	if (ranges_parse(&spec.tasks, tasks) || ranges_parse(&spec.hold[HOLD_SYSTEM], "3-4"))
		code = -ENOMEM;
	else
		code = mirror_job_add(mirror, &spec, error);
	ranges_free(&spec.tasks);
	ranges_free(&spec.hold[HOLD_SYSTEM]);
	return code;
}

static int modify(struct mirror *mirror, uint32_t number, const char *text, struct error *error)
{
	struct job_spec spec = { .given = JOB_TASKS | JOB_HOLD | JOB_HOLD_JID | JOB_NAME | JOB_HARD | JOB_PROJECT |
					  JOB_JOBSHARE | JOB_PRIORITY | JOB_SOFT_QUEUES | JOB_RESERVE,
				 .soft_queues = text,
				 .reserve = true,
				 .job_number = number,
				 .name = text,
				 .hard = text,
				 .project = text,
				 .jobshare = 7,
				 .priority = 70,
				 .hold_jid = (const uint32_t[]){ 98, 97 },
				 .nhold_jid = 2 };
	int code;

	if (ranges_parse(&spec.tasks, "3-8") || ranges_parse(&spec.hold[HOLD_USER], "1,5,7"))
		code = -ENOMEM;
	else
		code = mirror_job_modify(mirror, &spec, error);
	ranges_free(&spec.tasks);
	ranges_free(&spec.hold[HOLD_USER]);
	return code;
}

static int report_object(struct mirror *mirror, const char *name, struct error *error)
{
	const struct debited_usage debited = { 1, usage };
	const struct project_usage project = { "red", usage, usage };
	const struct object_usage object = { .name = name, .time_stamp = NOW, .usage = usage, .long_term = usage,
					     .debited = &debited, .ndebited = 1, .projects = &project, .nprojects = 1 };

	return mirror_user_usage(mirror, &object, error);
}

static int report_advance(struct mirror *mirror, const char *name, struct error *error)
{
	const struct advance_event event = { .number = 7,
					     .name = name,
					     .owner = "ann",
					     .hard = "lic=1",
					     .state = "r",
					     .start_time = NOW,
					     .end_time = NOW + 60,
					     .granted = { granted, 2 } };

	return mirror_advance(mirror, &event, error);
}

static int enrol(struct mirror *mirror, uint32_t number, const char *tasks, const char *in_error, struct error *error)
{
	struct enrolled_event event = { .job_number = number, .error_reason = "full" };
	int code;

	if (ranges_parse(&event.tasks, tasks) || ranges_parse(&event.error, in_error))
		code = -ENOMEM;
	else
		code = mirror_tasks_enrolled(mirror, &event, error);
	ranges_free(&event.tasks);
	ranges_free(&event.error);
	return code;
}

enum { SNAPSHOT_BEGIN = 17, SNAPSHOT_END = 24, ORDERS = 26, CONDOR = ORDERS + 21, STEPS = CONDOR + 15 };

static int add_condor(struct mirror *mirror, uint32_t number, const char *rank, struct error *error)
{
	static const struct ad_attribute attributes[] = { { "B", "1 + 1" }, { "A", "\"text\"" } };
	const struct job_spec spec = { .job_number = number,
				       .owner = "ann",
				       .submission_time = NOW,
				       .condor = { .given = CONDOR_ACCOUNTING_GROUP | CONDOR_UID_DOMAIN | CONDOR_RANK |
							    CONDOR_KILL_SIG | CONDOR_AD | CONDOR_JOB_PRIO,
						   .accounting_group = "hep",
						   .uid_domain = "lab",
						   .rank = rank,
						   .kill_sig = "SIGINT",
						   .ad = { attributes, 2 },
						   .job_prio = 5 } };

	return mirror_job_add(mirror, &spec, error);
}

static int modify_condor(struct mirror *mirror, uint32_t number, const char *rank, struct error *error)
{
	static const struct ad_attribute attribute = { "AccountingGroup", "\"bio.zoe\"" };
	const struct job_spec spec = { .job_number = number,
				       .condor = { .given = CONDOR_RANK | CONDOR_AD | CONDOR_POST_JOB_PRIO1,
						   .rank = rank,
						   .ad = { &attribute, 1 },
						   .post_job_prio1 = 7 } };

	return mirror_job_modify(mirror, &spec, error);
}

static int report_slot(struct mirror *mirror, const char *memory, const char *machine, struct error *error)
{
	const struct ad_attribute attributes[] = { { "Memory", memory },
						   { "Cpus", "2" },
						   { "PartitionableSlot", "true" } };

	return mirror_slot(mirror, &(struct slot_event){ "slot1@far", machine, { attributes, 3 }, UINT64_MAX }, error);
}

static int report_claim(struct mirror *mirror, const char *submitter, struct error *error)
{
	return mirror_claim(mirror,
			    &(struct claim_event){ .slot = "slot1@far",
						   .submitter = submitter,
						   .weight = 2.0,
						   .concurrency_limits = "db",
						   .preempting = "zoe@lab" },
			    error);
}

static int condor_step(struct fixture *fixture, int k)
{
	struct mirror *mirror = sched_mirror(fixture->sched);
	struct error *error = &fixture->error;

	switch (k) {
	case 0: return add_condor(mirror, 4, "Memory", error);
	case 1: return add_condor(mirror, 5, "Memory", error);
	case 2: return modify_condor(mirror, 5, "-Memory", error);
	case 3: return report_slot(mirror, "5", "far", error);
	case 4: return report_claim(mirror, "ann@lab", error);
	case 5: return report_slot(mirror, "6", "other", error);
	case 6: return report_claim(mirror, "bob@lab", error);
	case 7: return mirror_task_start(mirror, 4, 1, NOW, granted, 1, NULL, NULL, error);
	case 8: return mirror_usage(mirror, 4, 1, &usage, error);
	case 9: return mirror_vacated(mirror, &(struct vacated_event){ 4, 1, VACATED_HARD }, error);
	case 10: return mirror_job_delete(mirror, 5, error);
	case 11: return add_condor(mirror, 5, "Memory", error);
	case 12: return add_condor(mirror, 6, "Cpus", error);
	case 13: return modify_condor(mirror, 6, "-Cpus", error);	/* its ad is compared at the end */
	default: return sched_run(fixture->sched, NOW + 50, 1, error);
	}
}

static int order_step(struct fixture *fixture, int k)
{
	struct mirror *mirror = sched_mirror(fixture->sched);
	struct error *error = &fixture->error;

	switch (k) {
	case 0: return add(mirror, 3, "ann", "1-40", error);
	case 1: return mirror_order_start(mirror, 3, 20, NOW, granted, 2, "mpi", 1, error);
	case 2: return mirror_order_start(mirror, 3, 30, NOW, granted, 1, NULL, 2, error);
	case 3: return mirror_order_start(mirror, 3, 6, NOW, granted, 1, NULL, 3, error);
	case 4: return mirror_usage(mirror, 3, 20, &usage, error);
	case 5: return sched_run(fixture->sched, NOW + 40, 1, error);
	case 6: return mirror_task_start(mirror, 3, 30, NOW, granted, 2, "mpi", NULL, error);
	case 7: return mirror_order_void(mirror, 3, 20, 1, error);
	case 8: return mirror_order_start(mirror, 3, 9, NOW, granted, 1, NULL, 4, error);
	/* 3 to 8 wait in the qmaster: 9 is deleted, 6 stays ordered. */
	case 9: return modify(mirror, 3, "other", error);
	case 10: return mirror_queue_instance(mirror, "all.q@far", 7, "au", error);
	case 11: return report_advance(mirror, "first", error);
	case 12: return report_advance(mirror, "second", error);
	case 13: return enrol(mirror, 3, "4-8:2", "4", error);		/* 6 is ordered */
	case 14: return mirror_reschedule_unknown(mirror, "node", &(const struct task_name){ 3, 4 }, 1, error);
	case 15: return mirror_order_void(mirror, 3, 6, 3, error);
	case 16: return mirror_task_start(mirror, 3, 8, NOW, granted, 2, NULL, NULL, error);
	case 17: return mirror_task_requeue(mirror, 3, 8, error);
	case 18: return mirror_host_load(mirror, "far", other_load, 2, error);	/* the same names as before */
	case 19: return mirror_job_keep(mirror, 3, error);
	default: return mirror_task_unseen(mirror, 3, 4, NOW - 5, error);
	}
}

static int step(struct fixture *fixture, int k)
{
	struct mirror *mirror = sched_mirror(fixture->sched);
	struct error *error = &fixture->error;

	switch (k) {
	case 0: return add(mirror, 1, "ann", "1-9:2,10-20", error);
	case 1: return add(mirror, 2, "bob", "1-4", error);
	case 2: return mirror_queue_instance(mirror, "all.q@node", UINT32_MAX, "", error);
	case 3: return mirror_task_start(mirror, 1, 1, NOW, granted, 2, "mpi", NULL, error);
	case 4: return mirror_task_start(mirror, 1, 15, NOW, granted, 1, NULL, NULL, error);
	case 5: return mirror_usage(mirror, 1, 15, &usage, error);
	case 6: return sched_run(fixture->sched, NOW, 1, error);
	case 7: return modify(mirror, 2, "other", error);
	case 8: return mirror_task_finish(mirror, 1, 1, 0, &usage, error);
	case 9: return mirror_host_state(mirror, "far", false, error);
	case 10: return sched_run(fixture->sched, NOW + 10, 1, error);
	case 11: return mirror_task_requeue(mirror, 1, 15, error);
	case 12: return mirror_task_start(mirror, 1, 12, NOW, granted, 2, NULL, NULL, error);
	case 13: return mirror_usage(mirror, 1, 12, &usage, error);
	case 14: return report_object(mirror, "ann", error);
	case 15: return sched_run(fixture->sched, NOW + 20, 1, error);
	case 16: return mirror_job_delete(mirror, 1, error);
	case SNAPSHOT_BEGIN: return mirror_snapshot_begin(mirror, error);
	case 18: return add(mirror, 1, "zoe", "1-3", error);
	case 19: return mirror_task_start(mirror, 1, 2, NOW, granted, 1, NULL, NULL, error);
	case 20: return mirror_usage(mirror, 1, 2, &usage_more, error);
	case 21: return report_object(mirror, "cal", error);
	case 22: return mirror_host_load(mirror, "far", load, 3, error);
	case 23: return mirror_host_load(mirror, "far", load, 2, error);
	case SNAPSHOT_END: return mirror_snapshot_end(mirror, error);
	case SNAPSHOT_END + 1: return sched_run(fixture->sched, NOW + 30, 1, error);
	default: return k < CONDOR ? order_step(fixture, k - ORDERS) : condor_step(fixture, k - CONDOR);
	}
}

/* State that is kept for the search for slots. */
static void describe_state(const struct mirror *mirror, FILE *out)
{
	const struct state *state = mirror->state;

	for (size_t i = 0; i < state->ninstances; i++)
		fprintf(out, "%s %u %s %d\n", strings_text(mirror->strings, state->instance_names[i]),
			state->instances[i].slots, state->instances[i].state, (int)state->instances[i].place);
	for (size_t i = 0; i < state->ninstances; i++)
		if (state->instances[i].claim)
			fprintf(out, "claim %zu of %s\n", i, mirror_text(mirror, state->instances[i].claim->submitter));
	pool_each(id, &mirror->ads.pool)
		fprintf(out, "ad held %u: %s", mirror->ads.pool.holders[id],
			strings_text(mirror->strings, *(const uint32_t *)pool_key(&mirror->ads.pool, id)));
	pool_each(id, &mirror->classes.pool) {
		fprintf(out, "class of %s", mirror_text(mirror, classes_key(&mirror->classes, id)->accounting_group));
		fprintf(out, ".%s\n", mirror_text(mirror, classes_key(&mirror->classes, id)->accounting_group_user));
	}
	for (size_t row = 0; state->jobs.condor && row < state->jobs.rows; row++)
		fprintf(out, "numbers %d %d\n", state->jobs.condor[row].job_prio,
			state->jobs.condor[row].post_job_prio1);
	for (size_t i = 0; i < state->nhosts; i++) {
		fprintf(out, "%s %d", strings_text(mirror->strings, state->host_names[i]), state->hosts[i].down);
		for (size_t k = 0; k < state->hosts[i].nload; k++) {
			fprintf(out, " %s", strings_text(mirror->strings, state->hosts[i].load[k].name));
			fprintf(out, "=%s", strings_text(mirror->strings, state->hosts[i].load[k].value));
		}
		fputc('\n', out);
	}
	for (size_t i = 0; i < state->nadvances; i++)
		fprintf(out, "%u %s %zu\n", state->advance_numbers[i],
			strings_text(mirror->strings, state->advances[i].name), state->advances[i].ngranted);
	for (size_t i = 0; i < state->tasks.pool.n; i++)
		if (state->tasks.items[i].row != NONE)
			fprintf(out, "task %u order %llu\n", state->tasks.items[i].id,
				(unsigned long long)state->tasks.items[i].order);
}

/* A ledger without records */

static int nothing_debited(void *context, uint32_t job_number, int64_t submission_time, struct debited *debited)
{
	(void)context, (void)job_number, (void)submission_time, (void)debited;
	return 0;
}

static int nothing_ended(void *context, const struct ledger_task *end)
{
	(void)context, (void)end;
	return 0;
}

static void describe_ledger(const struct mirror *mirror, FILE *out)
{
	const struct ledger *ledger = mirror->ledger;

	for (uint32_t i = 0; i < ledger->objects.n; i++)
		fprintf(out, "noted %u\n", ((const struct ledger_object *)pool_key(&ledger->objects, i))->object);
	for (uint32_t i = 0; i < ledger->jobs.n; i++)
		fprintf(out, "job %u\n", *(const uint32_t *)pool_key(&ledger->jobs, i));
	for (uint32_t i = 0; i < ledger->closed.n; i++)
		fprintf(out, "closed %u\n", *(const uint32_t *)pool_key(&ledger->closed, i));
	for (uint32_t i = 0; i < ledger->ended.n; i++)
		fprintf(out, "ended %u, held %u\n", ((const struct ledger_task *)pool_key(&ledger->ended, i))->task,
			ledger->ended.holders[i]);
	for (uint32_t i = 0; i < ledger->names.n; i++) {
		fprintf(out, "%s ",
			strings_text(mirror->strings,
				     ((const struct ledger_names *)pool_key(&ledger->names, i))->user));
		fprintf(out, "%.17g %.17g %llu\n", ledger->sums[i].cpu, ledger->sums[i].wallclock,
			(unsigned long long)ledger->sums[i].tasks);
	}
}

/* Write everything that is visible of a run as text. */
static void describe(struct fixture *fixture, char *text, size_t size)
{
	FILE *out = fmemopen(text, size, "w");
	struct fl_job job;
	struct fl_sharer sharer;

	assert_int_equal(fl_attach(&fixture->reader, fixture->cell.directory), 0);
	fixture->view = fl_begin(fixture->reader);
	for (int list = FL_STARTED; list <= FL_PENDING; list++)
		for (size_t k = 0; fl_get(fixture->view, list, k, &job) == 0; k++)
			fprintf(out, "%u.%u %s %s %s %s %s %u %d %zu %.17g %.17g\n", job.job_number, job.task,
				job.owner, job.project, job.name, job.state, job.hard_resources, job.jobshare,
				job.priority, job.nranges, job.prio, job.tckts);
	for (int kind = FL_USER; kind <= FL_PROJECT; kind++)
		for (size_t k = 0; fl_sharer(fixture->view, kind, k, &sharer) == 0; k++) {
			struct fl_usage red = { 0 };

			fl_user_project_usage(fixture->view, k, "red", &red);
			fprintf(out, "%s %.17g %.17g %.17g %.17g\n", sharer.name, sharer.usage.cpu, sharer.usage.mem,
				sharer.usage.ltio, kind == FL_USER ? red.cpu : 0);
		}
	fprintf(out, "%llu\n", (unsigned long long)free_slots(fixture));
	describe_state(sched_mirror(fixture->sched), out);
	describe_ledger(sched_mirror(fixture->sched), out);
	fclose(out);
}

/* A run may have done a part of its work, and a snapshot is dropped when its end fails. */
static bool is_event(int k)
{
	return k != 6 && k != 10 && k != 15 && k != SNAPSHOT_END && k != SNAPSHOT_END + 1 && k != ORDERS + 5 &&
	       k != STEPS - 1;
}

/* Repeat each step with each of its allocations failing, until it succeeds. */
static void steps_with_failures(struct fixture *fixture, bool with_failures)
{
	for (int k = 0; k < STEPS; k++) {
		long n = 0;
		int code;

		do {
			struct census before = census_take(sched_mirror(fixture->sched)), after;

			left = with_failures ? n++ : -1;
			code = step(fixture, k);
			left = -1;
			after = census_take(sched_mirror(fixture->sched));
			if (code == -ENOMEM && is_event(k))
				census_check("an event without memory", &before, &after);
			if (code != 0 && (code != -ENOMEM || !with_failures))
				fail_msg("step %d, allocation %ld: %s (%s)", k, n - 1, strerror(-code),
					 fixture->error.text);
			for (int again = SNAPSHOT_BEGIN; code != 0 && k == SNAPSHOT_END && again < k; again++)
				/* A snapshot is dropped when its end fails. */
				assert_int_equal(step(fixture, again), 0);
		} while (code != 0);
	}
}

static void test_no_event_and_no_run_is_done_by_half(void **state)
{
	const struct ledger_calls calls = { NULL, nothing_debited, nothing_ended };
	static char expected[20000], text[20000];
	/* The first round fills the library's own caches, and setenv() never frees. */
	long kept[3];

	(void)state;
	for (int round = 0; round < 3; round++) {
		struct fixture *fixture;
		long before = alive;

		assert_int_equal(setup((void **)&fixture), 0);
		put_user(fixture, "zoe");
		reload(fixture);
		sched_mirror(fixture->sched)->ledger = ledger_create(&calls, sched_mirror(fixture->sched)->strings);
		steps_with_failures(fixture, round == 2);
		describe(fixture, round == 2 ? text : expected, sizeof(text));
		assert_int_equal(teardown((void **)&fixture), 0);
		kept[round] = alive - before;
	}
	assert_non_null(strstr(expected, "ended 1,"));
	assert_non_null(strstr(expected, " of bob@lab"));
	assert_string_equal(text, expected);
	assert_int_equal(kept[2], kept[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_event_and_no_run_is_done_by_half),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
