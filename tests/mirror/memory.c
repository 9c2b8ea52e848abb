/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When memory runs out at any one allocation of an event or a run, the event is refused and has
 * changed nothing, and the run can be made again: what comes out in the end is the same as with
 * memory enough, and nothing leaks.
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
	printf("allocations can't be made to fail here\n");
	return 77;
}

#else

/* Steps */

static const struct usage_value values[] = { { "cpu", 10 }, { "mem", 2 }, { "io", 1 }, { "ru_wallclock", 5 } };
static const struct usage_values usage = { values, 4 }, usage_more = { values, 2 };
static const struct granted granted[] = { { .queue = "all.q@node", .slots = 1 }, { .queue = "all.q@far", .slots = 2 } };
static const struct load_report load[] = { { "np_load_avg", "0.25" }, { "arch", "lx-amd64" }, { "far_value", "7" } };

static const struct load_report other_load[] = { { "np_load_avg", "0.5" }, { "arch", "lx-amd64" } };

static int add(struct mirror *m, uint32_t number, const char *owner, const char *tasks, struct error *error)
{
	struct job_spec spec = { .given = JOB_TASKS | JOB_HOLD | JOB_HOLD_JID | JOB_HOLD_JID_AD | JOB_DEADLINE, .job_number = number, .owner = owner,
				 .project = "red", .name = "long", .hard = "h_rt=60,arch=x", .pe = "mpi", .pe_range = "2-4,7",
				 .hard_queues = "all.q", .soft_queues = "b.q", .master_queues = "c.q", .ckpt = "blcr", .group = "staff",
				 .submission_time = NOW, .hold_jid = &(const uint32_t){ 99 }, .nhold_jid = 1,
				 .hold_jid_ad = (const uint32_t[]){ 96, 95 }, .nhold_jid_ad = 2 };
	int code;

	if (ranges_parse(&spec.tasks, tasks) || ranges_parse(&spec.hold[HOLD_SYSTEM], "3-4"))
		code = -ENOMEM;
	else
		code = mirror_job_add(m, &spec, error);
	ranges_free(&spec.tasks);
	ranges_free(&spec.hold[HOLD_SYSTEM]);
	return code;
}

static int modify(struct mirror *m, uint32_t number, const char *text, struct error *error)
{
	struct job_spec spec = { .given = JOB_TASKS | JOB_HOLD | JOB_HOLD_JID | JOB_NAME | JOB_HARD | JOB_PROJECT | JOB_JOBSHARE | JOB_PRIORITY |
					  JOB_SOFT_QUEUES | JOB_RESERVE,
				 .soft_queues = text, .reserve = true, .job_number = number, .name = text, .hard = text, .project = text, .jobshare = 7, .priority = 70,
				 .hold_jid = (const uint32_t[]){ 98, 97 }, .nhold_jid = 2 };
	int code;

	if (ranges_parse(&spec.tasks, "3-8") || ranges_parse(&spec.hold[HOLD_USER], "1,5,7"))
		code = -ENOMEM;
	else
		code = mirror_job_modify(m, &spec, error);
	ranges_free(&spec.tasks);
	ranges_free(&spec.hold[HOLD_USER]);
	return code;
}

static int tell_object(struct mirror *m, const char *name, struct error *error)
{
	const struct debited_usage debited = { 1, usage };
	const struct project_usage project = { "red", usage, usage };
	const struct object_usage object = { .name = name, .time_stamp = NOW, .usage = usage, .long_term = usage,
					     .debited = &debited, .ndebited = 1, .projects = &project, .nprojects = 1 };

	return mirror_user_usage(m, &object, error);
}

static int tell_advance(struct mirror *m, const char *name, struct error *error)
{
	const struct advance_event event = { .number = 7, .name = name, .owner = "ann", .hard = "lic=1", .state = "r", .start_time = NOW, .end_time = NOW + 60,
					     .granted = { granted, 2 } };

	return mirror_advance(m, &event, error);
}

static int enrol(struct mirror *m, uint32_t number, const char *tasks, const char *in_error, struct error *error)
{
	struct enrolled_event event = { .job_number = number, .error_reason = "full" };
	int code;

	if (ranges_parse(&event.tasks, tasks) || ranges_parse(&event.error, in_error))
		code = -ENOMEM;
	else
		code = mirror_tasks_enrolled(m, &event, error);
	ranges_free(&event.tasks);
	ranges_free(&event.error);
	return code;
}

enum { SNAPSHOT_BEGIN = 17, SNAPSHOT_END = 24, ORDERS = 26, CONDOR = ORDERS + 21, STEPS = CONDOR + 13 };

static int add_condor(struct mirror *m, uint32_t number, const char *rank, struct error *error)
{
	static const struct ad_attribute attributes[] = { { "B", "1 + 1" }, { "A", "\"text\"" } };
	const struct job_spec spec = { .job_number = number, .owner = "ann", .submission_time = NOW,
				       .condor = { .given = CONDOR_ACCOUNTING_GROUP | CONDOR_UID_DOMAIN | CONDOR_RANK | CONDOR_KILL_SIG | CONDOR_AD |
							    CONDOR_JOB_PRIO, .accounting_group = "hep", .uid_domain = "lab", .rank = rank,
						   .kill_sig = "SIGINT", .ad = { attributes, 2 }, .job_prio = 5 } };

	return mirror_job_add(m, &spec, error);
}

static int modify_condor(struct mirror *m, uint32_t number, const char *rank, struct error *error)
{
	static const struct ad_attribute attribute = { "AccountingGroup", "\"bio.zoe\"" };
	const struct job_spec spec = { .job_number = number, .condor = { .given = CONDOR_RANK | CONDOR_AD | CONDOR_POST_JOB_PRIO1, .rank = rank,
								       .ad = { &attribute, 1 }, .post_job_prio1 = 7 } };

	return mirror_job_modify(m, &spec, error);
}

static int tell_slot(struct mirror *m, const char *memory, const char *machine, struct error *error)
{
	const struct ad_attribute attributes[] = { { "Memory", memory }, { "Cpus", "2" }, { "PartitionableSlot", "true" } };

	return mirror_slot(m, &(struct slot_event){ "slot1@far", machine, { attributes, 3 }, UINT64_MAX }, error);
}

static int tell_claim(struct mirror *m, const char *submitter, struct error *error)
{
	return mirror_claim(m, &(struct claim_event){ .slot = "slot1@far", .submitter = submitter, .weight = 2.0, .concurrency_limits = "db",
						      .preempting = "zoe@lab" }, error);
}

static int condor_step(struct fixture *f, int k)
{
	struct mirror *m = sched_mirror(f->sched);
	struct error *e = &f->error;

	switch (k) {
	case 0: return add_condor(m, 4, "Memory", e);
	case 1: return add_condor(m, 5, "Memory", e);
	case 2: return modify_condor(m, 5, "-Memory", e);
	case 3: return tell_slot(m, "5", "far", e);
	case 4: return tell_claim(m, "ann@lab", e);
	case 5: return tell_slot(m, "6", "other", e);
	case 6: return tell_claim(m, "bob@lab", e);
	case 7: return mirror_task_start(m, 4, 1, NOW, granted, 1, NULL, NULL, e);
	case 8: return mirror_usage(m, 4, 1, &usage, e);
	case 9: return mirror_vacated(m, &(struct vacated_event){ 4, 1, VACATED_HARD }, e);
	case 10: return mirror_job_delete(m, 5, e);
	case 11: return add_condor(m, 5, "Memory", e);
	default: return sched_run(f->sched, NOW + 50, 1, e);
	}
}

static int order_step(struct fixture *f, int k)
{
	struct mirror *m = sched_mirror(f->sched);
	struct error *e = &f->error;

	switch (k) {
	case 0: return add(m, 3, "ann", "1-40", e);
	case 1: return mirror_order_start(m, 3, 20, NOW, granted, 2, "mpi", 1, e);
	case 2: return mirror_order_start(m, 3, 30, NOW, granted, 1, NULL, 2, e);
	case 3: return mirror_order_start(m, 3, 6, NOW, granted, 1, NULL, 3, e);
	case 4: return mirror_usage(m, 3, 20, &usage, e);
	case 5: return sched_run(f->sched, NOW + 40, 1, e);
	case 6: return mirror_task_start(m, 3, 30, NOW, granted, 2, "mpi", NULL, e);
	case 7: return mirror_order_void(m, 3, 20, 1, e);
	case 8: return mirror_order_start(m, 3, 9, NOW, granted, 1, NULL, 4, e);
	/* 3 to 8 wait in the qmaster: 9 is gone, 6 stays ordered */
	case 9: return modify(m, 3, "other", e);
	case 10: return mirror_queue_instance(m, "all.q@far", 7, "au", e);
	case 11: return tell_advance(m, "first", e);
	case 12: return tell_advance(m, "second", e);
	case 13: return enrol(m, 3, "4-8:2", "4", e);		/* 6 is ordered */
	case 14: return mirror_reschedule_unknown(m, "node", &(const struct task_name){ 3, 4 }, 1, e);
	case 15: return mirror_order_void(m, 3, 6, 3, e);
	case 16: return mirror_task_start(m, 3, 8, NOW, granted, 2, NULL, NULL, e);
	case 17: return mirror_task_requeue(m, 3, 8, e);
	case 18: return mirror_host_load(m, "far", other_load, 2, e);	/* the same names as before */
	case 19: return mirror_job_keep(m, 3, e);
	default: return mirror_task_unseen(m, 3, 4, NOW - 5, e);
	}
}

static int step(struct fixture *f, int k)
{
	struct mirror *m = sched_mirror(f->sched);
	struct error *e = &f->error;

	switch (k) {
	case 0: return add(m, 1, "ann", "1-9:2,10-20", e);
	case 1: return add(m, 2, "bob", "1-4", e);
	case 2: return mirror_queue_instance(m, "all.q@node", UINT32_MAX, "", e);
	case 3: return mirror_task_start(m, 1, 1, NOW, granted, 2, "mpi", NULL, e);
	case 4: return mirror_task_start(m, 1, 15, NOW, granted, 1, NULL, NULL, e);
	case 5: return mirror_usage(m, 1, 15, &usage, e);
	case 6: return sched_run(f->sched, NOW, 1, e);
	case 7: return modify(m, 2, "other", e);
	case 8: return mirror_task_finish(m, 1, 1, 0, &usage, e);
	case 9: return mirror_host_state(m, "far", false, e);
	case 10: return sched_run(f->sched, NOW + 10, 1, e);
	case 11: return mirror_task_requeue(m, 1, 15, e);
	case 12: return mirror_task_start(m, 1, 12, NOW, granted, 2, NULL, NULL, e);
	case 13: return mirror_usage(m, 1, 12, &usage, e);
	case 14: return tell_object(m, "ann", e);
	case 15: return sched_run(f->sched, NOW + 20, 1, e);
	case 16: return mirror_job_delete(m, 1, e);
	case SNAPSHOT_BEGIN: return mirror_snapshot_begin(m, e);
	case 18: return add(m, 1, "zoe", "1-3", e);
	case 19: return mirror_task_start(m, 1, 2, NOW, granted, 1, NULL, NULL, e);
	case 20: return mirror_usage(m, 1, 2, &usage_more, e);
	case 21: return tell_object(m, "cal", e);
	case 22: return mirror_host_load(m, "far", load, 3, e);
	case 23: return mirror_host_load(m, "far", load, 2, e);
	case SNAPSHOT_END: return mirror_snapshot_end(m, e);
	case SNAPSHOT_END + 1: return sched_run(f->sched, NOW + 30, 1, e);
	default: return k < CONDOR ? order_step(f, k - ORDERS) : condor_step(f, k - CONDOR);
	}
}

/* What is kept for those who look for slots. */
static void describe_state(const struct mirror *m, FILE *out)
{
	const struct state *s = m->state;

	for (size_t i = 0; i < s->ninstances; i++)
		fprintf(out, "%s %u %s %d\n", strings_text(m->strings, s->instance_names[i]), s->instances[i].slots, s->instances[i].state,
			(int)s->instances[i].place);
	for (size_t i = 0; i < s->ninstances; i++)
		if (s->instances[i].claim)
			fprintf(out, "claim %zu of %s\n", i, mirror_text(m, s->instances[i].claim->submitter));
	pool_each(id, &m->ads.pool)
		fprintf(out, "ad held %u: %s", m->ads.pool.holders[id], strings_text(m->strings, *(const uint32_t *)pool_key(&m->ads.pool, id)));
	pool_each(id, &m->classes.pool) {
		fprintf(out, "class of %s", mirror_text(m, classes_key(&m->classes, id)->accounting_group));
		fprintf(out, ".%s\n", mirror_text(m, classes_key(&m->classes, id)->accounting_group_user));
	}
	for (size_t row = 0; s->jobs.condor && row < s->jobs.rows; row++)
		fprintf(out, "numbers %d %d\n", s->jobs.condor[row].job_prio, s->jobs.condor[row].post_job_prio1);
	for (size_t i = 0; i < s->nhosts; i++) {
		fprintf(out, "%s %d", strings_text(m->strings, s->host_names[i]), s->hosts[i].down);
		for (size_t k = 0; k < s->hosts[i].nload; k++) {
			fprintf(out, " %s", strings_text(m->strings, s->hosts[i].load[k].name));
			fprintf(out, "=%s", strings_text(m->strings, s->hosts[i].load[k].value));
		}
		fputc('\n', out);
	}
	for (size_t i = 0; i < s->nadvances; i++)
		fprintf(out, "%u %s %zu\n", s->advance_numbers[i], strings_text(m->strings, s->advances[i].name), s->advances[i].ngranted);
	for (size_t i = 0; i < s->tasks.pool.n; i++)
		if (s->tasks.items[i].row != NONE)
			fprintf(out, "task %u order %llu\n", s->tasks.items[i].id, (unsigned long long)s->tasks.items[i].order);
}

/* A ledger that nobody takes */

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

static void describe_ledger(const struct mirror *m, FILE *out)
{
	const struct ledger *l = m->ledger;

	for (uint32_t i = 0; i < l->objects.n; i++)
		fprintf(out, "noted %u\n", ((const struct ledger_object *)pool_key(&l->objects, i))->object);
	for (uint32_t i = 0; i < l->jobs.n; i++)
		fprintf(out, "job %u\n", *(const uint32_t *)pool_key(&l->jobs, i));
	for (uint32_t i = 0; i < l->closed.n; i++)
		fprintf(out, "closed %u\n", *(const uint32_t *)pool_key(&l->closed, i));
	for (uint32_t i = 0; i < l->ended.n; i++)
		fprintf(out, "ended %u, held %u\n", ((const struct ledger_task *)pool_key(&l->ended, i))->task, l->ended.holders[i]);
	for (uint32_t i = 0; i < l->names.n; i++) {
		fprintf(out, "%s ", strings_text(m->strings, ((const struct ledger_names *)pool_key(&l->names, i))->user));
		fprintf(out, "%.17g %.17g %llu\n", l->sums[i].cpu, l->sums[i].wallclock, (unsigned long long)l->sums[i].tasks);
	}
}

/* All that can be seen of a run, as text. */
static void describe(struct fixture *f, char *text, size_t size)
{
	FILE *out = fmemopen(text, size, "w");
	struct fl_job job;
	struct fl_sharer s;

	assert_int_equal(fl_attach(&f->reader, f->cell.directory), 0);
	f->view = fl_begin(f->reader);
	for (int list = FL_STARTED; list <= FL_PENDING; list++)
		for (size_t k = 0; fl_get(f->view, list, k, &job) == 0; k++)
			fprintf(out, "%u.%u %s %s %s %s %s %u %d %zu %.17g %.17g\n", job.job_number, job.task, job.owner, job.project, job.name,
				job.state, job.hard_resources, job.jobshare, job.priority, job.nranges, job.prio, job.tckts);
	for (int kind = FL_USER; kind <= FL_PROJECT; kind++)
		for (size_t k = 0; fl_sharer(f->view, kind, k, &s) == 0; k++) {
			struct fl_usage red = { 0 };

			fl_user_project_usage(f->view, k, "red", &red);
			fprintf(out, "%s %.17g %.17g %.17g %.17g\n", s.name, s.usage.cpu, s.usage.mem, s.usage.ltio, kind == FL_USER ? red.cpu : 0);
		}
	fprintf(out, "%llu\n", (unsigned long long)free_slots(f));
	describe_state(sched_mirror(f->sched), out);
	describe_ledger(sched_mirror(f->sched), out);
	fclose(out);
}

/* A run may have done part of its work, and a snapshot whose end fails is gone. */
static bool is_event(int k)
{
	return k != 6 && k != 10 && k != 15 && k != SNAPSHOT_END && k != SNAPSHOT_END + 1 && k != ORDERS + 5 && k != STEPS - 1;
}

/* Each step with each of its allocations failing, until it gets by. */
static void steps_with_failures(struct fixture *f, bool with_failures)
{
	for (int k = 0; k < STEPS; k++) {
		long n = 0;
		int code;

		do {
			struct census before = census_take(sched_mirror(f->sched)), after;

			left = with_failures ? n++ : -1;
			code = step(f, k);
			left = -1;
			after = census_take(sched_mirror(f->sched));
			if (code == -ENOMEM && is_event(k))
				census_check("an event without memory", &before, &after);
			if (code != 0 && (code != -ENOMEM || !with_failures))
				fail_msg("step %d, allocation %ld: %s (%s)", k, n - 1, strerror(-code), f->error.text);
			for (int again = SNAPSHOT_BEGIN; code != 0 && k == SNAPSHOT_END && again < k; again++)
				/* it is given up when its end fails */
				assert_int_equal(step(f, again), 0);
		} while (code != 0);
	}
}

static void test_no_event_and_no_run_is_done_by_half(void **state)
{
	const struct ledger_calls calls = { NULL, nothing_debited, nothing_ended };
	static char expected[20000], text[20000];
	/* the first round fills the library's own caches, and setenv() never frees */
	long kept[3];

	(void)state;
	for (int round = 0; round < 3; round++) {
		struct fixture *f;
		long before = alive;

		assert_int_equal(setup((void **)&f), 0);
		put_user(f, "zoe");
		reload(f);
		sched_mirror(f->sched)->ledger = ledger_create(&calls, sched_mirror(f->sched)->strings);
		steps_with_failures(f, round == 2);
		describe(f, round == 2 ? text : expected, sizeof(text));
		assert_int_equal(teardown((void **)&f), 0);
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
