/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sched/dispatch/why/why.h"
#include "tests/failing_memory.h"

static int setup(void **state)
{
	static struct why why;

	why = (struct why){ 0 };
	why_begin(&why, false);
	*state = &why;
	return 0;
}

static int teardown(void **state)
{
	why_free(*state);
	return 0;
}

/* Counting */

static void test_the_same_check_on_many_objects_is_one_reason(void **state)
{
	struct why *why = *state;
	uint32_t list = why_list(why);
	const struct why_reason *reason;

	for (int i = 0; i < 1000; i++)
		why_add(why, list, WHY_CONSUMABLE, "mem",
			i == 0	   ? "first"
			: i == 700 ? "least"
			: i == 800 ? "also"
				   : "other",
			8, i == 700 || i == 800 ? 6 : 2);
	assert_int_equal(list, 1);
	assert_int_equal(why->lists[list].n, 1);
	reason = &why->lists[list].reasons[0];
	assert_int_equal(reason->kind, WHY_CONSUMABLE);
	assert_int_equal(reason->count, 1000);
	assert_string_equal(reason->subject, "mem");
	assert_string_equal(reason->object, "least");
	assert_true(reason->wanted == 8 && reason->had == 6);
	assert_int_equal(why->total, 1);
	assert_false(why->incomplete);
}

static void test_without_numbers_the_first_object_is_the_example(void **state)
{
	struct why *why = *state;
	const struct why_reason *reason;

	why_add(why, 0, WHY_FULL, NULL, "a", 0, 0);
	why_add(why, 0, WHY_FULL, NULL, "b", 0, 0);
	why_add(why, 0, WHY_FULL, NULL, "c", NAN, 1);
	reason = &why->lists[0].reasons[0];
	assert_int_equal(why->lists[0].n, 1);
	assert_string_equal(reason->object, "a");
	assert_int_equal(reason->count, 3);
	why_add(why, 0, WHY_OVERLOADED, NULL, "x", NAN, 5);	/* NaN is refused */
	reason = &why->lists[0].reasons[1];
	assert_true(reason->wanted == 0 && reason->had == 0);
}

static void test_kinds_and_subjects_are_compared_by_their_text(void **state)
{
	struct why *why = *state;
	char a[] = "np_load_avg=1.75", b[] = "np_load_avg=1.75", c[] = "np_load_avg=1.76";
	uint32_t one = why_list(why), two = why_list(why);

	for (int i = 0; i < 3; i++) {
		why_add(why, one, WHY_OVERLOADED, a, "q", 0, 0);
		why_add(why, one, WHY_OVERLOADED, b, "q", 0, 0);	/* equal text at another address */
		why_add(why, one, WHY_OVERLOADED, c, "q", 0, 0);
		why_add(why, one, WHY_SUSPENDED_BY_LOAD, a, "q", 0, 0);
		why_add(why, one, WHY_OVERLOADED, NULL, "q", 0, 0);
	}
	why_add(why, two, WHY_OVERLOADED, a, "q", 0, 0);
	assert_int_equal(why->lists[one].n, 4);
	assert_int_equal(why->lists[one].reasons[0].count, 6);
	for (int i = 1; i < 4; i++)
		assert_int_equal(why->lists[one].reasons[i].count, 3);
	assert_int_equal(why->lists[two].n, 1);
	assert_int_equal(why->lists[two].reasons[0].count, 1);
}

static void test_a_new_run_has_no_reasons(void **state)
{
	struct why *why = *state;
	uint32_t list = why_list(why);

	why_add(why, list, WHY_FULL, why_text(why, "text"), "q", 0, 0);
	why->incomplete = true;
	why_begin(why, false);
	assert_int_equal(why->n + why->total + why->texts.n, 0);
	assert_false(why->incomplete);
	why_add(why, 0, WHY_FULL, NULL, "q", 0, 0);
	assert_int_equal(why->lists[0].n, 1);
	assert_int_equal(why_list(why), 1);
	assert_int_equal(why->lists[1].n, 0);
}

static void test_a_jobs_own_list_continues_with_its_categorys(void **state)
{
	struct why *why = *state;
	uint32_t category = why_list(why), job = why_list_before(why, category);

	assert_true(job > category);
	assert_int_equal(why->lists[job].next, category);
	assert_int_equal(why->lists[category].next, 0);
}

/*
 * Twenty subjects at forty addresses, in short and long lists, counted by a second, simpler
 * program.
 */
static void test_random_reasons_are_counted_like_a_simple_table(void **state)
{
	enum { LISTS = 5, SUBJECTS = 20 };
	unsigned seed = getenv("SEED") ? (unsigned)atoi(getenv("SEED")) : 4711;
	static uint32_t counts[LISTS][WHY_WITHHELD][SUBJECTS];
	static double least[LISTS][WHY_WITHHELD][SUBJECTS];
	static char subjects[2][SUBJECTS][8];
	struct why *why = *state;

	print_message("seed %u\n", seed);
	for (int i = 0; i < 2 * SUBJECTS; i++)
		snprintf(subjects[i % 2][i / 2], sizeof(subjects[0][0]), "s%d", i / 2);
	for (int i = 1; i < LISTS; i++)
		assert_int_equal(why_list(why), i);
	for (int i = 0; i < 20000; i++) {
		uint32_t list = (uint32_t)(rand_r(&seed) % LISTS), kind = (uint32_t)(rand_r(&seed) % 3),
			 subject = (uint32_t)(rand_r(&seed) % SUBJECTS);
		double lack = 1 + rand_r(&seed) % 1000;

		why_add(why, list, kind, subjects[rand_r(&seed) % 2][subject], "o", 5 + lack, 5);
		if (counts[list][kind][subject]++ == 0 || lack < least[list][kind][subject])
			least[list][kind][subject] = lack;
	}
	for (uint32_t list = 0; list < LISTS; list++) {
		uint32_t n = 0;

		for (uint32_t i = 0; i < why->lists[list].n; i++) {
			const struct why_reason *reason = &why->lists[list].reasons[i];
			int subject = atoi(reason->subject + 1);

			assert_int_equal(reason->count, counts[list][reason->kind][subject]);
			assert_true(reason->wanted - reason->had == least[list][reason->kind][subject]);
		}
		for (uint32_t i = 0; i < 3 * SUBJECTS; i++)
			n += counts[list][i / SUBJECTS][i % SUBJECTS] > 0;
		assert_int_equal(why->lists[list].n, n);
	}
}

/* Bounds */

static void test_reasons_beyond_the_limit_of_a_list_are_counted(void **state)
{
	struct why *why = *state;
	uint32_t list = why_list(why);
	const struct why_list *l;

	for (unsigned i = 0; i < 1000; i++)
		why_add(why, list, WHY_QUOTA, why_text(why, "set/%u", i), "q", 2, 1);
	why_add(why, list, WHY_QUOTA, why_text(why, "set/%u", 3), "q", 2, 1);
	l = &why->lists[list];
	assert_int_equal(l->n, WHY_REASONS);
	assert_int_equal(l->reasons[3].count, 2);
	assert_int_equal(l->reasons[WHY_REASONS - 2].kind, WHY_QUOTA);
	assert_int_equal(l->reasons[WHY_REASONS - 1].kind, WHY_OTHERS);
	assert_int_equal(l->reasons[WHY_REASONS - 1].count, 1000 - (WHY_REASONS - 1));
	assert_null(l->reasons[WHY_REASONS - 1].object);
	assert_false(why->incomplete);
}

static void test_lists_reasons_and_texts_of_a_run_are_bounded(void **state)
{
	struct why *why = *state;
	char subject[WHY_REASONS][8];

	for (unsigned i = 0; i < WHY_REASONS; i++)
		snprintf(subject[i], sizeof(subject[i]), "%u", i);
	for (unsigned i = 1; i < WHY_LISTS; i++)
		assert_int_equal(why_list(why), i);
	assert_int_equal(why_list(why), 0);
	assert_int_equal(why_list_before(why, 7), 7);
	assert_true(why->incomplete);
	why->incomplete = false;
	for (unsigned i = 0; i < WHY_TOTAL; i++)
		why_add(why, i / WHY_REASONS, WHY_FORCED, subject[i % WHY_REASONS], "q", 0, 0);
	assert_int_equal(why->total, WHY_TOTAL);
	assert_false(why->incomplete);
	why_add(why, WHY_LISTS - 1, WHY_FORCED, "more", "q", 0, 0);
	assert_int_equal(why->total, WHY_TOTAL);
	assert_true(why->incomplete);
	why->incomplete = false;
	why_add(why, 5, WHY_FORCED, subject[1], "q", 0, 0);	/* stored already */
	assert_false(why->incomplete);
	assert_int_equal(why->lists[5].reasons[1].count, 2);
}

static void test_texts_are_kept_once_and_bounded(void **state)
{
	struct why *why = *state;
	char expected[WHY_TEXT_BYTES], longer[400];
	const char *text = why_text(why, "%s/%d", "set", 1);

	assert_string_equal(text, "set/1");
	assert_ptr_equal(text, why_text(why, "set/%d", 1));
	assert_int_equal(why->texts.n, 1);
	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	snprintf(expected, sizeof(expected), "%.*s...", (int)WHY_TEXT_BYTES - 4, longer);
	assert_string_equal(why_text(why, "%s", longer), expected);
	for (unsigned i = 0; why->texts.n < WHY_TEXTS; i++)
		assert_string_not_equal(why_text(why, "%u", i), "");
	assert_false(why->incomplete);
	assert_string_equal(why_text(why, "one more"), "");
	assert_true(why->incomplete);
	assert_ptr_equal(text, why_text(why, "set/1"));
}

#ifdef CAN_FAIL
/*
 * Fill lists, reasons and texts with one more successful allocation. Return whether all succeeded.
 */
static bool fill_with(struct why *why, long allocations)
{
	uint32_t list;

	left = allocations;
	why_begin(why, false);
	for (unsigned i = 0; i < 100; i++) {
		list = why_list(why);
		assert_true(list <= i + 1);
		for (unsigned k = 0; k < 20; k++)
			why_add(why, list, WHY_QUOTA, why_text(why, "%u", k), "q", 2, 1);
	}
	left = -1;
	return !why->incomplete;
}

static void test_without_memory_reasons_are_incomplete_and_valid(void **state)
{
	long before, n = 0;

	(void)state;
	before = alive;
	for (bool complete = false; !complete; n++) {
		struct why why = { 0 };

		complete = fill_with(&why, n);
		assert_true(fill_with(&why, -1));	/* the next run has enough memory */
		assert_int_equal(why.n, 101);
		assert_int_equal(why.total, 2000);
		assert_int_equal(why.texts.n, 20);
		why_free(&why);
		assert_int_equal(alive, before);
	}
	assert_true(n > 100);
}
#endif

/* Sentences */

#define COMPLETE(KIND, SUBJECT, OBJECT, WANTED, HAD) \
	{ .kind = KIND, .count = 3, .subject = SUBJECT, .object = OBJECT, .wanted = WANTED, .had = HAD }

static const struct {
	struct why_reason reason;
	const char *sentence;
} sentences[] = {
	{ COMPLETE(WHY_DISABLED, "du", "q@a", 0, 0), "takes no jobs in state du: q@a and 2 others" },
	{ COMPLETE(WHY_OVERLOADED, "np=1.75", "q@a", 1.75, 2.5), "load is beyond the threshold np=1.75, it is 2.5: q@a and 2 others" },
	{ COMPLETE(WHY_SUSPENDED_BY_LOAD, "np=3", "q@a", 0, 0), "load is beyond the suspend threshold np=3: q@a and 2 others" },
	{ COMPLETE(WHY_FULL, NULL, "q@a", 0, 0), "no slot is free: q@a and 2 others" },
	{ COMPLETE(WHY_HOST_UNKNOWN, NULL, "q@a", 0, 0), "the host is not available: q@a and 2 others" },
	{ COMPLETE(WHY_USER_LISTS, "xuser_lists", "global", 0, 0), "xuser_lists does not admit the owner: global and 2 others" },
	{ COMPLETE(WHY_PROJECTS, "projects", "a", 0, 0), "projects does not admit the project: a and 2 others" },
	{ COMPLETE(WHY_QUEUE_REQUEST, "b.q", "q@a", 0, 0), "not among the requested queues b.q: q@a and 2 others" },
	{ COMPLETE(WHY_QTYPE, "BATCH", "q@a", 0, 0), "is not of type BATCH: q@a and 2 others" },
	{ COMPLETE(WHY_PE_LIST, "mpi", "q@a", 0, 0), "does not offer parallel environment mpi: q@a and 2 others" },
	{ COMPLETE(WHY_CKPT_LIST, "c", "q@a", 0, 0), "does not offer checkpointing environment c: q@a and 2 others" },
	{ COMPLETE(WHY_FORCED, "gpu", "q@a", 0, 0), "takes only jobs that request gpu: q@a and 2 others" },
	{ COMPLETE(WHY_NO_ATTRIBUTE, "gpu", "q@a", 0, 0), "does not have the requested gpu: q@a and 2 others" },
	{ COMPLETE(WHY_ATTRIBUTE, "num_proc=8", "a", 8, 4), "does not satisfy the request num_proc=8, it has 4: a and 2 others" },
	{ COMPLETE(WHY_ATTRIBUTE, "arch=x", "a", 0, 0), "does not satisfy the request arch=x: a and 2 others" },
	{ COMPLETE(WHY_CONSUMABLE, "lic", "global", 2, 1), "not enough lic is left: 1, and 2 is needed: global and 2 others" },
	{ COMPLETE(WHY_EXCLUSIVE, "excl", "a", 0, 0), "exclusive use (excl) is not possible now: a and 2 others" },
	{ COMPLETE(WHY_CONSUMABLE, "slots", "q@a", 1, 0), "not enough slots are left: 0, and 1 is needed: q@a and 2 others" },
	{ COMPLETE(WHY_PE_HOSTS, "mpi", NULL, 1, 0), "too few slots were found for parallel environment mpi: 0, and 1 is needed" },
	{ COMPLETE(WHY_KEPT, "slots: job 4, 1700000120, 14400", "q@a", 1, 0),
	  "slots are free, but kept for job 4 from 11/14/2023 22:15:20 on: a job that ends by then could start, but this one takes 4:00:00: q@a and 2 others" },
	{ COMPLETE(WHY_KEPT, "lic: advance reservation 7, 1700000120, 0", "global", 1, 0),
	  "lic is free, but kept for advance reservation 7 from 11/14/2023 22:15:20 on: a job that ends by then could start, "
	  "but this one has no time limit: global and 2 others" },
	{ COMPLETE(WHY_KEPT, "lic: advance reservation 7, 0, 100", "q@a", 1, 0), "lic is free, but kept for advance reservation 7: q@a and 2 others" },
	{ COMPLETE(WHY_KEPT, "odd", "q@a", 1, 0), "free resources are kept for others: odd: q@a and 2 others" },
	{ COMPLETE(WHY_SLOTS, "mpi", "a", 8, 3), "parallel environment mpi needs all slots on one host: 8, but no host has more than 3 free: a and 2 others" },
	{ COMPLETE(WHY_QUOTA, "max/1: slots", "q@a", 2, 0), "resource quota max/1: slots is used up: 0 is left, and 2 is needed: q@a and 2 others" },
	{ COMPLETE(WHY_MASTER_QUEUE, "m.q", NULL, 0, 0), "no queue of m.q can take the master task" },
	{ COMPLETE(WHY_NO_PE, "mpi*", NULL, 0, 0), "there is no parallel environment mpi* that it may use" },
	{ COMPLETE(WHY_PE_SLOTS, "mpi", NULL, 4, 2), "parallel environment mpi has too few slots left: 2, and 4 are needed" },
	{ COMPLETE(WHY_PE_RANGE, "mpi", NULL, 0, 0), "the allocation rule of parallel environment mpi fits none of the requested numbers of slots" },
	{ COMPLETE(WHY_PE_HOSTS, "mpi", NULL, 64, 60), "too few slots were found for parallel environment mpi: 60, and 64 are needed" },
	{ COMPLETE(WHY_NO_CKPT, "c", NULL, 0, 0), "there is no checkpointing environment c" },
	{ COMPLETE(WHY_MAXUJOBS, NULL, NULL, 0, 4), "the owner runs as many jobs as maxujobs allows: 4" },
	{ COMPLETE(WHY_RESERVED, NULL, NULL, 0, 1700000000), "resources are reserved for it at 11/14/2023 22:13:20" },
	{ COMPLETE(WHY_NOT_REACHED, NULL, NULL, 0, 0), "jobs ahead of it took all free slots" },
	{ COMPLETE(WHY_WITHHELD, "slots", "q@a", 0, 0), "its start was withheld because it would have violated an invariant (slots): q@a and 2 others" },
	{ COMPLETE(WHY_OTHERS, NULL, NULL, 0, 0), "other checks failed as well, 3 times" },
	{ { .kind = WHY_OTHERS }, "there were more reasons than could be stored" },
	{ COMPLETE(WHY_NO_ADVANCE, "7", NULL, 0, 0), "there is no advance reservation 7" },
	{ COMPLETE(WHY_ADVANCE_WAITS, "7", NULL, 0, 1700000000), "advance reservation 7 does not begin before 11/14/2023 22:13:20" },
	{ COMPLETE(WHY_ADVANCE_ERROR, "7", NULL, 0, 0), "advance reservation 7 is in error" },
	{ COMPLETE(WHY_ADVANCE_ACCESS, "7", NULL, 0, 0), "advance reservation 7 does not admit the owner" },
	{ COMPLETE(WHY_ADVANCE_QUEUE, "7", "all.q@ada", 0, 0), "is not part of advance reservation 7: all.q@ada and 2 others" },
	{ COMPLETE(WHY_RESCHEDULED, NULL, "all.q@ada", 0, 0), "it was rescheduled because this host did not respond, and may still run there: all.q@ada and 2 others" },
	{ COMPLETE(WHY_ORDER_LENGTH, NULL, NULL, 0, 7000), "it would start in more queue instances than one order can name: 7000" },
	{ { .kind = WHY_IN_ERROR, .count = 1 }, "it is in error state" },
	{ { .kind = WHY_ON_HOLD, .count = 1 }, "it is held" },
	{ { .kind = WHY_ON_HOLD, .count = 1, .subject = "u" }, "it is held (u): its owner or an operator can release it" },
	{ { .kind = WHY_ON_HOLD, .count = 1, .subject = "uo" }, "it is held (uo): an operator can release it" },
	{ { .kind = WHY_ON_HOLD, .count = 1, .subject = "us" }, "it is held (us): a manager can release it" },
	{ { .kind = WHY_ON_HOLD, .count = 1, .subject = "a" }, "it is held (a) until the same tasks of another array have ended" },
	{ { .kind = WHY_ON_HOLD, .count = 1, .subject = "ua" },
	  "it is held (ua): its owner or an operator can release it, and the same tasks of another array have to end" },
	{ { .kind = WHY_PREDECESSOR, .count = 1, .had = 4711 }, "it waits for the end of job 4711" },
	{ { .kind = WHY_PREDECESSOR, .count = 12 }, "it waits for the end of 12 more jobs" },
	{ { .kind = WHY_PREDECESSOR, .count = 1 }, "it waits for the end of another job" },
	{ { .kind = WHY_EXECUTION_TIME, .count = 1, .had = 1700000000 }, "it must not start before 11/14/2023 22:13:20" },
	{ { .kind = WHY_TASK_LIMIT, .count = 1 }, "as many of its tasks run as -tc and max_aj_instances allow" },
	{ { .kind = WHY_SLICE, .count = 1, .subject = "ann@pool", .wanted = 6.5, .had = 6 }, "the slice of ann@pool in the pool is used up: 6 of 6.5" },
	{ { .kind = WHY_CEILING, .count = 1, .subject = "ann@pool", .wanted = 4, .had = 4 }, "ann@pool is at its ceiling: 4 of 4" },
	{ { .kind = WHY_GROUP_LIMIT, .count = 1, .subject = "physics", .wanted = 20, .had = 19.5 }, "group physics is at its limit: 19.5 of 20" },
	{ { .kind = WHY_GROUP_CAP, .count = 1, .subject = "physics.hep", .object = "physics" },
	  "group physics.hep is limited by the quota of the group above it: physics" },
	{ { .kind = WHY_CONCURRENCY_LIMIT, .count = 1, .subject = "matlab", .wanted = 6, .had = 5 },
	  "not enough of concurrency limit matlab is left: 5, and 6 is needed" },
	{ { .kind = WHY_PREEMPTION, .count = 7 }, "PREEMPTION_REQUIREMENTS is not true for matching slots in use: 7" },
	{ { .kind = WHY_RANK, .count = 7 }, "slots prefer the jobs that they run: 7" },
	{ { .kind = WHY_NO_MATCH, .count = 7 }, "none of the slots matches: 7" },
	{ { .kind = WHY_JOB_REQUIREMENTS, .count = 5 }, "its Requirements are not true for slots: 5" },
	{ { .kind = WHY_SLOT_REQUIREMENTS, .count = 2 }, "Requirements of slots do not admit it: 2" },
	{ { .kind = WHY_PLACE, .count = 1 }, "it cannot use queue instances: 1" },
	{ { .kind = WHY_CLAIMED, .count = 4 }, "slots are in use: 4" },
	{ { .kind = WHY_HELD_BY, .count = 3, .subject = "bob@pool" }, "bob@pool has slots: 3" },
	{ { .kind = WHY_VACATING, .count = 2 }, "slots are being vacated for it: 2" },
	{ { .kind = WHY_TIME_UP, .count = 1 }, "the negotiation had no time left for it (NEGOTIATOR_MAX_TIME_PER_...)" },
	{ { .kind = WHY_NEXT_CYCLE, .count = 1, .had = 1784073600 }, "the next negotiation cycle is due at 07/15/2026 00:00:00" },
	{ { .kind = WHY_NO_SUBMITTER, .count = 1 }, "owner, accounting group and domain do not form a valid submitter name" },
	{ { .kind = WHY_KINDS, .count = 1, .subject = "s", .object = "o" }, "unknown reason (s): o" },
	{ { .kind = WHY_FULL, .count = 1, .object = "q@a" }, "no slot is free: q@a" },
	{ { .kind = WHY_FULL, .count = 2, .object = "q@a" }, "no slot is free: q@a and 1 other" },
};

static void test_every_kind_has_a_name_and_a_sentence(void **state)
{
	bool said[WHY_KINDS + 1] = { false };
	char text[400];

	(void)state;
	for (size_t i = 0; i < sizeof(sentences) / sizeof(*sentences); i++) {
		size_t length = why_sentence(text, sizeof(text), &sentences[i].reason);

		assert_string_equal(text, sentences[i].sentence);
		assert_int_equal(length, strlen(text));
		said[sentences[i].reason.kind] = true;
	}
	for (unsigned kind = 0; kind < WHY_KINDS; kind++) {
		assert_true(said[kind]);
		assert_non_null(why_kind_name(kind));
		for (unsigned other = 0; other < kind; other++)
			assert_string_not_equal(why_kind_name(other), why_kind_name(kind));
	}
	assert_string_equal(why_kind_name(WHY_KINDS), "unknown");
}

static void assert_numbers(unsigned unit, double wanted, double had, const char *expected)
{
	const struct why_reason reason = {
		.kind = WHY_CONSUMABLE, .unit = (uint16_t)unit, .count = 1, .subject = "c", .wanted = wanted, .had = had
	};
	char text[300], sentence[300];

	snprintf(sentence, sizeof(sentence), "not enough c is left: %s is needed", expected);
	why_sentence(text, sizeof(text), &reason);
	assert_string_equal(text, sentence);
}

static void test_numbers_are_written_in_their_unit(void **state)
{
	(void)state;
	assert_numbers(WHY_NUMBER, 1234567, 0.5, "0.5, and 1234567");
	assert_numbers(WHY_NUMBER, DBL_MAX, -INFINITY, "-INFINITY, and INFINITY");
	assert_numbers(WHY_NUMBER, NAN, 1e300, "1e+300, and NA");
	assert_numbers(WHY_MEMORY, 4.0 * (1 << 30), 1536, "1.5K, and 4G");
	assert_numbers(WHY_MEMORY, 1e18, -1048576, "-1M, and 9.0949e+05T");
	assert_numbers(WHY_MEMORY, 1023, 0, "0, and 1023");
	assert_numbers(WHY_SECONDS, 90061, 59, "0:00:59, and 25:01:01");
	assert_numbers(WHY_SECONDS, 1e16, -61, "-0:01:01, and 1e+16");
	assert_numbers(WHY_SECONDS, INFINITY, 0, "0:00:00, and INFINITY");
	assert_numbers(WHY_BOOL, 1, 0, "FALSE, and TRUE");
	assert_numbers(WHY_WEIGHT, 5.911305124, 10, "10, and 5.91");
	assert_numbers(WHY_WEIGHT, 1e300, 6.5, "6.5, and 1e+300");
	assert_numbers(99, 2, 1, "1, and 2");
}

static void test_a_moment_out_of_this_world_is_not_available(void **state)
{
	static const double moments[] = { NAN, INFINITY, -1, 0, 1e12, 1e300, 253402300800.0 };
	char text[100];

	(void)state;
	for (size_t i = 0; i < sizeof(moments) / sizeof(*moments); i++) {
		why_sentence(text, sizeof(text),
			     &(struct why_reason){ .kind = WHY_RESERVED, .count = 1, .had = moments[i] });
		assert_string_equal(text, "resources are reserved for it at NA");
	}
}

static void test_a_sentence_stays_within_its_buffer(void **state)
{
	const struct why_reason reason = { .kind = WHY_FULL, .count = 12, .object = "q@a" };
	const char *whole = "no slot is free: q@a and 11 others";
	char text[60];

	(void)state;
	for (size_t size = 0; size < sizeof(text); size++) {
		memset(text, '#', sizeof(text));
		assert_int_equal(why_sentence(text, size, &reason), strlen(whole));
		if (size > 0) {
			assert_int_equal(strlen(text), size <= strlen(whole) ? size - 1 : strlen(whole));
			assert_memory_equal(text, whole, strlen(text));
		}
		for (size_t i = size; i < sizeof(text); i++)
			assert_int_equal(text[i], '#');
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_the_same_check_on_many_objects_is_one_reason),
		TEST(test_without_numbers_the_first_object_is_the_example),
		TEST(test_kinds_and_subjects_are_compared_by_their_text),
		TEST(test_a_new_run_has_no_reasons),
		TEST(test_a_jobs_own_list_continues_with_its_categorys),
		TEST(test_random_reasons_are_counted_like_a_simple_table),
		TEST(test_reasons_beyond_the_limit_of_a_list_are_counted),
		TEST(test_lists_reasons_and_texts_of_a_run_are_bounded),
		TEST(test_texts_are_kept_once_and_bounded),
#ifdef CAN_FAIL
		TEST(test_without_memory_reasons_are_incomplete_and_valid),
#endif
		TEST(test_every_kind_has_a_name_and_a_sentence),
		TEST(test_numbers_are_written_in_their_unit),
		TEST(test_a_moment_out_of_this_world_is_not_available),
		TEST(test_a_sentence_stays_within_its_buffer),
	};

	setenv("TZ", "UTC", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
