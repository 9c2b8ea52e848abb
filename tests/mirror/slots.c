/* SPDX-License-Identifier: Apache-2.0 */
/* Slots of HTCondor, their claims, and tasks that release their slots. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "sched/mirror/inside.h"
#include "tests/mirror/cell.h"
#include "tests/mirror/census.h"

#define SLOT "{'event':'slot','slot':"
#define CLAIM "{'event':'claim','slot':"

static const struct instance *instance(const struct fixture *fixture, const char *name)
{
	const struct mirror *mirror = sched_mirror(fixture->sched);
	uint32_t i = instance_find(mirror, mirror->state, name);

	return i == INDEX_NONE ? NULL : &mirror->state->instances[i];
}

/* Return machine, slots, and attributes as "Name=expression;". */
static const char *slot(const struct fixture *fixture, const char *name)
{
	static char text[1000];
	const struct instance *i = instance(fixture, name);
	size_t n = (size_t)snprintf(text, sizeof(text), "%s %u ", mirror_text(sched_mirror(fixture->sched), i->host),
				    i->slots);

	for (size_t k = 0; k < classad_count(i->ad); k++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s=%s;", classad_name(i->ad, k),
				      classad_expression_text(classad_expression(i->ad, k)));
	return text;
}

static const char *claim(const struct fixture *fixture, const char *name)
{
	static char text[400];
	const struct mirror *mirror = sched_mirror(fixture->sched);
	const struct reported_claim *reported_claim = instance(fixture, name)->claim;

	if (!reported_claim)
		return "nobody";
	snprintf(text, sizeof(text), "%s %g %lld %g %s %d %s %g", mirror_text(mirror, reported_claim->submitter),
		 reported_claim->weight, (long long)reported_claim->since, reported_claim->current_rank,
		 mirror_text(mirror, reported_claim->limits), reported_claim->suspended,
		 mirror_text(mirror, reported_claim->preempting), reported_claim->preempting_rank);
	return text;
}

static void test_a_slot_is_made_from_its_ad(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, SLOT "'slot1@node','ad':{'Memory':5,'Rank':{'expr':'TARGET.x'}}}");
	assert_string_equal(slot(fixture, "slot1@node"), "node 1 Memory=5;Rank=TARGET.x;");
	TELL(fixture, SLOT "'slot1@node','machine':'far','ad':{'Memory':6,'Cpus':4}}");
	assert_string_equal(slot(fixture, "slot1@node"), "far 1 Cpus=4;Memory=6;");
	TELL(fixture, SLOT "'slot1@glidein_7@far','ad':{'a':1}}");
	assert_string_equal(slot(fixture, "slot1@glidein_7@far"), "far 1 a=1;");
	TELL(fixture, "{'event':'slot_remove','slot':'slot1@node'}");
	assert_null(instance(fixture, "slot1@node"));
	assert_string_equal(slot(fixture, "slot1@glidein_7@far"), "far 1 a=1;");
}

static void test_a_partitionable_slot_has_as_many_slots_as_cpus(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, SLOT "'slot1@node','ad':{'PartitionableSlot':true,'Cpus':{'expr':'2 * 8'}}}");
	assert_int_equal(instance(fixture, "slot1@node")->slots, 16);
	TELL(fixture, SLOT "'slot1@node','ad':{'PartitionableSlot':true,'Cpus':0}}");
	assert_int_equal(instance(fixture, "slot1@node")->slots, 0);
	TELL(fixture, SLOT "'slot1@node','ad':{'PartitionableSlot':{'expr':'undefined'},'Cpus':8}}");
	assert_int_equal(instance(fixture, "slot1@node")->slots, 1);
}

static void test_slots_with_the_same_ads_share_one_ad(void **state)
{
	struct fixture *fixture = *state;
	uint64_t made;

	TELL(fixture, SLOT "'slot1@node','ad':{'Memory':5,'Disk':6}}");
	TELL(fixture, SLOT "'slot2@node','ad':{'Disk':6,'Memory':5}}");
	TELL(fixture, SLOT "'slot3@node','ad':{'Disk':6,'Memory':6}}");
	made = instance(fixture, "slot1@node")->made;
	assert_int_equal(instance(fixture, "slot2@node")->made, made);
	assert_ptr_equal(instance(fixture, "slot2@node")->ad, instance(fixture, "slot1@node")->ad);
	assert_int_not_equal(instance(fixture, "slot3@node")->made, made);
	TELL(fixture, SLOT "'slot1@node','machine':'far','ad':{'Memory':5,'Disk':6}}");
	assert_int_equal(instance(fixture, "slot1@node")->made, made);
	TELL(fixture, SLOT "'slot1@node','ad':{'Memory':7}}");
	TELL(fixture, SLOT "'slot2@node','ad':{'Memory':7}}");
	TELL(fixture, SLOT "'slot2@node','ad':{'Memory':5,'Disk':6}}");
	assert_true(instance(fixture, "slot2@node")->made > made);
}

static void test_a_claim_is_kept_until_another_one_or_none_is_reported(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, SLOT "'slot1@node','ad':{'Memory':5}}");
	assert_string_equal(claim(fixture, "slot1@node"), "nobody");
	TELL(fixture, CLAIM "'slot1@node','submitter':'hep.ann@lab'}");
	assert_string_equal(claim(fixture, "slot1@node"), "hep.ann@lab -1 0 0  0  0");
	TELL(fixture, CLAIM
	     "'slot1@node','submitter':'bob@lab','weight':2.5,'since':1699999999,'current_rank':-3,'concurrency_limits':'db',"
	     "'suspended':true,'preempting':'cal@lab','preempting_rank':0.5}");
	assert_string_equal(claim(fixture, "slot1@node"), "bob@lab 2.5 1699999999 -3 db 1 cal@lab 0.5");
	TELL(fixture, SLOT "'slot1@node','ad':{'Memory':6}}");
	assert_string_equal(claim(fixture, "slot1@node"), "bob@lab 2.5 1699999999 -3 db 1 cal@lab 0.5");
	TELL(fixture, CLAIM "'slot1@node','submitter':''}");
	assert_string_equal(claim(fixture, "slot1@node"), "nobody");
}

static void test_a_snapshot_replays_all_slots_and_claims(void **state)
{
	struct fixture *fixture = *state;
	const struct classad *ad;
	uint64_t made;

	TELL(fixture, SLOT "'slot1@node','ad':{'Memory':5}}");
	TELL(fixture, SLOT "'slot2@node','ad':{'Memory':6}}");
	TELL(fixture, CLAIM "'slot1@node','submitter':'ann@lab'}");
	made = instance(fixture, "slot1@node")->made;
	ad = instance(fixture, "slot1@node")->ad;
	SNAPSHOT(fixture);
	TELL(fixture, SLOT "'slot1@node','ad':{'Memory':5}}");
	assert_string_equal(claim(fixture, "slot1@node"), "ann@lab -1 0 0  0  0");
	SNAPSHOT_END(fixture);
	assert_string_equal(claim(fixture, "slot1@node"), "nobody");
	assert_null(instance(fixture, "slot2@node"));
	assert_int_equal(instance(fixture, "slot1@node")->made, made);
	assert_ptr_equal(instance(fixture, "slot1@node")->ad, ad);
	run(fixture, NOW);
	assert_int_equal(sched_mirror(fixture->sched)->ads.pool.used, 1);
}

static void test_an_impossible_job_is_refused_and_leaves_no_trace(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, SLOT "'slot1@node','ad':{'Memory':5}}");
	TELL(fixture, "{'event':'queue_instance','queue':'all.q@node','slots':8}");
	census_check_refused(fixture, "slot: \\\"slot1\\\" is not of the form slot@machine",
			     SLOT "'slot1','ad':{'a':1}}");
	census_check_refused(fixture, "ad: missing", SLOT "'slot3@node'}");
	census_check_refused(fixture, "ad: it is empty", SLOT "'slot3@node','ad':{}}");
	census_check_refused(fixture, "ad: Rank: column ", SLOT "'slot3@node','ad':{'Rank':{'expr':'1 +'}}}");
	census_check_refused(fixture, "ad: Rank: column ", SLOT "'slot1@node','ad':{'Rank':{'expr':'1 +'}}}");
	census_check_refused(fixture, "ad: x: expr: missing", SLOT "'slot3@node','ad':{'x':{}}}");
	census_check_refused(fixture, "ad: x: a value or", SLOT "'slot3@node','ad':{'x':[1]}}");
	census_check_refused(fixture, "ad: Cpus: a partitionable slot needs",
			     SLOT "'slot3@node','ad':{'PartitionableSlot':true}}");
	census_check_refused(fixture, "ad: Cpus: a partitionable slot needs",
			     SLOT "'slot3@node','ad':{'PartitionableSlot':true,'Cpus':-1}}");
	census_check_refused(fixture, "is a queue instance", SLOT "'all.q@node','ad':{'a':1}}");
	census_check_refused(fixture, "is a slot", "{'event':'queue_instance','queue':'slot1@node','slots':8}");
	census_check_refused(fixture, "there is no queue instance",
			     "{'event':'queue_instance_delete','queue':'slot1@node'}");
	census_check_refused(fixture, "there is no slot", "{'event':'slot_remove','slot':'all.q@node'}");
	census_check_refused(fixture, "there is no slot", "{'event':'slot_remove','slot':'slot3@node'}");
	census_check_refused(fixture, "there is no slot", CLAIM "'slot3@node','submitter':'ann@lab'}");
	census_check_refused(fixture, "weight: -1 is not in", CLAIM "'slot1@node','submitter':'ann@lab','weight':-1}");
	census_check_refused(fixture, "submitter: missing", CLAIM "'slot1@node'}");
	assert_string_equal(slot(fixture, "slot1@node"), "node 1 Memory=5;");
}

static void test_a_vacated_task_waits_again_and_its_usage_is_booked(void **state)
{
	struct fixture *fixture = *state;
	const struct state *s = sched_mirror(fixture->sched)->state;

	TELL(fixture, ADD "1,'owner':'ann','tasks':'1-2'}");
	TELL(fixture, START "1,'task':2}");
	report_cpu(fixture, 1, 2, 30);
	REFUSE(fixture, "how: \\\"killed\\\" is not one of",
	       "{'event':'vacated','job_number':1,'task':2,'how':'killed'}");
	REFUSE(fixture, "is not started", "{'event':'vacated','job_number':1,'how':'soft'}");
	TELL(fixture, "{'event':'vacated','job_number':1,'task':2,'how':'soft'}");
	assert_int_equal(s->nended, 1);
	assert_int_equal(s->ended[0].vacated, VACATED_SOFT);
	run(fixture, NOW);
	CHECK(ANN_CPU(fixture), 30);
	assert_int_equal(rows(fixture, 1), 1);
	TELL(fixture, START "1,'task':2}");
	TELL(fixture, REQUEUE "1,'task':2}");
	assert_int_equal(s->ended[0].vacated, VACATED_UNSAID);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_slot_is_made_from_its_ad),
		TEST(test_a_partitionable_slot_has_as_many_slots_as_cpus),
		TEST(test_slots_with_the_same_ads_share_one_ad),
		TEST(test_a_claim_is_kept_until_another_one_or_none_is_reported),
		TEST(test_a_snapshot_replays_all_slots_and_claims),
		TEST(test_an_impossible_job_is_refused_and_leaves_no_trace),
		TEST(test_a_vacated_task_waits_again_and_its_usage_is_booked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
