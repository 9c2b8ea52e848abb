/* SPDX-License-Identifier: Apache-2.0 */
/* Single rules of a negotiation cycle, each in the smallest pool that shows it. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/negotiation/play.h"

/* Begin a play. The negotiator keeps pointers to it, so it does not move. */
static struct play *begun(const char *text)
{
	struct play *play = malloc(sizeof(*play));
	json_error_t error;
	json_t *of = json_loads(text, 0, &error);

	if (!of)
		fail_msg("%s", error.text);
	assert_non_null(play);
	assert_int_equal(play_begin(play, of), 0);
	play->text = of;
	return play;
}

static struct play *played(const char *text)
{
	struct play *play = begun(text);

	play_cycle(play);
	return play;
}

static void ended(struct play *play)
{
	json_t *of = play->text;

	play_end(play);
	json_decref(of);
	free(play);
}

/* Return "u1 u2 u2": slots by number, with submitters, in the order of the matches. */
static const char *matches(const struct play *play)
{
	static char text[1024];
	size_t at = 0;

	text[0] = '\0';
	for (size_t i = 0; i < play->result.nmatches; i++) {
		const struct match *match = &play->result.matches[i];

		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%.*s:%u", i ? " " : "",
				       (int)strcspn(play->submitters[match->submitter].name, "@"),
				       play->submitters[match->submitter].name, match->slot + 1);
	}
	return text;
}

#define SUBMITTER(NAME, IDLE, RUP) "{\"name\":\"" NAME "@pool\",\"idle\":" #IDLE ",\"running\":0,\"rup\":" #RUP ",\"factor\":1}"

static void test_the_first_idle_slot_is_taken_without_a_preference(void **state)
{
	struct play *play = played(
		"{\"config\":{\"NEGOTIATOR_PRE_JOB_RANK\":\"0\",\"NEGOTIATOR_POST_JOB_RANK\":\"0\"},\"pool\":{\"slots\":3},"
		"\"submitters\":[" SUBMITTER("a", 2, 1) "]}");

	(void)state;
	assert_string_equal(matches(play), "a:1 a:2");
	ended(play);
}

static void test_a_job_takes_the_slot_that_it_ranks_highest(void **state)
{
	struct play *play = played(
		"{\"config\":{\"NEGOTIATOR_PRE_JOB_RANK\":\"0\"},\"pool\":{\"slots\":3,\"ads\":[{\"Mips\":5},{\"Mips\":9},{\"Mips\":7}]},"
		"\"submitters\":[{\"name\":\"a@pool\",\"idle\":2,\"running\":0,\"jobs\":[{\"count\":2,\"ad\":{\"Rank\":\"TARGET.Mips\"}}]}]}");

	(void)state;
	assert_string_equal(matches(play), "a:2 a:3");
	ended(play);
}

/* Play two jobs on two slots, of which only one may start. The texts are parts of JSON. */
static void only_one_starts(const char *slot, const char *job, const char *other)
{
	char text[1000];
	struct play *play;

	snprintf(text, sizeof(text),
		 "{\"config\":{\"NEGOTIATOR_PRE_JOB_RANK\":\"0\"},\"pool\":{\"slots\":2,\"ads\":[%s,%s]},"
		 "\"submitters\":[{\"name\":\"a@pool\",\"idle\":2,\"running\":0,\"jobs\":["
		 "{\"count\":1,\"ad\":%s},{\"count\":1,\"ad\":%s}]}]}",
		 slot, slot, job, other);
	play = played(text);
	assert_string_equal(matches(play), "a:1");
	ended(play);
}

static void test_an_attribute_of_an_ad_as_a_value_distinguishes_jobs(void **state)
{
	static const char *const slots[] = { "{\"Requirements\":\"TARGET[\\\"Size\\\"] == 2\"}",
					     "{\"Ad\":\"TARGET\",\"Requirements\":\"Ad.Size == 2\"}",
					     "{\"Requirements\":\"{TARGET}[0].Size == 2\"}" };

	(void)state;
	for (size_t k = 0; k < sizeof(slots) / sizeof(*slots); k++) {
		only_one_starts(slots[k], "{\"Size\":2}", "{\"Size\":1}");
		only_one_starts(slots[k], "{\"Size\":1}", "{\"Size\":2}");
	}
	only_one_starts("{}", "{\"Parent\":2,\"Requirements\":\"Parent == 2\"}",
			"{\"Parent\":1,\"Requirements\":\"Parent == 2\"}");
}

static void test_an_attribute_whose_name_is_computed_distinguishes_jobs(void **state)
{
	static const char *const slots[] = {
		"{\"Which\":\"\\\"Size\\\"\",\"Requirements\":\"TARGET[MY.Which] == 2\"}",
		"{\"Which\":\"\\\"TARGET.Size\\\"\",\"Requirements\":\"eval(MY.Which) == 2\"}",
	};

	(void)state;
	for (size_t k = 0; k < sizeof(slots) / sizeof(*slots); k++) {
		only_one_starts(slots[k], "{\"Size\":2}", "{\"Size\":1}");
		only_one_starts(slots[k], "{\"Size\":1}", "{\"Size\":2}");
	}
	only_one_starts("{}", "{\"Which\":\"\\\"Size == 2\\\"\",\"Size\":2,\"Requirements\":\"eval(Which)\"}",
			"{\"Which\":\"\\\"Size == 2\\\"\",\"Size\":1,\"Requirements\":\"eval(Which)\"}");
}

/* Slots that differ only in an attribute whose name a job computes are not one class. */
static void test_an_attribute_whose_name_is_computed_distinguishes_slots(void **state)
{
	struct play *play = played("{\"config\":{\"NEGOTIATOR_PRE_JOB_RANK\":\"0\"},"
				   "\"pool\":{\"slots\":3,\"ads\":[{\"Disk2\":1},{\"Disk2\":2},{\"Disk2\":1}]},"
				   "\"submitters\":[{\"name\":\"a@pool\",\"idle\":3,\"running\":0,\"jobs\":[{\"count\":3,\"ad\":"
				   "{\"Which\":\"\\\"Disk2\\\"\",\"Requirements\":\"TARGET[MY.Which] == 2\"}}]}]}");

	(void)state;
	assert_string_equal(matches(play), "a:2");
	ended(play);
}

static void test_an_unmatchable_job_does_not_delay_others(void **state)
{
	struct play *play = played(
		"{\"pool\":{\"slots\":1},\"submitters\":[{\"name\":\"a@pool\",\"idle\":2,\"running\":0,\"jobs\":["
		"{\"count\":1,\"ad\":{},\"requirements\":\"none\"},{\"count\":1,\"ad\":{}}]}]}");

	(void)state;
	assert_string_equal(matches(play), "a:1");
	assert_int_equal(play->result.nrefusals, 1);
	assert_int_equal(play->result.refusals[0].refusal, REFUSED_NO_MATCH);
	assert_int_equal(play->result.refusals[0].by_job, 1);
	ended(play);
}

static void test_a_partitionable_slot_gives_pieces_until_it_is_empty(void **state)
{
	struct play *play =
		played("{\"pool\":{\"slots\":1,\"weight_each\":8,\"ads\":[{\"partitionable\":true,\"Memory\":100}]},"
		       "\"submitters\":[{\"name\":\"a@pool\",\"idle\":9,\"running\":0,\"jobs\":"
		       "[{\"count\":9,\"ad\":{\"RequestCpus\":2,\"RequestMemory\":30}}]}]}");

	(void)state;
	/* Four pieces of 2 processors, but memory for three. */
	assert_string_equal(matches(play), "a:1 a:1 a:1");
	for (size_t i = 0; i < play->result.nmatches; i++)
		assert_true(play->result.matches[i].weight == 2);
	assert_true(play->customers.items[play->submitters[0].customer].weight_used == 6);
	assert_int_equal(play->charged[0].customer, CUSTOMER_NONE);
	ended(play);
}

static void test_pieces_are_spread_unless_depth_comes_first(void **state)
{
	static const char *const text =
		"{\"config\":{\"NEGOTIATOR_DEPTH_FIRST\":%s,\"NEGOTIATOR_PRE_JOB_RANK\":\"0\",\"NEGOTIATOR_POST_JOB_RANK\":\"0\"},"
		"\"pool\":{\"slots\":2,\"weight_each\":2,\"ads\":[{\"partitionable\":true},{\"partitionable\":true}]},\"submitters\":[" SUBMITTER(
			"a", 4, 1) "]}";
	char of[512];
	struct play *play;

	(void)state;
	snprintf(of, sizeof(of), text, "false");
	play = played(of);
	assert_string_equal(matches(play), "a:1 a:2 a:1 a:2");
	ended(play);
	snprintf(of, sizeof(of), text, "true");
	play = played(of);
	assert_string_equal(matches(play), "a:1 a:1 a:2 a:2");
	ended(play);
}

static void test_pieces_follow_shares(void **state)
{
	struct play *play = played(
		"{\"pool\":{\"slots\":2,\"weight_each\":6,\"ads\":[{\"partitionable\":true},{\"partitionable\":true}]},"
		"\"submitters\":[" SUBMITTER("a", 60, 1) "," SUBMITTER("b", 60, 2) "]}");

	(void)state;
	assert_true(play->customers.items[play->submitters[0].customer].weight_used == 8);
	assert_true(play->customers.items[play->submitters[1].customer].weight_used == 4);
	ended(play);
}

static bool only_the_second(void *context, uint32_t class, uint32_t slot)
{
	(void)context;
	return class != 0 || slot == 1;
}

static void test_the_caller_may_exclude_slots_for_a_class(void **state)
{
	struct play *play =
		begun("{\"pool\":{\"slots\":3},\"submitters\":[" SUBMITTER("a", 3, 1) "," SUBMITTER("b", 3, 100) "]}");

	(void)state;
	play->admits = only_the_second;
	play_cycle(play);
	assert_string_equal(matches(play), "a:2 b:1 b:3");
	ended(play);
}

static uint64_t second_after_second(void *context)
{
	uint64_t *seconds = context;

	return ++*seconds * 1000000000;
}

static void test_a_cycle_ends_when_its_time_is_over(void **state)
{
	struct play *play = begun(
		"{\"config\":{\"NEGOTIATOR_MAX_TIME_PER_CYCLE\":20,\"NEGOTIATOR_PRE_JOB_RANK\":\"0\"},\"pool\":{\"slots\":100},"
		"\"submitters\":[" SUBMITTER("a", 100, 1) "," SUBMITTER("b", 100, 1) "]}");
	uint64_t seconds = 0;

	(void)state;
	play->clock_ns = second_after_second;
	play->context = &seconds;
	play_cycle(play);
	assert_in_range(play->result.nmatches, 1, 20);
	assert_int_equal(play->result.submitters[1].stop, STOP_TIME_CYCLE);
	ended(play);
}

static void test_job_priorities_count_among_equal_users_where_they_are_global(void **state)
{
	struct play *play = begun("{\"config\":{\"USE_GLOBAL_JOB_PRIOS\":true},\"pool\":{\"slots\":1},"
			      "\"submitters\":[" SUBMITTER("a", 1, 1) "," SUBMITTER("b", 1, 1) "]}");

	(void)state;
	play->submitters[1].job_prio = 5;
	play_cycle(play);
	assert_string_equal(matches(play), "b:1");
	ended(play);
}

static void test_a_group_without_additional_allocation_has_an_empty_slice(void **state)
{
	/* Group a is allocated its use, but not its whole quota: HTCondor divides 0 by 0. */
	struct play *play = played(
		"{\"config\":{\"GROUP_NAMES\":\"a, a.y\",\"GROUP_QUOTA_DYNAMIC_a\":0.3,\"GROUP_QUOTA_DYNAMIC_a.y\":1,"
		"\"GROUP_ACCEPT_SURPLUS_a\":true},\"pool\":{\"slots\":4},\"submitters\":[" SUBMITTER("a.y.u", 3,
												     1) "]}");
	bool found = false;

	(void)state;
	for (size_t i = 0; i < play->result.nservices; i++) {
		assert_true(play->result.services[i].uncut >= 0 && play->result.services[i].limit >= 0);
		found |= play->result.services[i].limit == 0;
	}
	assert_true(found);
	assert_true(play->result.submitters[0].slice == 0);
	ended(play);
}

static void test_preemption_rank_chooses_the_job_to_preempt(void **state)
{
	struct play *play = played(
		"{\"config\":{\"PREEMPTION_REQUIREMENTS\":\"RemoteUserPrio > SubmitterUserPrio\",\"PREEMPTION_RANK\":\"Age\"},"
		"\"pool\":{\"slots\":3,\"ads\":[{\"RemoteUser\":\"\\\"b@pool\\\"\",\"Age\":1},{\"RemoteUser\":\"\\\"b@pool\\\"\",\"Age\":3},"
		"{\"RemoteUser\":\"\\\"b@pool\\\"\",\"Age\":2}]},\"submitters\":[" SUBMITTER(
			"a", 1, 1) "],"
				   "\"others\":[{\"name\":\"b@pool\",\"rup\":9,\"factor\":1}]}");

	(void)state;
	assert_string_equal(matches(play), "a:2");
	assert_int_equal(play->result.matches[0].preemption, PREEMPTS_BY_PRIORITY);
	ended(play);
}

/* Any kind of clause, alone and beside others, decides like the whole expression. */
static void test_clauses_decide_as_the_expression_does(void **state)
{
	static const struct { const char *expression; size_t taken;
	} rows[] = {
		{ "RemoteUserPrio > SubmitterUserPrio", 4 },
		{ "SubmitterUserPrio < RemoteUserPrio && true", 4 },
		{ "RemoteUserPrio > SubmitterUserPrio * 10", 0 },
		{ "(Age > 2) && (RemoteUserPrio >= SubmitterUserPrio)", 2 },
		{ "Age > 2 && RemoteUser =?= \\\"b@pool\\\" && RemoteUserPrio > SubmitterUserPrio", 2 },
		{ "Age > 2 || RemoteUserPrio > SubmitterUserPrio * 10", 2 },
		{ "Age > 2 ? true : false", 2 },
		{ "1", 0 },
		{ "1 && 1", 4 },
		{ "Age && RemoteUserPrio > SubmitterUserPrio", 4 },
		{ "Missing && true", 0 },
		{ "Grace < TARGET.Need && true", 3 },
		{ "RemoteUserPrio > SubmitterUserPrio && RemoteUserPrio > Limit", 2 },
		{ "Slot && RemoteUserPrio > SubmitterUserPrio", 3 },
		{ "RemoteUserPrio > SubmitterUserPrio is false && true", 0 },
		{ "RemoteUserPrio + Age > SubmitterUserPrio * 4 + 1 && Age > 0", 1 },
		{ "TARGET[ifThenElse(Age > 1, \\\"Need\\\", \\\"x\\\")] == 3 && true", 3 },
		{ "eval(ifThenElse(Age > 1, \\\"TARGET.Need\\\", \\\"x\\\")) == 3 && true", 3 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char text[1600];
		struct play *play;

		snprintf(
			text, sizeof(text),
			"{\"config\":{\"PREEMPTION_REQUIREMENTS\":\"%s\"},\"pool\":{\"slots\":4,\"ads\":["
			"{\"RemoteUser\":\"\\\"b@pool\\\"\",\"Age\":1,\"Limit\":1,\"Slot\":true,\"Grace\":0},"
			"{\"RemoteUser\":\"\\\"b@pool\\\"\",\"Age\":2,\"Limit\":1,\"Slot\":\"TARGET.Need > 5\",\"Grace\":1},"
			"{\"RemoteUser\":\"\\\"b@pool\\\"\",\"Age\":3,\"Limit\":99,\"Slot\":\"TARGET.Need < 5\",\"Grace\":2},"
			"{\"RemoteUser\":\"\\\"b@pool\\\"\",\"Age\":4,\"Limit\":99,\"Slot\":true,\"Grace\":3}]},"
			"\"submitters\":[{\"name\":\"a@pool\",\"idle\":4,\"running\":0,\"rup\":3,\"factor\":1,\"jobs\":[{\"count\":4,\"ad\":{\"Need\":3}}]}],"
			"\"others\":[{\"name\":\"b@pool\",\"rup\":10,\"factor\":1}]}",
			rows[i].expression);
		play = played(text);
		if (play->result.nmatches != rows[i].taken)
			fail_msg("%s: %zu taken, not %zu", rows[i].expression, play->result.nmatches, rows[i].taken);
		ended(play);
	}
}

static void test_jobs_with_the_same_significant_attributes_are_one_autocluster(void **state)
{
	struct play *play = played(
		"{\"pool\":{\"slots\":2,\"ads\":[{\"Requirements\":\"TARGET.Wanted =!= 1\"},{}]},\"submitters\":[{\"name\":\"a@pool\","
		"\"idle\":3,\"running\":0,\"jobs\":[{\"count\":1,\"ad\":{\"Colour\":1}},{\"count\":1,\"ad\":{\"Colour\":2}},"
		"{\"count\":1,\"ad\":{\"Wanted\":2}}]}]}");

	(void)state;
	assert_int_equal(negotiator_cluster(play->negotiator, 0), negotiator_cluster(play->negotiator, 1));
	assert_int_not_equal(negotiator_cluster(play->negotiator, 0), negotiator_cluster(play->negotiator, 2));
	ended(play);
}

static void test_cached_results_are_valid_while_the_slot_is_unchanged(void **state)
{
	struct play *play = begun(
		"{\"pool\":{\"slots\":1,\"ads\":[{\"Open\":false,\"Requirements\":\"Open\"}]},\"submitters\":[" SUBMITTER(
			"a", 1, 1) "]}");
	struct error error;

	(void)state;
	play_cycle(play);
	assert_int_equal(play->result.nmatches, 0);
	assert_int_equal(classad_set((struct classad *)play->slots[0].ad, "Open", "true", &error), 0);
	play->slots[0].made++;
	play_cycle(play);
	assert_int_equal(play->result.nmatches, 1);
	ended(play);
}

static void test_time_dependent_requirements_are_evaluated_in_each_cycle(void **state)
{
	struct play *play = begun(
		"{\"pool\":{\"slots\":1,\"ads\":[{\"Requirements\":\"time() > 1700000030\"}]},\"submitters\":[" SUBMITTER(
			"a", 1, 1) "]}");

	(void)state;
	play_cycle(play);
	assert_int_equal(play->result.nmatches, 0);
	play_cycle(play);
	assert_int_equal(play->result.nmatches, 1);
	ended(play);
}

/* The requirements of a slot may depend on more values: of the job, the slot, the time. */
static void test_attributes_used_by_a_slots_requirements_are_followed(void **state)
{
	struct play *play = played(
		"{\"pool\":{\"slots\":2,\"ads\":[{\"Requirements\":\"TARGET.Small\"},{\"Requirements\":\"TARGET.Small\"}]},"
		"\"submitters\":[{\"name\":\"a@pool\",\"idle\":2,\"running\":0,\"jobs\":["
		"{\"count\":1,\"ad\":{\"Small\":\"Size < 3\",\"Size\":5}},{\"count\":1,\"ad\":{\"Small\":\"Size < 3\",\"Size\":1}}]}]}");

	(void)state;
	assert_int_equal(play->result.nmatches, 1);
	assert_int_equal(play->result.matches[0].request, 1);
	ended(play);

	play = played(
		"{\"pool\":{\"slots\":2,\"ads\":[{\"Requirements\":\"TARGET.Fits\",\"Room\":1},{\"Requirements\":\"TARGET.Fits\",\"Room\":9}]},"
		"\"submitters\":[{\"name\":\"a@pool\",\"idle\":2,\"running\":0,\"jobs\":[{\"count\":2,\"ad\":{\"Fits\":\"TARGET.Room > 3\"}}]}]}");
	assert_int_equal(play->result.nmatches, 1);
	assert_int_equal(play->result.matches[0].slot, 1);
	ended(play);

	play = played(
		"{\"pool\":{\"slots\":2,\"ads\":[{\"Room\":\"TARGET.Gives + 1\"},{\"Room\":\"TARGET.Gives + 1\"}]},\"submitters\":[{\"name\":\"a@pool\","
		"\"idle\":2,\"running\":0,\"jobs\":[{\"count\":1,\"requirements\":\"TARGET.Room > 3\",\"ad\":{\"Gives\":1}},"
		"{\"count\":1,\"requirements\":\"TARGET.Room > 3\",\"ad\":{\"Gives\":5}}]}]}");
	assert_int_equal(play->result.nmatches, 1);
	assert_int_equal(play->result.matches[0].request, 1);
	ended(play);

	play = begun(
		"{\"pool\":{\"slots\":1,\"ads\":[{\"Requirements\":\"TARGET.Late\"}]},\"submitters\":[{\"name\":\"a@pool\",\"idle\":1,\"running\":0,"
		"\"jobs\":[{\"count\":1,\"ad\":{\"Late\":\"time() > 1700000030\"}}]}]}");
	play_cycle(play);
	assert_int_equal(play->result.nmatches, 0);
	play_cycle(play);
	assert_int_equal(play->result.nmatches, 1);
	ended(play);
}

/* Jobs end between cycles, as in a scheduler, and memory lent to the previous cycle is freed. */
static void test_jobs_lent_to_the_previous_cycle_are_not_read_again(void **state)
{
	struct play *play = begun(
		"{\"pool\":{\"slots\":1,\"ads\":[{\"Requirements\":\"TARGET.Size < 3\"}]},\"submitters\":[{\"name\":\"a@pool\",\"idle\":1,"
		"\"running\":0,\"jobs\":[{\"count\":1,\"ad\":{\"Size\":5,\"Colour\":7}}]}]}");
	struct request_class *lent = play->classes;
	struct error error;

	(void)state;
	play_cycle(play);
	assert_int_equal(play->result.nmatches, 0);
	play->classes = calloc(play->nclasses, sizeof(*play->classes));
	assert_non_null(play->classes);
	memcpy(play->classes, lent, play->nclasses * sizeof(*lent));
	for (size_t i = 0; i < play->nclasses; i++)
		lent[i].ad = (const struct classad *)8;		/* a read access would crash */
	assert_int_equal(classad_set((struct classad *)play->slots[0].ad, "Requirements", "TARGET.Colour == 7", &error),
			 0);
	play->slots[0].made++;
	play_cycle(play);
	assert_int_equal(play->result.nmatches, 1);
	free(lent);
	ended(play);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_first_idle_slot_is_taken_without_a_preference),
		cmocka_unit_test(test_a_job_takes_the_slot_that_it_ranks_highest),
		cmocka_unit_test(test_an_attribute_of_an_ad_as_a_value_distinguishes_jobs),
		cmocka_unit_test(test_an_attribute_whose_name_is_computed_distinguishes_jobs),
		cmocka_unit_test(test_an_attribute_whose_name_is_computed_distinguishes_slots),
		cmocka_unit_test(test_an_unmatchable_job_does_not_delay_others),
		cmocka_unit_test(test_a_partitionable_slot_gives_pieces_until_it_is_empty),
		cmocka_unit_test(test_pieces_are_spread_unless_depth_comes_first),
		cmocka_unit_test(test_pieces_follow_shares),
		cmocka_unit_test(test_the_caller_may_exclude_slots_for_a_class),
		cmocka_unit_test(test_a_cycle_ends_when_its_time_is_over),
		cmocka_unit_test(test_job_priorities_count_among_equal_users_where_they_are_global),
		cmocka_unit_test(test_a_group_without_additional_allocation_has_an_empty_slice),
		cmocka_unit_test(test_preemption_rank_chooses_the_job_to_preempt),
		cmocka_unit_test(test_clauses_decide_as_the_expression_does),
		cmocka_unit_test(test_jobs_with_the_same_significant_attributes_are_one_autocluster),
		cmocka_unit_test(test_cached_results_are_valid_while_the_slot_is_unchanged),
		cmocka_unit_test(test_time_dependent_requirements_are_evaluated_in_each_cycle),
		cmocka_unit_test(test_attributes_used_by_a_slots_requirements_are_followed),
		cmocka_unit_test(test_jobs_lent_to_the_previous_cycle_are_not_read_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
