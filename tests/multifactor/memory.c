/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slurm's priorities when memory runs out at any single allocation of an event, a run or a reload:
 * it is refused and can be repeated. The final result, in particular usage, is the same as with
 * enough memory. No memory leaks.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "sched/mirror/mirror.h"
#include "tests/mirror/cell.h"
#include "tests/failing_memory.h"

#ifndef CAN_FAIL

int main(void)
{
	printf("allocations cannot be made to fail in this build\n");
	return 77;
}

#else

static const char CONF[] =
	"PriorityCalcPeriod=1\nPriorityWeightAge=1000\nPriorityWeightFairshare=1000\nPriorityWeightTRES=cpu=400,gres/gpu=10\n"
	"AccountingStorageTRES=gres/gpu\nAccountingStorageEnforce=limits\nPriorityWeightPartition=100\nNodeName=n[1-10] CPUs=4 Gres=gpu:1\n"
	"PartitionName=batch Nodes=ALL Default=YES TRESBillingWeights=CPU=1,gres/gpu=2\nPartitionName=fast Nodes=ALL PriorityTier=5\n";
static const char LARGE[] =
	"Parent - 'root'\nAccount - 'phys':Fairshare=60:GrpTRESMins=cpu=9\nAccount - 'chem':Fairshare=40\nParent - 'phys'\nUser - 'ann'\nUser - 'bob'\n"
	"User - 'bob':Partition='fast'\nParent - 'chem'\nUser - 'cal':Fairshare=7\n";
static const char SMALL[] = "Parent - 'root'\nAccount - 'chem'\nParent - 'chem'\nUser - 'cal'\n";

static const struct granted granted[] = { { .queue = "all.q@node", .slots = 4 } };
static const struct allocated allocated = { "fast", "cpu=4,gres/gpu=1,node=1" };

static int add(struct mirror *mirror, uint32_t number, const char *owner, const char *account, struct error *error)
{
	const struct job_spec spec = { .given = JOB_ACCOUNT,
				       .job_number = number,
				       .owner = owner,
				       .account = account,
				       .submission_time = NOW - 600,
				       .slurm = { .given =
							  SLURM_PARTITION | SLURM_TRES | SLURM_NICE | SLURM_ACCRUE_TIME,
						  .partition = "batch,fast",
						  .tres = "cpu=2,gres/gpu=1",
						  .nice = (int32_t)number,
						  .accrue_time = NOW - 500 } };

	return mirror_job_add(mirror, &spec, error);
}

static int read_again(struct fixture *fixture)
{
	struct report report = { 0 };
	int code = sched_reload(fixture->sched, &report, &fixture->error);

	report_free(&report);
	/* A formula without memory is refused like an invalid one. */
	return code == -EINVAL ? -ENOMEM : code;
}

enum { SNAPSHOT_BEGIN = 10, SNAPSHOT_END = 14, FILE_OTHER = 16, FILE_AGAIN = 19, STEPS = 22 };

static int step(struct fixture *fixture, int k)
{
	struct mirror *mirror = sched_mirror(fixture->sched);
	struct error *error = &fixture->error;

	switch (k) {
	case 0: return add(mirror, 1, "ann", "Phys", error);
	case 1: return add(mirror, 2, "bob", "phys", error);
	case 2: return add(mirror, 3, "cal", "chem", error);
	case 3: return mirror_association_usage(mirror, "PHYS", "ann", "", 5000, 0, error);
	case 4: return sched_run(fixture->sched, NOW, 1, error);
	case 5: return mirror_task_start(mirror, 1, 1, NOW, granted, 1, NULL, &allocated, error);
	case 6: return mirror_task_start(mirror, 2, 1, NOW, granted, 1, NULL, &allocated, error);
	case 7: return sched_run(fixture->sched, NOW + 60, 1, error);
	case 8: return mirror_task_finish(mirror, 1, 1, NOW + 100, NULL, error);
	case 9: return sched_run(fixture->sched, NOW + 120, 1, error);
	case SNAPSHOT_BEGIN: return mirror_snapshot_begin(mirror, error);
	case 11: return add(mirror, 2, "bob", "phys", error);
	case 12: return mirror_task_start(mirror, 2, 1, NOW, granted, 1, NULL, &allocated, error);
	case 13: return mirror_association_usage(mirror, "chem", "cal", "", 70, NOW, error);
	case SNAPSHOT_END: return mirror_snapshot_end(mirror, error);
	case 15: return sched_run(fixture->sched, NOW + 180, 1, error);
	case FILE_OTHER: put(fixture, "associations", SMALL); return 0;
	case 17: return read_again(fixture);
	case 18: return sched_run(fixture->sched, NOW + 240, 1, error);
	case FILE_AGAIN: put(fixture, "associations", LARGE); return 0;
	case 20: return read_again(fixture);
	default: return sched_run(fixture->sched, NOW + 300, 1, error);
	}
}

/* A message without memory is no failure, and later steps are made only if the step is repeated. */
static bool is_reload(int k)
{
	return k == FILE_OTHER + 1 || k == FILE_AGAIN + 1;
}

static void steps(struct fixture *fixture, bool with_failures)
{
	for (int k = 0; k < STEPS; k++) {
		bool failed;
		long n = 0;
		int code;

		do {
			left = with_failures && !is_reload(k + 1) ? n++ : -1;
			code = step(fixture, k);
			failed = with_failures && left < 0;
			left = -1;
			if (code != 0 && (code != -ENOMEM || !with_failures))
				fail_msg("step %d, allocation %ld: %s (%s)", k, n - 1, strerror(-code),
					 fixture->error.text);
			for (int again = SNAPSHOT_BEGIN; code != 0 && k == SNAPSHOT_END && again < k; again++)
				/* A snapshot is dropped when its end fails. */
				assert_int_equal(step(fixture, again), 0);
		} while (code != 0 || (failed && is_reload(k)));
	}
}

static void describe(struct fixture *fixture, char *text, size_t size)
{
	FILE *out = fmemopen(text, size, "w");
	struct fl_association association;
	struct fl_factors factors;

	assert_int_equal(fl_attach(&fixture->reader, fixture->cell.directory), 0);
	fixture->view = fl_begin(fixture->reader);
	for (size_t k = 0; fl_association(fixture->view, k, &association) == 0; k++)
		fprintf(out, "%s %s %s %.17g %.17g %u %s %u %ju\n", association.account, association.user,
			association.partition, association.raw_usage, association.fairshare, association.running_tasks,
			association.group_tres_minutes, association.ntres,
			association.ntres ? (uintmax_t)association.tres_run_minutes[0] : 0);
	for (uint32_t number = 1; number <= 3; number++)
		for (size_t k = 0; fl_factors(fixture->view, number, k, &factors) == 0; k++)
			fprintf(out, "%u %s %s %.17g %.17g %.17g %u\n", number, factors.account, factors.partition,
				factors.age, factors.weighted_tres, factors.sum, factors.priority);
	fclose(out);
}

static void test_a_step_without_memory_has_no_partial_effect(void **state)
{
	static char expected[10000], text[10000];
	long kept[3];			/* the first round fills the library's own caches */

	(void)state;
	for (int round = 0; round < 3; round++) {
		struct fixture *fixture;
		long before = alive;

		assert_int_equal(setup((void **)&fixture), 0);
		put(fixture, "slurm.conf", CONF);
		put(fixture, "associations", LARGE);
		put_away(fixture, "sched_conf");
		reload(fixture);
		steps(fixture, round == 2);
		describe(fixture, round == 2 ? text : expected, sizeof(text));
		assert_int_equal(teardown((void **)&fixture), 0);
		kept[round] = alive - before;
	}
	assert_non_null(strstr(expected, "phys bob fast"));
	assert_string_equal(text, expected);
	assert_int_equal(kept[2], kept[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_step_without_memory_has_no_partial_effect),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
