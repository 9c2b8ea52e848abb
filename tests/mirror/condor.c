/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attributes of jobs for HTCondor's negotiation: how they are reported, changed, shared and
 * refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "sched/mirror/tables.h"
#include "tests/mirror/cell.h"
#include "tests/mirror/census.h"

static uint32_t row_of(const struct fixture *fixture, uint32_t number)
{
	return jobs_find(&sched_mirror(fixture->sched)->state->jobs, number);
}

static const struct request_facts *facts(const struct fixture *fixture, uint32_t number)
{
	const struct mirror *mirror = sched_mirror(fixture->sched);

	return &mirror->requests.facts[job_fact(&mirror->state->jobs, row_of(fixture, number), category)];
}

/* Return the attributes of a job as "Name=expression;", or "". */
static const char *ad(const struct fixture *fixture, uint32_t number)
{
	static char text[2000];
	const struct classad *of = facts(fixture, number)->ad;
	size_t n = 0;

	text[0] = '\0';
	for (size_t i = 0; of && i < classad_count(of); i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s=%s;", classad_name(of, i), classad_expression_text(classad_expression(of, i)));
	return text;
}

/* Return accounting group, its user, and domain. */
static const char *from(const struct fixture *fixture, uint32_t number)
{
	static char text[400];
	const struct mirror *mirror = sched_mirror(fixture->sched);
	const struct class_key *key = classes_key(&mirror->classes, job_fact(&mirror->state->jobs, row_of(fixture, number), class_id));

	snprintf(text, sizeof(text), "%s|%s|%s", mirror_text(mirror, key->accounting_group), mirror_text(mirror, key->accounting_group_user),
		 mirror_text(mirror, key->uid_domain));
	return text;
}

static const char *numbers(const struct fixture *fixture, uint32_t number)
{
	static char text[200];
	const struct condor_job job = job_condor(&sched_mirror(fixture->sched)->state->jobs, row_of(fixture, number));

	snprintf(text, sizeof(text), "%d %d %d %d %d %u %u%s", job.pre_job_prio1, job.pre_job_prio2, job.job_prio, job.post_job_prio1, job.post_job_prio2,
		 job.cluster, job.proc, job.given & CONDOR_PROC ? "" : " task");
	return text;
}

/* Ads */

#define EVERYTHING "'requirements':'TARGET.Memory >= 5','rank':' Memory ','concurrency_limits':'sw.a:2, db','kill_sig':'SIGUSR1'," \
		   "'remove_kill_sig':'9','hold_kill_sig':'SIGRTMIN+1','job_max_vacate_time':60,'max_job_retirement_time':'2 * 30'"

static void test_a_job_without_htcondor_members_has_no_ad(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, ADD "1,'owner':'ann'}");
	TELL(fixture, ADD "2,'owner':'ann','requirements':'','rank':'','kill_sig':'','ad':{},'accounting_group':'','nice_user':false}");
	assert_string_equal(ad(fixture, 1), "");
	assert_null(facts(fixture, 1)->ad);
	assert_ptr_equal(facts(fixture, 1), facts(fixture, 2));
	assert_string_equal(from(fixture, 2), "||");
	assert_null(sched_mirror(fixture->sched)->state->jobs.condor);
}

static void test_members_are_attributes_sorted_by_name(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, ADD "1,'owner':'ann'," EVERYTHING "}");
	assert_string_equal(ad(fixture, 1), "ConcurrencyLimits=\"sw.a:2, db\";HoldKillSig=\"SIGRTMIN+1\";JobMaxVacateTime=60;KillSig=\"SIGUSR1\";"
				      "MaxJobRetirementTime=2 * 30;Rank=Memory;RemoveKillSig=\"9\";Requirements=TARGET.Memory >= 5;");
}

static void test_values_of_an_ad_keep_their_type(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, ADD "1,'owner':'ann','ad':{'S':'it is \\\"it\\\" \\\\','I':-7,'R':2.0,'E':1e300,'B':true,'X':{'expr':'MY.I + 1'},'N':null}}");
	assert_string_equal(ad(fixture, 1), "B=true;E=1e+300;I=-7;R=2.0;S=\"it is \\\"it\\\" \\\";X=MY.I + 1;");
}

static void test_jobs_with_the_same_members_share_one_ad(void **state)
{
	struct fixture *fixture = *state;
	const struct mirror *mirror = sched_mirror(fixture->sched);

	TELL(fixture, ADD "1,'owner':'ann','ad':{'a':1,'B':2},'rank':'x'}");
	TELL(fixture, ADD "2,'owner':'bob','rank':'x','ad':{'B':2,'a':1}}");
	TELL(fixture, ADD "3,'owner':'bob','rank':'x','ad':{'B':2,'a':1},'hard_resource_list':'a=1'}");
	TELL(fixture, ADD "4,'owner':'bob','rank':'x','ad':{'B':2,'a':2}}");
	assert_ptr_equal(facts(fixture, 1), facts(fixture, 2));
	assert_ptr_not_equal(facts(fixture, 1), facts(fixture, 3));
	assert_ptr_equal(facts(fixture, 1)->ad, facts(fixture, 3)->ad);
	assert_ptr_not_equal(facts(fixture, 1)->ad, facts(fixture, 4)->ad);
	assert_int_equal(mirror->ads.pool.used, 2);
	for (unsigned k = 1; k <= 4; k++)
		TELL(fixture, DELETE "%u}", k);
	run(fixture, NOW);
	assert_int_equal(mirror->ads.pool.used, 0);
}

static void test_a_change_affects_only_the_members_that_it_names(void **state)
{
	static const struct { const char *change, *becomes; } changes[] = {
		{ "'rank':'7'", "A=1;KillSig=\"SIGINT\";Rank=7;Requirements=a;" },
		{ "'requirements':''", "A=1;KillSig=\"SIGINT\";Rank=7;" },
		{ "'ad':{'C':3}", "C=3;KillSig=\"SIGINT\";Rank=7;" },
		{ "'priority':5", "C=3;KillSig=\"SIGINT\";Rank=7;" },
		{ "'kill_sig':'15','job_max_vacate_time':'x'", "C=3;JobMaxVacateTime=x;KillSig=\"15\";Rank=7;" },
		{ "'ad':{},'rank':'','kill_sig':'','job_max_vacate_time':''", "" },
	};
	struct fixture *fixture = *state;

	TELL(fixture, ADD "1,'owner':'ann','ad':{'A':1},'rank':'b','requirements':'a','kill_sig':'SIGINT','hard_resource_list':'a=1'}");
	for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
		TELL(fixture, MODIFY "1,%s}", changes[i].change);
		assert_string_equal(ad(fixture, 1), changes[i].becomes);
	}
	assert_int_equal(sched_mirror(fixture->sched)->ads.pool.used, 0);
}

/* Submitters */

static void test_submitters_are_reported_and_changed_separately(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, ADD "1,'owner':'ann','accounting_group':'hep.sim','accounting_group_user':'zoe','uid_domain':'far.lab'}");
	assert_string_equal(from(fixture, 1), "hep.sim|zoe|far.lab");
	TELL(fixture, MODIFY "1,'accounting_group_user':''}");
	assert_string_equal(from(fixture, 1), "hep.sim||far.lab");
	TELL(fixture, MODIFY "1,'accounting_group':'bio','project':'red'}");
	assert_string_equal(from(fixture, 1), "bio||far.lab");
	TELL(fixture, MODIFY "1,'uid_domain':'','accounting_group':''}");
	assert_string_equal(from(fixture, 1), "||");
}

static void test_a_nice_user_is_in_the_group_of_nice_users_and_does_not_retire(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, ADD "1,'owner':'ann','nice_user':true}");
	assert_string_equal(from(fixture, 1), "nice-user||");
	assert_string_equal(ad(fixture, 1), "MaxJobRetirementTime=0;");
	TELL(fixture, ADD "2,'owner':'ann','nice_user':true,'accounting_group':'hep','max_job_retirement_time':9}");
	assert_string_equal(from(fixture, 2), "hep||");
	assert_string_equal(ad(fixture, 2), "MaxJobRetirementTime=9;");
	TELL(fixture, MODIFY "1,'nice_user':false}");
	assert_string_equal(from(fixture, 1), "||");
	assert_string_equal(ad(fixture, 1), "MaxJobRetirementTime=0;");
	TELL(fixture, MODIFY "2,'nice_user':false}");
	assert_string_equal(from(fixture, 2), "hep||");
	assert_string_equal(ad(fixture, 2), "MaxJobRetirementTime=9;");
}

static void test_accounting_group_accepts_the_old_form(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, ADD "1,'owner':'ann','ad':{'AccountingGroup':'hep.sim.zoe'}}");
	TELL(fixture, ADD "2,'owner':'ann','ad':{'accountinggroup':'zoe'},'nice_user':true}");
	assert_string_equal(from(fixture, 1), "hep.sim|zoe|");
	assert_string_equal(ad(fixture, 1), "");
	assert_string_equal(from(fixture, 2), "|zoe|");
}

/* Order of a submitter's jobs */

static void test_missing_numbers_have_the_defaults_of_htcondor(void **state)
{
	struct fixture *fixture = *state;

	TELL(fixture, ADD "1,'owner':'ann','priority':-7}");
	assert_string_equal(numbers(fixture, 1), "0 0 -7 0 0 1 0 task");
	TELL(fixture, ADD "2,'owner':'ann','priority':-7,'job_prio':-2147483648,'cluster':0}");
	assert_string_equal(numbers(fixture, 2), "0 0 -2147483648 0 0 0 0 task");
	assert_string_equal(numbers(fixture, 1), "0 0 -7 0 0 1 0 task");
	TELL(fixture, MODIFY "1,'job_prio':2147483647,'pre_job_prio1':1,'pre_job_prio2':-2,'post_job_prio1':3,'post_job_prio2':-4,'cluster':9,'proc':0}");
	assert_string_equal(numbers(fixture, 1), "1 -2 2147483647 3 -4 9 0");
	TELL(fixture, MODIFY "1,'priority':4}");
	assert_string_equal(numbers(fixture, 1), "1 -2 2147483647 3 -4 9 0");
}

static void test_a_job_in_a_reused_row_does_not_inherit_its_numbers(void **state)
{
	struct fixture *fixture = *state;
	uint32_t row;

	TELL(fixture, ADD "1,'owner':'ann','job_prio':5,'proc':7}");
	row = row_of(fixture, 1);
	TELL(fixture, DELETE "1}");
	run(fixture, NOW);
	TELL(fixture, ADD "2,'owner':'ann'}");
	assert_int_equal(row_of(fixture, 2), row);
	assert_string_equal(numbers(fixture, 2), "0 0 0 0 0 2 0 task");
}

/* Refusals */

static const struct { const char *of, *why; } refusals[] = {
	{ "'requirements':'Memory > '", "requirements: column " },
	{ "'rank':'(1'", "rank: column " },
	{ "'job_max_vacate_time':'1 +'", "job_max_vacate_time: column " },
	{ "'max_job_retirement_time':'='", "max_job_retirement_time: column " },
	{ "'ad':{'Good':1,'Bad':{'expr':'1 2'}}", "ad: Bad: column " },
	{ "'ad':{'Bad':{'expr':''}}", "ad: Bad: the value is empty" },
	{ "'ad':{'Bad':{'expr':'  '}}", "ad: Bad: the value is empty" },
	{ "'ad':{'1st':1}", "is not an attribute name: allowed are letters" },
	{ "'ad':{'a b':1}", "is not an attribute name: allowed are letters" },
	{ "'ad':{'A':1,'a':2}", "duplicate attribute; upper and lower case are the same" },
	{ "'ad':{'Rank':1}", "ad: Rank: use the member \\\"rank\\\" instead" },
	{ "'ad':{'jobprio':1}", "ad: JobPrio: use the member \\\"job_prio\\\" instead" },
	{ "'ad':{'AccountingGroup':5}", "ad: AccountingGroup: allowed is a string" },
	{ "'ad':{'AccountingGroup':''}", "ad: AccountingGroup: allowed is a string" },
	{ "'ad':{'AccountingGroup':'a b'}", "ad: AccountingGroup: allowed is a string" },
	{ "'ad':{'AccountingGroup':'a.b'},'accounting_group':'c'", "cannot be used together" },
	{ "'accounting_group':'hep physics'", "accounting_group: \\\"hep physics\\\" contains white space" },
	{ "'uid_domain':'ann@lab'", "uid_domain: \\\"ann@lab\\\" contains an @" },
	{ "'concurrency_limits':'a\\\"b'", "concurrency_limits: " },
	{ "'kill_sig':'SIG TERM'", "kill_sig: \\\"SIG TERM\\\"" },
	{ "'hold_kill_sig':'\\\"'", "hold_kill_sig: " },
};

static void test_an_impossible_job_is_refused_and_leaves_no_trace(void **state)
{
	struct fixture *fixture = *state;
	char event[400];

	TELL(fixture, ADD "1,'owner':'ann','rank':'1','accounting_group':'hep','ad':{'A':1}}");
	for (size_t i = 0; i < sizeof(refusals) / sizeof(*refusals); i++) {
		snprintf(event, sizeof(event), ADD "2,'owner':'zoe','job_name':'n%zu',%s}", i, refusals[i].of);
		census_check_refused(fixture, refusals[i].why, event);
		snprintf(event, sizeof(event), MODIFY "1,'job_name':'n%zu',%s}", i, refusals[i].of);
		census_check_refused(fixture, refusals[i].why, event);
	}
	assert_string_equal(ad(fixture, 1), "A=1;Rank=1;");
}

/* Return the answer to an event of any length; "": accepted. */
static const char *add_large(struct fixture *fixture, const char *text)
{
	char *line = malloc(strlen(text) + 200);

	assert_non_null(line);
	fixture->refusal[0] = '\0';
	events_line(&fixture->events, line,
		    (size_t)sprintf(line, "{\"seq\":%llu,\"event\":\"job_add\",\"submission_time\":1,\"job_number\":5,\"owner\":\"ann\",%s}",
				    (unsigned long long)fixture->events.last + 1, text));
	free(line);
	return fixture->refusal;
}

static void check_attributes(struct fixture *fixture, unsigned n, const char *why)
{
	char *text = malloc(20u * n + 20), *to = text + sprintf(text, "\"ad\":{");

	for (unsigned k = 0; k < n; k++)
		to += sprintf(to, "%s\"A%u\":%u", k ? "," : "", k, k % 10);
	strcpy(to, "}");
	if (*why)
		assert_non_null(strstr(add_large(fixture, text), why));
	else
		assert_string_equal(add_large(fixture, text), "");
	free(text);
}

static void test_an_ad_has_a_limited_number_of_attributes_and_bytes(void **state)
{
	struct fixture *fixture = *state;
	char *text = malloc(70000);
	size_t n;

	check_attributes(fixture, AD_ATTRIBUTES_MOST, "");
	TELL(fixture, DELETE "5}");
	check_attributes(fixture, AD_ATTRIBUTES_MOST + 1, "ad: 2001 attributes: allowed are 2000");
	check_attributes(fixture, 10000, "ad: 10000 attributes: allowed are 2000");
	n = (size_t)sprintf(text, "\"ad\":{\"A\":\"");
	memset(text + n, 'x', 65530);
	strcpy(text + n + 65530, "\"}");
	assert_non_null(strstr(add_large(fixture, text), "ad: A: the ad exceeds 65536 bytes at this attribute"));
	strcpy(text + n + 65500, "\"}");
	assert_string_equal(add_large(fixture, text), "");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_job_without_htcondor_members_has_no_ad),
		TEST(test_members_are_attributes_sorted_by_name),
		TEST(test_values_of_an_ad_keep_their_type),
		TEST(test_jobs_with_the_same_members_share_one_ad),
		TEST(test_a_change_affects_only_the_members_that_it_names),
		TEST(test_submitters_are_reported_and_changed_separately),
		TEST(test_a_nice_user_is_in_the_group_of_nice_users_and_does_not_retire),
		TEST(test_accounting_group_accepts_the_old_form),
		TEST(test_missing_numbers_have_the_defaults_of_htcondor),
		TEST(test_a_job_in_a_reused_row_does_not_inherit_its_numbers),
		TEST(test_an_impossible_job_is_refused_and_leaves_no_trace),
		TEST(test_an_ad_has_a_limited_number_of_attributes_and_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
