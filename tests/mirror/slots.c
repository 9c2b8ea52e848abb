/* SPDX-License-Identifier: Apache-2.0 */
/* Slots as HTCondor has them, who has claimed them, and tasks that give theirs back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "sched/mirror/tables.h"
#include "tests/mirror/cell.h"
#include "tests/mirror/census.h"

#define SLOT "{'event':'slot','slot':"
#define CLAIM "{'event':'claim','slot':"

static const struct instance *instance(const struct fixture *f, const char *name)
{
	const struct mirror *m = sched_mirror(f->sched);
	uint32_t i = instance_find(m, m->state, name);

	return i == INDEX_NONE ? NULL : &m->state->instances[i];
}

/* machine, slots, attributes as "Name=expression;" */
static const char *slot(const struct fixture *f, const char *name)
{
	static char text[1000];
	const struct instance *i = instance(f, name);
	size_t n = (size_t)snprintf(text, sizeof(text), "%s %u ", mirror_text(sched_mirror(f->sched), i->host), i->slots);

	for (size_t k = 0; k < classad_count(i->ad); k++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s=%s;", classad_name(i->ad, k), classad_expression_text(classad_expression(i->ad, k)));
	return text;
}

static const char *claim(const struct fixture *f, const char *name)
{
	static char text[400];
	const struct mirror *m = sched_mirror(f->sched);
	const struct told_claim *c = instance(f, name)->claim;

	if (!c)
		return "nobody";
	snprintf(text, sizeof(text), "%s %g %lld %g %s %d %s %g", mirror_text(m, c->submitter), c->weight, (long long)c->since, c->current_rank,
		 mirror_text(m, c->limits), c->suspended, mirror_text(m, c->preempting), c->preempting_rank);
	return text;
}

static void test_a_slot_is_what_its_ad_says(void **state)
{
	struct fixture *f = *state;

	TELL(f, SLOT "'slot1@node','ad':{'Memory':5,'Rank':{'expr':'TARGET.x'}}}");
	assert_string_equal(slot(f, "slot1@node"), "node 1 Memory=5;Rank=TARGET.x;");
	TELL(f, SLOT "'slot1@node','machine':'far','ad':{'Memory':6,'Cpus':4}}");
	assert_string_equal(slot(f, "slot1@node"), "far 1 Cpus=4;Memory=6;");
	TELL(f, SLOT "'slot1@glidein_7@far','ad':{'a':1}}");
	assert_string_equal(slot(f, "slot1@glidein_7@far"), "far 1 a=1;");
	TELL(f, "{'event':'slot_remove','slot':'slot1@node'}");
	assert_null(instance(f, "slot1@node"));
	assert_string_equal(slot(f, "slot1@glidein_7@far"), "far 1 a=1;");
}

static void test_a_partitionable_slot_has_as_many_as_it_has_cpus(void **state)
{
	struct fixture *f = *state;

	TELL(f, SLOT "'slot1@node','ad':{'PartitionableSlot':true,'Cpus':{'expr':'2 * 8'}}}");
	assert_int_equal(instance(f, "slot1@node")->slots, 16);
	TELL(f, SLOT "'slot1@node','ad':{'PartitionableSlot':true,'Cpus':0}}");
	assert_int_equal(instance(f, "slot1@node")->slots, 0);
	TELL(f, SLOT "'slot1@node','ad':{'PartitionableSlot':{'expr':'undefined'},'Cpus':8}}");
	assert_int_equal(instance(f, "slot1@node")->slots, 1);
}

static void test_slots_that_say_the_same_are_made_alike(void **state)
{
	struct fixture *f = *state;
	uint64_t made;

	TELL(f, SLOT "'slot1@node','ad':{'Memory':5,'Disk':6}}");
	TELL(f, SLOT "'slot2@node','ad':{'Disk':6,'Memory':5}}");
	TELL(f, SLOT "'slot3@node','ad':{'Disk':6,'Memory':6}}");
	made = instance(f, "slot1@node")->made;
	assert_int_equal(instance(f, "slot2@node")->made, made);
	assert_ptr_equal(instance(f, "slot2@node")->ad, instance(f, "slot1@node")->ad);
	assert_int_not_equal(instance(f, "slot3@node")->made, made);
	TELL(f, SLOT "'slot1@node','machine':'far','ad':{'Memory':5,'Disk':6}}");
	assert_int_equal(instance(f, "slot1@node")->made, made);
	TELL(f, SLOT "'slot1@node','ad':{'Memory':7}}");
	TELL(f, SLOT "'slot2@node','ad':{'Memory':7}}");
	TELL(f, SLOT "'slot2@node','ad':{'Memory':5,'Disk':6}}");
	assert_true(instance(f, "slot2@node")->made > made);
}

static void test_a_claim_is_kept_until_another_one_or_none_is_told(void **state)
{
	struct fixture *f = *state;

	TELL(f, SLOT "'slot1@node','ad':{'Memory':5}}");
	assert_string_equal(claim(f, "slot1@node"), "nobody");
	TELL(f, CLAIM "'slot1@node','submitter':'hep.ann@lab'}");
	assert_string_equal(claim(f, "slot1@node"), "hep.ann@lab -1 0 0  0  0");
	TELL(f, CLAIM "'slot1@node','submitter':'bob@lab','weight':2.5,'since':1699999999,'current_rank':-3,'concurrency_limits':'db',"
	     "'suspended':true,'preempting':'cal@lab','preempting_rank':0.5}");
	assert_string_equal(claim(f, "slot1@node"), "bob@lab 2.5 1699999999 -3 db 1 cal@lab 0.5");
	TELL(f, SLOT "'slot1@node','ad':{'Memory':6}}");
	assert_string_equal(claim(f, "slot1@node"), "bob@lab 2.5 1699999999 -3 db 1 cal@lab 0.5");
	TELL(f, CLAIM "'slot1@node','submitter':''}");
	assert_string_equal(claim(f, "slot1@node"), "nobody");
}

static void test_a_snapshot_tells_all_slots_and_claims(void **state)
{
	struct fixture *f = *state;
	const struct classad *ad;
	uint64_t made;

	TELL(f, SLOT "'slot1@node','ad':{'Memory':5}}");
	TELL(f, SLOT "'slot2@node','ad':{'Memory':6}}");
	TELL(f, CLAIM "'slot1@node','submitter':'ann@lab'}");
	made = instance(f, "slot1@node")->made;
	ad = instance(f, "slot1@node")->ad;
	SNAPSHOT(f);
	TELL(f, SLOT "'slot1@node','ad':{'Memory':5}}");
	assert_string_equal(claim(f, "slot1@node"), "ann@lab -1 0 0  0  0");
	SNAPSHOT_END(f);
	assert_string_equal(claim(f, "slot1@node"), "nobody");
	assert_null(instance(f, "slot2@node"));
	assert_int_equal(instance(f, "slot1@node")->made, made);
	assert_ptr_equal(instance(f, "slot1@node")->ad, ad);
	run(f, NOW);
	assert_int_equal(sched_mirror(f->sched)->ads.pool.used, 1);
}

static void test_what_cannot_be_is_refused_and_leaves_nothing(void **state)
{
	struct fixture *f = *state;

	TELL(f, SLOT "'slot1@node','ad':{'Memory':5}}");
	TELL(f, "{'event':'queue_instance','queue':'all.q@node','slots':8}");
	census_check_refused(f, "slot: \\\"slot1\\\" is no slot@machine", SLOT "'slot1','ad':{'a':1}}");
	census_check_refused(f, "ad: missing", SLOT "'slot3@node'}");
	census_check_refused(f, "ad: it is empty", SLOT "'slot3@node','ad':{}}");
	census_check_refused(f, "ad: Rank: column ", SLOT "'slot3@node','ad':{'Rank':{'expr':'1 +'}}}");
	census_check_refused(f, "ad: Rank: column ", SLOT "'slot1@node','ad':{'Rank':{'expr':'1 +'}}}");
	census_check_refused(f, "ad: x: expr: missing", SLOT "'slot3@node','ad':{'x':{}}}");
	census_check_refused(f, "ad: x: a value or", SLOT "'slot3@node','ad':{'x':[1]}}");
	census_check_refused(f, "ad: Cpus: a partitionable slot needs", SLOT "'slot3@node','ad':{'PartitionableSlot':true}}");
	census_check_refused(f, "ad: Cpus: a partitionable slot needs", SLOT "'slot3@node','ad':{'PartitionableSlot':true,'Cpus':-1}}");
	census_check_refused(f, "is a queue instance", SLOT "'all.q@node','ad':{'a':1}}");
	census_check_refused(f, "is a slot", "{'event':'queue_instance','queue':'slot1@node','slots':8}");
	census_check_refused(f, "there is no queue instance", "{'event':'queue_instance_delete','queue':'slot1@node'}");
	census_check_refused(f, "there is no slot", "{'event':'slot_remove','slot':'all.q@node'}");
	census_check_refused(f, "there is no slot", "{'event':'slot_remove','slot':'slot3@node'}");
	census_check_refused(f, "there is no slot", CLAIM "'slot3@node','submitter':'ann@lab'}");
	census_check_refused(f, "weight: -1 is not in", CLAIM "'slot1@node','submitter':'ann@lab','weight':-1}");
	census_check_refused(f, "submitter: missing", CLAIM "'slot1@node'}");
	assert_string_equal(slot(f, "slot1@node"), "node 1 Memory=5;");
}

static void test_a_vacated_task_waits_again_and_what_it_used_is_booked(void **state)
{
	struct fixture *f = *state;
	const struct state *s = sched_mirror(f->sched)->state;

	TELL(f, ADD "1,'owner':'ann','tasks':'1-2'}");
	TELL(f, START "1,'task':2}");
	report_cpu(f, 1, 2, 30);
	REFUSE(f, "how: \\\"killed\\\" is none of", "{'event':'vacated','job_number':1,'task':2,'how':'killed'}");
	REFUSE(f, "is not started", "{'event':'vacated','job_number':1,'how':'soft'}");
	TELL(f, "{'event':'vacated','job_number':1,'task':2,'how':'soft'}");
	assert_int_equal(s->nended, 1);
	assert_int_equal(s->ended[0].vacated, VACATED_SOFT);
	run(f, NOW);
	CHECK(ANN_CPU(f), 30);
	assert_int_equal(rows(f, 1), 1);
	TELL(f, START "1,'task':2}");
	TELL(f, REQUEUE "1,'task':2}");
	assert_int_equal(s->ended[0].vacated, VACATED_UNSAID);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_slot_is_what_its_ad_says),
		TEST(test_a_partitionable_slot_has_as_many_as_it_has_cpus),
		TEST(test_slots_that_say_the_same_are_made_alike),
		TEST(test_a_claim_is_kept_until_another_one_or_none_is_told),
		TEST(test_a_snapshot_tells_all_slots_and_claims),
		TEST(test_what_cannot_be_is_refused_and_leaves_nothing),
		TEST(test_a_vacated_task_waits_again_and_what_it_used_is_booked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
