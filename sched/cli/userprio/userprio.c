/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/userprio/userprio.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

#include "conf/cell.h"
#include "sched/cli/userprio/show.h"
#include "sched/cli/verbs.h"

/*
 * Options for the help. userprio/words.c and userprio/edit.c parse them, as they have one dash and
 * may be abbreviated.
 */
const struct argument userprio_options[] = {
	{ "-most", ARGUMENT_FLAG, .sentence = "show the most useful columns; the default" },
	{ "-all", ARGUMENT_FLAG, .sentence = "show quotas, priorities, usage and bounds" },
	{ "-quotas", ARGUMENT_FLAG, .sentence = "show quotas of groups" },
	{ "-priority", ARGUMENT_FLAG, .sentence = "show priorities and their factors" },
	{ "-usage", ARGUMENT_FLAG, .sentence = "show usage, with its first and last time" },
	{ "-surplus", ARGUMENT_FLAG, .sentence = "show whether groups take more than their quota" },
	{ "-sortkey", ARGUMENT_FLAG, .sentence = "show the keys by which groups are served" },
	{ "-order", ARGUMENT_FLAG, .sentence = "show the position of groups in this table" },
	{ "-groupid", ARGUMENT_FLAG, .sentence = "show the numbers of groups, by name" },
	{ "-allusers", ARGUMENT_FLAG, .sentence = "also show records without usage in the last 24 hours" },
	{ "-activefrom", ARGUMENT_FLAG, .value = "MONTH DAY YEAR", .sentence = "show records with usage since then" },
	{ "-hierarchical", ARGUMENT_FLAG, .sentence = "show submitters below their groups" },
	{ "-heir", .kind = ARGUMENT_SAME },
	{ "-flat", ARGUMENT_FLAG, .sentence = "do not show submitters below their groups" },
	{ "-grouporder", ARGUMENT_FLAG, .sentence = "show groups first, breadth first" },
	{ "-grouprollup", ARGUMENT_FLAG, .sentence = "show groups with the sums of their subtrees" },
	{ "-long", ARGUMENT_FLAG, .sentence = "print all attributes, numbered" },
	{ "-legacy", ARGUMENT_FLAG, .sentence = "with -long: print all attributes, numbered (the default)" },
	{ "-modular", ARGUMENT_FLAG, .sentence = "with -long: print a ClassAd for each record, then an empty line" },
	{ "-autoformat", ARGUMENT_FLAG, .value = "ATTRIBUTE...",
	  .sentence = "print these attributes or expressions; :lhVr,tng as in condor_q" },
	{ "-af", .kind = ARGUMENT_SAME },
	{ "-constraint", ARGUMENT_FLAG, .value = "EXPRESSION",
	  .sentence = "with -long -modular or -autoformat: print records for which it is true" },
	{ "-getreslist", ARGUMENT_FLAG, .value = "USER", .sentence = "print the slots that the submitter holds" },
	{ "-inputfile", ARGUMENT_FLAG, .value = "FILE",
	  .sentence = "read the output of -long from FILE, not the cell" },
	{ "-debug", ARGUMENT_FLAG, .sentence = "accepted and ignored" },
	{ "-setfactor", ARGUMENT_FLAG, .value = "USER FACTOR", .sentence = "set the priority factor, from 1" },
	{ "-setprio", ARGUMENT_FLAG, .value = "USER PRIORITY", .sentence = "set the real priority, from 0.5" },
	{ "-setceiling", ARGUMENT_FLAG, .value = "USER WEIGHT", .sentence = "limit the weight in use; -1: no limit" },
	{ "-setfloor", ARGUMENT_FLAG, .value = "USER WEIGHT", .sentence = "guarantee this weight; 0: none" },
	{ "-duration", ARGUMENT_FLAG, .value = "SECONDS",
	  .sentence = "set factor, ceiling or floor for this time, then restore them" },
	{ "-cancelfactorlease", ARGUMENT_FLAG, .value = "USER", .sentence = "restore the factor at once" },
	{ "-cancelceilinglease", ARGUMENT_FLAG, .value = "USER", .sentence = "restore the ceiling at once" },
	{ "-cancelfloorlease", ARGUMENT_FLAG, .value = "USER", .sentence = "restore the floor at once" },
	{ "-setaccum", ARGUMENT_FLAG, .value = "USER SECONDS", .sentence = "set the accumulated usage, weighted" },
	{ "-setbegin", ARGUMENT_FLAG, .value = "USER TIME",
	  .sentence = "set when the usage began, in seconds since 1970" },
	{ "-setlast", ARGUMENT_FLAG, .value = "USER TIME",
	  .sentence = "set when the last usage was, in seconds since 1970" },
	{ "-resetusage", ARGUMENT_FLAG, .value = "USER", .sentence = "set the accumulated usage to 0" },
	{ "-resetall", ARGUMENT_FLAG, .sentence = "set the accumulated usage of all submitters to 0" },
	{ "-delete", ARGUMENT_FLAG, .value = "USER", .sentence = "delete the record with all its settings" },
	{ "--json", ARGUMENT_FLAG, .sentence = "print all data, or the result of an edit, as JSON" },
	{ .name = NULL },
};

static int print(struct userprio_records *records, struct userprio_query *query, struct out *out)
{
	int rc = 0;

	userprio_records_choose(records, query);
	if (query->group_rollup)
		rc = userprio_groups_rollup(records);
	if (rc)
		return rc;
	if (query->is_json)
		return userprio_json(records, query, out);
	if (query->nattributes > 0)
		return userprio_autoformat(records, query, out);
	return query->is_long ? userprio_long(records, query, out) : userprio_table(records, query, out);
}

int userprio_print(const struct fl_view *view, struct out *out, void *query)
{
	struct userprio_query *userprio_query = query;
	struct userprio_records records = { 0 };
	int rc = userprio_live_read(&records, view, userprio_query->group_rollup || userprio_query->is_json);

	userprio_query->failed = NULL;
	if (rc == 0)
		rc = userprio_query->resources_of ? userprio_resources(view, userprio_query, out)
						  : print(&records, userprio_query, out);
	if (rc == -ENOENT)
		userprio_query->failed =
			"no user priorities, as the scheduler works by another policy; for HTCondor's, write "
			"\"algorithm userprio\" into "
			"sched_conf and a condor_config beside it: fairlead-condor(5)";
	else if (rc)
		userprio_query->failed = "no memory";
	userprio_records_free(&records);
	return EXIT_OK;
}

/*
 * Read the factors of groups from the configuration. -grouprollup shows them, and -long does not
 * contain them.
 */
static void factors_take(struct userprio_records *records, const char *directory)
{
	struct report report = { 0 };
	struct cell cell;
	bool whole;

	if (cell_load(&cell, directory, &report) == 0) {
		for (size_t i = 0; i < records->n; i++) {
			struct userprio_record *group = &records->items[i];

			if (!group->is_group || group->factor > 0)
				continue;
			group->factor = condor_factor(&cell.condor, group->name,
						      condor_group_of(&cell.condor, group->name, &whole));
			group->columns |= USERPRIO_FACTOR | USERPRIO_REAL;
		}
	}
	cell_free(&cell);
	report_free(&report);
}

static int file_print(struct userprio_query *query, const char *cell)
{
	struct userprio_records records = { 0 };
	struct out out = { .fd = -1 };
	int code = userprio_file_read(&records, query->input), rc = 0;

	if (!code && query->group_rollup && cell && *cell)
		factors_take(&records, cell);
	if (!code)
		rc = out_open(&out, STDOUT_FILENO);
	if (!code && !rc) {
		rc = print(&records, query, &out);
		if (!rc && out_flush(&out))
			code = cli_fail(EXIT_NO_DATA, "userprio: the output could not be written");
		out_close(&out);
	}
	if (rc)
		code = cli_fail(EXIT_NO_DATA, "userprio: no memory");
	userprio_records_free(&records);
	return code;
}

static int show(const char *cell, struct userprio_query *query)
{
	int code;

	if (query->is_help) {
		userprio_usage(stdout);
		return EXIT_OK;
	}
	if (query->input)
		return file_print(query, cell);
	code = cell && *cell ? section_run(cell, userprio_print, query) : cli_no_cell("");
	if (!code && query->failed)
		return cli_fail(EXIT_NO_DATA, "%s: %s", cell, query->failed);
	for (size_t i = 0; i < query->nnames && !code && !query->resources_of; i++)
		if (!query->names[i].is_found)
			cli_fail(EXIT_OK, "userprio: %s: no such submitter or group", query->names[i].text);
	return code;
}

int userprio_run(const char *cell, int argc, char **argv)
{
	struct userprio_query query = { 0 };
	struct timespec now;
	int code;

	if (userprio_asks(argc, argv))
		return cell && *cell ? userprio_ask(cell, argc, argv) : cli_no_cell("");
	clock_gettime(CLOCK_REALTIME, &now);
	query.now = now.tv_sec;
	code = userprio_words(&query, argc, argv);
	if (!code)
		code = show(cell, &query);
	userprio_words_free(&query);
	return code;
}
