/* SPDX-License-Identifier: Apache-2.0 */
/* Pools for which HTCondor's manual and its program differ: NEGOTIATION. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/negotiation/play.h"

/*
 * Return the claims of a submitter after a cycle of a pool in which NEGOTIATION is %s. ' stands for
 * ".
 */
static double running(const char *pool, const char *follows, const char *name)
{
	char text[2000];
	double claims;
	json_t *of, *reported;

	snprintf(text, sizeof(text), pool, follows);
	for (char *c = text; *c; c++)
		*c = *c == '\'' ? '"' : *c;
	of = json_loads(text, 0, NULL);
	assert_non_null(of);
	reported = play_all(of, 1, NULL);
	assert_non_null(reported);
	claims = json_number_value(
		json_object_get(json_array_get(json_object_get(reported, "running_after_cycle"), 0), name));
	json_decref(reported);
	json_decref(of);
	return claims;
}

static void check(const char *pool, const char *name, double program, double manual)
{
	if (running(pool, "program", name) != program || running(pool, "manual", name) != manual)
		fail_msg("%s has %g and %g, not %g and %g", name, running(pool, "program", name),
			 running(pool, "manual", name), program, manual);
}

#define CLAIMED "{'RemoteUser':'\\\"old@pool\\\"'}"

static void test_the_manual_lets_the_better_priority_preempt_alone(void **state)
{
	static const char worse[] =
		"{'config':{'NEGOTIATION':'%s','PREEMPTION_REQUIREMENTS':'True'},'pool':{'slots':3,'ads':[" CLAIMED
		"," CLAIMED "," CLAIMED "]},"
		"'submitters':[{'name':'new@pool','idle':3,'rup':100,'factor':1}],'others':[{'name':'old@pool','rup':50,'factor':1}]}";
	static const char better[] =
		"{'config':{'NEGOTIATION':'%s','PREEMPTION_REQUIREMENTS':'True'},'pool':{'slots':3,'ads':[" CLAIMED
		"," CLAIMED "," CLAIMED "]},"
		"'submitters':[{'name':'new@pool','idle':3,'rup':20,'factor':1}],'others':[{'name':'old@pool','rup':50,'factor':1}]}";

	(void)state;
	check(worse, "new@pool", 3, 0);
	check(better, "new@pool", 3, 3);
}

#define PREFERS "{'RemoteUser':'\\\"old@pool\\\"','CurrentRank':0.0,'Rank':'TARGET.Owner =?= \\\"new\\\"'}"

/* The program lets a submitter that has its share take the first slot of each list. */
static void test_the_manual_ignores_shares_when_a_machine_prefers_the_job(void **state)
{
	static const char pool[] =
		"{'config':{'NEGOTIATION':'%s','NEGOTIATOR_SLOT_POOLSIZE_CONSTRAINT':'SlotID == 1'},"
		"'pool':{'slots':4,'ads':[{'RemoteUser':'\\\"new@pool\\\"'}," PREFERS "," PREFERS "," PREFERS "]},"
		"'submitters':[{'name':'new@pool','rup':1,'factor':1,'idle':3,'jobs':[{'count':3,'ad':{'Owner':'\\\"new\\\"'}}]}],"
		"'others':[{'name':'old@pool','rup':50,'factor':1}]}";

	(void)state;
	check(pool, "new@pool", 2, 4);
}

/* The program ignores a quota of 0.5. In the manual it is one slot, like the share of a user. */
static void test_the_manual_does_not_cut_limits_of_groups(void **state)
{
	static const char pool[] =
		"{'config':{'NEGOTIATION':'%s','NEGOTIATOR_CONSIDER_PREEMPTION':false,'GROUP_NAMES':'a, b','GROUP_QUOTA_DYNAMIC_a':0.1,"
		"'GROUP_QUOTA_DYNAMIC_b':0.5},'pool':{'slots':5},'submitters':[{'name':'a.u@pool','idle':9,'rup':1,'factor':1},"
		"{'name':'b.u@pool','idle':9,'rup':1,'factor':1}]}";

	(void)state;
	check(pool, "a.u@pool", 0, 1);
}

static void test_the_manual_ignores_groups_without_a_quota(void **state)
{
	static const char pool[] =
		"{'config':{'NEGOTIATION':'%s','NEGOTIATOR_CONSIDER_PREEMPTION':false,'GROUP_NAMES':'a, b','GROUP_QUOTA_a':2},"
		"'pool':{'slots':5},'submitters':[{'name':'a.u@pool','idle':9,'rup':1,'factor':1},{'name':'b.u@pool','idle':9,'rup':1,'factor':1}]}";

	(void)state;
	check(pool, "b.u@pool", 0, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_manual_lets_the_better_priority_preempt_alone),
		cmocka_unit_test(test_the_manual_ignores_shares_when_a_machine_prefers_the_job),
		cmocka_unit_test(test_the_manual_does_not_cut_limits_of_groups),
		cmocka_unit_test(test_the_manual_ignores_groups_without_a_quota),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
