/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A run with changes is exactly the run of a scheduler that was started with them. Without changes
 * it is the published one. Random cells of Grid Engine's policies and of Slurm's; FAIRLEAD_SEED=n
 * sets the seed.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/run/story.h"
#include "tests/whatif/proof.h"

enum { CELLS = 6, RUNS = 10 };

#define SLURM_CONF \
	"PriorityType=priority/multifactor\nPriorityMaxAge=1-0\nPriorityDecayHalfLife=1-0\nPriorityWeightAge=1000\nPriorityWeightFairshare=10000\n" \
	"PriorityWeightJobSize=500\nNodeName=n[1-10] CPUs=4 RealMemory=1000\nPartitionName=batch Nodes=ALL Default=YES\n"
#define ASSOCIATIONS \
	"Cluster - 'ref':Fairshare=1\nParent - 'root'\nUser - 'root':DefaultAccount='root':Fairshare=1\nAccount - 'phys':Fairshare=60\n" \
	"Account - 'chem':Fairshare=40\nParent - 'phys'\nUser - 'ann':DefaultAccount='phys':Fairshare=1\nUser - 'bob':DefaultAccount='phys':Fairshare=3\n" \
	"Parent - 'chem'\nUser - 'cal':DefaultAccount='chem':Fairshare=1\nUser - 'dot':DefaultAccount='chem':Fairshare=5\n"

static void make_slurm(struct fixture *fixture)
{
	make_cell(fixture);
	put_away(fixture, "sched_conf");	/* a cell with only slurm.conf uses that algorithm */
	put(fixture, "slurm.conf", SLURM_CONF);
	put(fixture, "associations", ASSOCIATIONS);
	reload(fixture);
}

/* Changes, each in two ways */

static const char *const weights[][2] = { { "weight_urgency", "0.7" }, { "weight_ticket", "2" }, { "policy_hierarchy", "SOF" }, { "weight_tickets_share", "7" },
					  { "max_reservation", "0" }, { "halftime", "2" }, { "job_load_adjustments", "NONE" }, { "weight_priority", "3.25" } };

static void set_weight(struct fixture *other, uint32_t which)
{
	set_sched_conf(other, weights[which % 8][0], weights[which % 8][1]);
}

static void suppose_weight(struct suppositions *suppositions, uint32_t which)
{
	char text[80];

	snprintf(text, sizeof(text), "%s=%s", weights[which % 8][0], weights[which % 8][1]);
	assert_int_equal(suppose_set(suppositions, "--set", text, NULL), 0);
}

#define OTHER_TREE "id=0\nname=Root\ntype=0\nshares=1\nchildnodes=1,2\nid=1\nname=default\ntype=0\nshares=10\nchildnodes=NONE\n" \
	"id=2\nname=ann\ntype=0\nshares=%u\nchildnodes=NONE\n"

static void set_tree(struct fixture *other, uint32_t which)
{
	put_text(other, "share_tree", OTHER_TREE, which % 100);
}

static void suppose_tree(struct suppositions *suppositions, uint32_t which)
{
	struct error error;

	assert_int_equal(
		suppose_sharer(suppositions, "--user ann", SUPPOSE_USER, "ann", SUPPOSE_SHARES, which % 100, &error),
		0);
}

static void set_functional(struct fixture *other, uint32_t which)
{
	put_text(other, "users/ann", "name ann\noticket 0\nfshare %u\ndelete_time 0\ndefault_project NONE\n",
		 which % 1000);
}

static void suppose_functional(struct suppositions *suppositions, uint32_t which)
{
	struct error error;

	assert_int_equal(
		suppose_sharer(suppositions, "--user ann", SUPPOSE_USER, "ann", SUPPOSE_FSHARE, which % 1000, &error),
		0);
}

static uint32_t job_of(uint32_t which)
{
	return 1 + which % 40;
}

static void report_priority(struct fixture *other, uint32_t which)
{
	TELL(other, "{'event':'job_modify','job_number':%u,'priority':%d,'hard_resource_list':'mem=1G'}", job_of(which),
	     (int)(which % 2000) - 1000);
}

static void suppose_priority(struct suppositions *suppositions, uint32_t which)
{
	struct event event;

	event_init(&event, EVENT_JOB_MODIFY);
	event.job.job_number = job_of(which);
	event.job.given = JOB_PRIORITY | JOB_HARD;
	event.job.priority = (int32_t)(which % 2000) - 1000;
	event.job.hard = "mem=1G";
	assert_int_equal(suppose_event(suppositions, "--job", &event), 0);
}

static void report_slots(struct fixture *other, uint32_t which)
{
	const struct mirror *mirror = sched_mirror(other->sched);
	char letters[INSTANCE_LETTERS + 1];

	strcpy(letters, mirror_find_instance(mirror, "fast.q@ada")->state);
	TELL(other, "{'event':'queue_instance','queue':'fast.q@ada','slots':%u,'state':'%s'}", which % 9, letters);
}

static void suppose_instance(struct suppositions *suppositions, uint32_t which)
{
	assert_int_equal(suppose_slots(suppositions, "--queue", "fast.q@ada", which % 9), 0);
}

static void suppose_nobody(struct suppositions *suppositions, uint32_t which)
{
	(void)which;
	assert_int_equal(suppose_after(suppositions, "--at", 0), 0);
}

static void set_slurm_weight(struct fixture *other, uint32_t which)
{
	put_text(other, "slurm.conf", SLURM_CONF "PriorityWeightQOS=%u\n", which % 5000);
}

static void suppose_slurm_weight(struct suppositions *suppositions, uint32_t which)
{
	char text[60];

	snprintf(text, sizeof(text), "PriorityWeightQOS=%u", which % 5000);
	assert_int_equal(suppose_set(suppositions, "--set", text, NULL), 0);
}

static void set_slurm_age(struct fixture *other, uint32_t which)
{
	char text[sizeof(SLURM_CONF) + 20], *at;

	(void)which;
	strcpy(text, SLURM_CONF);
	at = strstr(text, "PriorityWeightFairshare=10000");
	memcpy(at, "PriorityWeightFairshare=00010", 29);
	put(other, "slurm.conf", text);
}

static void suppose_slurm_age(struct suppositions *suppositions, uint32_t which)
{
	(void)which;
	assert_int_equal(suppose_set(suppositions, "--set", "slurm.conf:priorityweightfairshare=00010", NULL), 0);
}

static void set_association(struct fixture *other, uint32_t which)
{
	char text[sizeof(ASSOCIATIONS) + 20], *at;

	strcpy(text, ASSOCIATIONS);
	at = strstr(text, "'ann':DefaultAccount='phys':Fairshare=1");
	at[strlen("'ann':DefaultAccount='phys':Fairshare=")] = (char)('1' + which % 9);
	put(other, "associations", text);
}

static void suppose_association(struct suppositions *suppositions, uint32_t which)
{
	struct error error;

	assert_int_equal(
		suppose_sharer(suppositions, "--user ann", SUPPOSE_USER, "ann", SUPPOSE_SHARES, 1 + which % 9, &error),
		0);
}

static const struct change_case both[] = {
	{ suppose_nobody, { 0 } }, { suppose_instance, { .events = report_slots } }, { suppose_priority, { .events = report_priority } },
};
enum { BOTH = 3, OWN = 3 };
static const struct change_case gridengine[OWN] = {
	{ suppose_weight, { .files = set_weight } }, { suppose_tree, { .files = set_tree } }, { suppose_functional, { .files = set_functional } },
};
static const struct change_case slurm[OWN] = {
	{ suppose_slurm_weight, { .files = set_slurm_weight } }, { suppose_slurm_age, { .files = set_slurm_age } },
	{ suppose_association, { .files = set_association } },
};

static void check_some_change(struct story *story, const struct change_case own[OWN], uint64_t seed, unsigned k)
{
	uint32_t c = below(story, BOTH + OWN), which = below(story, 100000);
	int64_t later = below(story, 2) ? below(story, 5000) : 0;

	if (c == 2 && !is_there(story->f, job_of(which)))
		c = 1;
	check_change(story, c < BOTH ? &both[c] : &own[c - BOTH], which, later, show_everything, seed, k);
}

static void check_story(void **state, void (*make)(struct fixture *fixture), const struct change_case own[OWN])
{
	uint64_t seed = seed_of();

	for (unsigned cell = 0; cell < CELLS; cell++, seed++) {
		struct story story = { *state, STORY_START(seed), 0, NOW };

		make(story.f);
		for (unsigned k = 0; k < RUNS; k++) {
			go_on(&story);
			run(story.f, story.now);
			check_nothing(&story, show_everything, seed, k);
			check_some_change(&story, own, seed, k);
		}
		assert_int_equal(teardown(state), 0);
		assert_int_equal(dispatch_setup(state), 0);
	}
}

static void test_a_supposed_change_equals_a_scheduler_started_with_it(void **state)
{
	check_story(state, make_cell, gridengine);
}

static void test_a_supposed_change_is_right_with_slurms_priorities(void **state)
{
	check_story(state, make_slurm, slurm);
}

static void test_a_different_change_is_detected(void **state)
{
	struct story story = { *state, STORY_START(4), 0, NOW };
	struct suppositions list = { 0 };
	char *a, *b;

	make_cell(story.f);
	for (unsigned k = 0; k < 20; k++)
		add_job(&story);
	run(story.f, story.now);
	suppose_weight(&list, 0);
	a = supposed(story.f, &list, show_everything);
	b = run_of_started(story.f, &(struct started_with){ .files = set_weight, .which = 1 }, show_everything);
	assert_string_not_equal(a, b);
	free(a);
	free(b);
	suppose_nothing(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DISPATCH_TEST(test_a_supposed_change_equals_a_scheduler_started_with_it),
		DISPATCH_TEST(test_a_supposed_change_is_right_with_slurms_priorities),
		DISPATCH_TEST(test_a_different_change_is_detected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
