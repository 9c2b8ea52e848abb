/* SPDX-License-Identifier: Apache-2.0 */
/* Events as lines: read values are written the same, and missing members stay missing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sched/process/json.h"
#include "sched/qmaster/json/event_write.h"
#include "sched/qmaster/members/event.h"
#include "tests/values.h"

/*
 * Read and write a line without {"seq":1,"event": and }. NULL: the reason of the refusal is in
 * `error`.
 */
static const char *again(const char *line, struct error *error)
{
	static char text[4000];
	struct taking taking = { 0 };
	struct event event;
	const struct value *object;
	const char *written;
	struct out out;
	size_t length;
	int rc;

	snprintf(text, sizeof(text), "{\"event\":%s}", line);
	for (char *c = text; *c; c++)
		*c = *c == '\'' ? '"' : *c;
	object = read_bytes(text, strlen(text));
	assert_non_null(object);
	rc = event_read(event_form(value_member(object, "event")->text), object, &taking, &event);
	if (rc == 0) {
		assert_int_equal(out_open_memory(&out, 1 << 20), 0);
		event_write(&out, 1, &event);
		assert_int_equal(out_held(&out, &written, &length), 0);
		assert_int_equal(strncmp(written, "{\"seq\":1,\"event\":", 17), 0);
		snprintf(text, sizeof(text), "%.*s", (int)length - 17 - 2, written + 17);
		out_close(&out);
		for (char *c = text; *c; c++)
			*c = *c == '"' ? '\'' : *c;
	}
	if (error)
		*error = taking.error;
	event_clear(&event, &taking);
	return rc ? NULL : text;
}

static void check_same(const char *line)
{
	const char *text = again(line, NULL);

	assert_non_null(text);
	assert_string_equal(text, line);
}

static void test_events_about_slots_are_written_as_they_are_read(void **unused)
{
	(void)unused;
	check_same(
		"'slot','ad':{'Memory':{'expr':'5 * 5'},'x_1':{'expr':'a && b'}},'machine':'node','place':7,'slot':'slot1@glidein@node'");
	check_same("'slot','ad':{},'slot':'slot1@node'");
	check_same("'slot_remove','slot':'slot1@node'");
	check_same("'claim','slot':'slot1@node','submitter':''");
	check_same(
		"'claim','concurrency_limits':'db:2','current_rank':-2.5,'preempting':'bob@lab','preempting_rank':0.5,'since':1700000000,"
		"'slot':'slot1@node','submitter':'hep.ann@lab','suspended':true,'weight':0");
	check_same("'vacated','job_number':7");
	check_same("'vacated','how':'hard','job_number':7,'task':3");
}

static void test_htcondor_members_of_jobs_are_written_as_they_are_read(void **unused)
{
	(void)unused;
	check_same(
		"'job_modify','accounting_group':'hep','accounting_group_user':'','ad':{'A':{'expr':'1'}},'cluster':0,'concurrency_limits':'db',"
		"'hold_kill_sig':'9','job_max_vacate_time':'60','job_number':5,'job_prio':-2147483648,'kill_sig':'','max_job_retirement_time':'x',"
		"'nice_user':false,'post_job_prio1':1,'post_job_prio2':2,'pre_job_prio1':3,'pre_job_prio2':2147483647,'proc':4294967295,'rank':'r',"
		"'remove_kill_sig':'SIGINT','requirements':'true','uid_domain':'lab'");
	check_same("'job_modify','job_number':5,'job_prio':0");
}

static void test_events_of_an_accountant_are_written_as_they_are_read(void **unused)
{
	(void)unused;
	check_same("'customer','name':'<none>'");
	check_same(
		"'customer','accumulated':5.5,'begin':1,'ceiling':7,'ceiling_before':-1,'ceiling_until':9,'factor':1000,'factor_before':4,"
		"'factor_until':8,'floor':2,'floor_before':1,'floor_until':10,'hidden':true,'is_group':true,'last':3,'name':'hep','rup':12.25,"
		"'tree_used':4,'uncharged':-2.5,'used':3,'waited':9,'weight_accumulated':6,'weight_uncharged':0.25,'weight_used':3.5");
	check_same("'charged_slot','customer':'ann@lab','slot':'all.q@node'");
	check_same(
		"'charged_slot','autoregroup':true,'begun':5,'cpus':2,'current_rank':-1.5,'customer':'ann@lab','ended':9,'finished':true,"
		"'free_of_charge':true,"
		"'is_ranked':true,'job_number':7,'negotiating_group':'hep','ordered':true,'since':6,'slot':'slot1@a@b','start':8,'task':3,'weight':2");
	check_same(
		"'winner','autoregroup':true,'customer':'ann@lab','job_number':7,'negotiating_group':'hep','rank':0.5,'since':6,'slot':'s@a',"
		"'task':3,'winner':9");
	check_same(
		"'scheduler_state','customers_updated':5,'cycle':3,'cycle_begin':6,'cycle_end':7,'cycle_wanted':true,'negotiated':true");
}

static void test_values_become_expressions(void **unused)
{
	(void)unused;
	assert_string_equal(
		again("'slot','slot':'s@m','ad':{'i':5,'r':0.1,'w':3.0,'t':true,'f':false,'s':'a \\'b\\' \\\\','n':null}",
		      NULL),
		"'slot','ad':{'i':{'expr':'5'},'r':{'expr':'0.1'},'w':{'expr':'3.0'},'t':{'expr':'true'},'f':{'expr':'false'},"
		"'s':{'expr':'\\'a \\\\\\'b\\\\\\' \\\\\\''}},'slot':'s@m'");
}

static void test_edits_are_named_as_the_options_of_condor_userprio(void **unused)
{
	(void)unused;
	check_same("'submitter_edit','customer':'ann@lab','duration':3600,'edit':'setfactor','value':4");
	check_same("'submitter_edit','customer':'ann@lab','edit':'setprio','value':0.5");
	check_same("'submitter_edit','customer':'hep','edit':'setceiling','value':-1");
	check_same("'submitter_edit','customer':'hep','edit':'setfloor','value':0");
	check_same("'submitter_edit','customer':'ann@lab','edit':'setaccum','value':1e+20");
	check_same("'submitter_edit','customer':'ann@lab','edit':'setbegin','value':1700000000");
	check_same("'submitter_edit','customer':'ann@lab','edit':'setlast','value':0");
	check_same("'submitter_edit','customer':'ann@lab','edit':'cancelfactorlease'");
	check_same("'submitter_edit','customer':'ann@lab','edit':'cancelceilinglease'");
	check_same("'submitter_edit','customer':'ann@lab','edit':'cancelfloorlease'");
	check_same("'submitter_edit','customer':'ann@lab','edit':'resetusage'");
	check_same("'submitter_edit','customer':'ann@lab','edit':'delete'");
	check_same("'submitter_edit','edit':'resetall'");
}

static void check_refused(const char *line, const char *expected)
{
	struct error error;

	assert_null(again(line, &error));
	assert_string_equal(error.text, expected);
}

static void test_an_edit_has_exactly_the_members_that_it_needs(void **unused)
{
	(void)unused;
	check_refused("'submitter_edit','customer':'a@b','edit':'setfactor'", "value: missing");
	check_refused("'submitter_edit','customer':'a@b','edit':'delete','value':1",
		      "value: not allowed with this edit");
	check_refused("'submitter_edit','edit':'setfactor','value':1", "customer: missing");
	check_refused("'submitter_edit','customer':'a@b','edit':'resetall'", "customer: not allowed with \"resetall\"");
	check_refused("'submitter_edit','customer':'a@b','edit':'setprio','value':1,'duration':5",
		      "duration: only allowed with a factor, a ceiling or a floor");
	check_refused("'submitter_edit','customer':'a@b','edit':'setfactor','value':1,'duration':0",
		      "duration: 0 is not in 1..9007199254740991");
	check_refused("'submitter_edit','customer':'a@b','edit':'factor'",
		      "edit: \"factor\" is not an edit; see fairlead-events(5)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_events_about_slots_are_written_as_they_are_read),
		cmocka_unit_test(test_htcondor_members_of_jobs_are_written_as_they_are_read),
		cmocka_unit_test(test_events_of_an_accountant_are_written_as_they_are_read),
		cmocka_unit_test(test_values_become_expressions),
		cmocka_unit_test(test_edits_are_named_as_the_options_of_condor_userprio),
		cmocka_unit_test(test_an_edit_has_exactly_the_members_that_it_needs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
