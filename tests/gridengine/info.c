/* SPDX-License-Identifier: Apache-2.0 */
/* Reasons of pending jobs, as observed in 8.1.9's own scheduler. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "sched/dispatch/why/why.h"
#include "sched/qmaster/gridengine/info.h"

static const struct seen {
	struct fl_why why;
	const char *hard, *offered;
	uint32_t number;
	bool global;
	const char *text;
} seen[] = {
	{ { .number = WHY_DISABLED, .subject = "d", .object = "dis.q@sgehost" }, "", NULL, 39, true,
	  "queue instance \"dis.q@sgehost\" dropped because it is disabled" },
	{ { .number = WHY_DISABLED, .subject = "s", .object = "sus.q@sgehost" }, "", NULL, 40, true,
	  "queue instance \"sus.q@sgehost\" dropped because it is temporarily not available" },
	{ { .number = WHY_FULL, .subject = "", .object = "ful.q@sgehost" }, "", NULL, 37, true,
	  "queue instance \"ful.q@sgehost\" dropped because it is full" },
	{ { .number = WHY_OVERLOADED, .subject = "np_load_avg=-5", .object = "ovl.q@sgehost", .wanted = -5, .had = 1.406006 }, "", NULL, 27, true,
	  "queue instance \"ovl.q@sgehost\" dropped because it is overloaded: np_load_avg=1.406006 (no load adjustment) >= -5" },
	{ { .number = WHY_NO_ATTRIBUTE, .subject = "lic=9", .object = "all.q@sgehost" }, "lic=9", NULL, 17, false,
	  "(-l lic=9) cannot run in queue \"all.q@sgehost\" because job requests unknown resource (lic)" },
	{ { .number = WHY_QTYPE, .subject = "BATCH", .object = "int.q@sgehost" }, "", NULL, 12, false,
	  "cannot run in queue instance \"int.q@sgehost\" because it is not of type batch" },
	{ { .number = WHY_USER_LISTS, .subject = "user_lists", .object = "ulist.q@sgehost" }, "", NULL, 1, false,
	  "has no permission for cluster queue \"ulist.q\"" },
	{ { .number = WHY_USER_LISTS, .subject = "user_lists", .object = "sgehost" }, "", NULL, 1, false, "has no permission for host \"sgehost\"" },
	{ { .number = WHY_PROJECTS, .subject = "projects", .object = "prj.q@sgehost" }, "", NULL, 3, false,
	  "(no project) does not have the correct project to run in cluster queue \"prj.q\"" },
	{ { .number = WHY_PROJECTS, .subject = "projects", .object = "sgehost" }, "", NULL, 3, false,
	  "(no project) does not have the correct project to run in host \"sgehost\"" },
	{ { .number = WHY_FORCED, .subject = "fo", .object = "for.q@sgehost" }, "", NULL, 14, false,
	  "does not request 'forced' resource \"fo\" of queue instance for.q@sgehost" },
	{ { .number = WHY_CONSUMABLE, .unit = WHY_MEMORY, .subject = "memc", .object = "sgehost", .wanted = 9.0 * (1 << 30), .had = 4.0 * (1 << 30) },
	  "memc=9G", NULL, 0, false, "(-l memc=9G) cannot run at host \"sgehost\" because it offers only hc:memc=4.000G" },
	{ { .number = WHY_CONSUMABLE, .subject = "lic", .object = "global", .wanted = 2, .had = 1 }, "lic=2", NULL, 20, false,
	  "(-l lic=2) cannot run globally because it offers only gc:lic=1.000000" },
	{ { .number = WHY_ATTRIBUTE, .subject = "arch=foo", .object = "sgehost" }, "arch=foo", "lx-amd64", 0, false,
	  "(-l arch=foo) cannot run at host \"sgehost\" because it offers only hl:arch=lx-amd64" },
	{ { .number = WHY_PE_LIST, .subject = "unused", .object = "all.q@sgehost" }, "", NULL, 8, false,
	  "cannot run in queue \"all.q\" because PE \"unused\" is not in PE list" },
	{ { .number = WHY_PE_HOSTS, .subject = "fill", .object = "", .wanted = 80, .had = 38 }, "", NULL, 24, false,
	  "cannot run in PE \"fill\" because it only offers 38 slots" },
	{ { .number = WHY_NO_PE, .subject = "acl", .object = "" }, "", NULL, 25, false, "cannot run because no access to PE \"acl\"" },
	{ { .number = WHY_QUEUE_REQUEST, .subject = "all.q", .object = "int.q@sgehost" }, "", NULL, 6, false,
	  "cannot run in queue \"int.q\" because it is not contained in its hard queue list (-q)" },
	{ { .number = WHY_CKPT_LIST, .subject = "ck", .object = "all.q@sgehost" }, "", NULL, 9, false,
	  "cannot run in queue instance \"all.q@sgehost\" because it is not of type checkpointing" },
	{ { .number = WHY_QUOTA, .subject = "r1/two: slots", .object = "all.q@sgehost" }, "", NULL, 50, false,
	  "cannot run because it exceeds limit \"/////\" in rule \"r1/two\"" },
	{ { .number = WHY_ON_HOLD }, "", NULL, 33, false, "Job is in hold state" },
	{ { .number = WHY_IN_ERROR }, "", NULL, 32, false, "Job is in error state" },
	{ { .number = WHY_PREDECESSOR }, "", NULL, 35, false, "job dropped because of job dependencies" },
	{ { .number = WHY_EXECUTION_TIME }, "", NULL, 31, false, "execution time not reached" },
	{ { .number = WHY_MAXUJOBS }, "", NULL, 34, false, "job dropped because of user limitations" },
	{ { .number = WHY_TASK_LIMIT }, "", NULL, 45, false, "not all array tasks may be started due to 'max_aj_instances'" },
};

static void test_reasons_have_the_text_and_numbers_of_the_built_in_scheduler(void **state)
{
	struct info info;

	(void)state;
	for (size_t i = 0; i < sizeof(seen) / sizeof(*seen); i++) {
		assert_true(info_make(&info, &seen[i].why, seen[i].hard, seen[i].offered));
		assert_string_equal(info.text, seen[i].text);
		assert_int_equal(info.number, seen[i].number);
		assert_int_equal(info.global, seen[i].global);
	}
}

/* The function has no text for unknown reasons, for example that a reservation was made. */
static void test_unknown_reasons_give_no_text(void **state)
{
	struct info info;

	(void)state;
	assert_false(
		info_make(&info, &(struct fl_why){ .number = WHY_RESERVED, .subject = "", .object = "" }, "", NULL));
	assert_false(info_make(&info, &(struct fl_why){ .number = UINT16_MAX, .subject = "", .object = "" }, "", NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reasons_have_the_text_and_numbers_of_the_built_in_scheduler),
		cmocka_unit_test(test_unknown_reasons_give_no_text),
	};

	return cmocka_run_group_tests_name("scheduling information", tests, NULL, NULL);
}
