/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/userprio.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

#include "conf/cell.h"
#include "sched/cli/userprio_show.h"
#include "sched/cli/verbs.h"

/*
 * Words behind one dash have several values, and may be shortened: userprio_words.c and
 * userprio_edit.c take them.
 */
const struct argument userprio_options[] = {
	{ "-most", ARGUMENT_FLAG, .sentence = "the columns that most want; so without an option for columns" },
	{ "-all", ARGUMENT_FLAG, .sentence = "quotas, priorities, usage and bounds" },
	{ "-quotas", ARGUMENT_FLAG, .sentence = "quotas of groups" },
	{ "-priority", ARGUMENT_FLAG, .sentence = "priorities and their factors" },
	{ "-usage", ARGUMENT_FLAG, .sentence = "usage, since when, until when" },
	{ "-surplus", ARGUMENT_FLAG, .sentence = "whether groups take more than their quota" },
	{ "-sortkey", ARGUMENT_FLAG, .sentence = "by what groups are served" },
	{ "-order", ARGUMENT_FLAG, .sentence = "their order in lists" },
	{ "-groupid", ARGUMENT_FLAG, .sentence = "their numbers, breadth first" },
	{ "-allusers", ARGUMENT_FLAG, .sentence = "who has used nothing for a day, too" },
	{ "-activefrom", ARGUMENT_FLAG, .value = "MONTH DAY YEAR", .sentence = "who has used something since then" },
	{ "-hierarchical", ARGUMENT_FLAG, .sentence = "users below their groups" },
	{ "-flat", ARGUMENT_FLAG, .sentence = "users not below their groups" },
	{ "-grouporder", ARGUMENT_FLAG, .sentence = "groups first, breadth first" },
	{ "-grouprollup", ARGUMENT_FLAG, .sentence = "groups with the sums of those below them" },
	{ "-long", ARGUMENT_FLAG, .sentence = "all attributes, numbered" },
	{ "-legacy", ARGUMENT_FLAG, .sentence = "with -long: the same" },
	{ "-modular", ARGUMENT_FLAG, .sentence = "with -long: a ClassAd each, an empty line behind it" },
	{ "-autoformat", ARGUMENT_FLAG, .value = "ATTRIBUTE...", .sentence = "these attributes or expressions; :lhVr,tng as condor_q has them" },
	{ "-af", .kind = ARGUMENT_SAME },
	{ "-constraint", ARGUMENT_FLAG, .value = "EXPRESSION", .sentence = "with -long -modular or -autoformat: those for which it is true" },
	{ "-getreslist", ARGUMENT_FLAG, .value = "USER", .sentence = "the slots that it has" },
	{ "-inputfile", ARGUMENT_FLAG, .value = "FILE", .sentence = "what -long has written, instead of the cell" },
	{ "-setfactor", ARGUMENT_FLAG, .value = "USER FACTOR", .sentence = "priority factor, from 1" },
	{ "-setprio", ARGUMENT_FLAG, .value = "USER PRIORITY", .sentence = "real priority, from 0.5" },
	{ "-setceiling", ARGUMENT_FLAG, .value = "USER WEIGHT", .sentence = "most that may be in use; -1: any weight" },
	{ "-setfloor", ARGUMENT_FLAG, .value = "USER WEIGHT", .sentence = "what is given to it first; 0: none" },
	{ "-duration", ARGUMENT_FLAG, .value = "SECONDS", .sentence = "factor, ceiling or floor for a time; then what was before" },
	{ "-cancelfactorlease", ARGUMENT_FLAG, .value = "USER", .sentence = "what was before at once" },
	{ "-cancelceilinglease", ARGUMENT_FLAG, .value = "USER", .sentence = "the same of the ceiling" },
	{ "-cancelfloorlease", ARGUMENT_FLAG, .value = "USER", .sentence = "the same of the floor" },
	{ "-setaccum", ARGUMENT_FLAG, .value = "USER SECONDS", .sentence = "accumulated usage, weighted" },
	{ "-setbegin", ARGUMENT_FLAG, .value = "USER TIME", .sentence = "when its usage began, epoch seconds" },
	{ "-setlast", ARGUMENT_FLAG, .value = "USER TIME", .sentence = "when it last used something" },
	{ "-resetusage", ARGUMENT_FLAG, .value = "USER", .sentence = "accumulated usage begins anew" },
	{ "-resetall", ARGUMENT_FLAG, .sentence = "that of all" },
	{ "-delete", ARGUMENT_FLAG, .value = "USER", .sentence = "its record, with all that was set" },
	{ "--json", ARGUMENT_FLAG, .sentence = "everything, or an edit's answer, for programs" },
	{ .name = NULL },
};

static int print(const struct userprio_records *r, const struct userprio_query *q, struct out *o)
{
	if (q->is_json)
		return userprio_json(r, q, o);
	if (q->nattributes > 0)
		return userprio_autoformat(r, q, o);
	return q->is_long ? userprio_long(r, q, o) : userprio_table(r, q, o);
}

int userprio_print(const struct fl_view *view, struct out *o, void *query)
{
	struct userprio_query *q = query;
	struct userprio_records records = { 0 };
	int rc = userprio_live_read(&records, view, q->group_rollup || q->is_json);

	q->failed = NULL;
	if (rc == 0 && q->resources_of)
		rc = userprio_resources(view, q, o);
	else if (rc == 0)
		rc = userprio_choose(&records, q);
	if (rc == 0 && !q->resources_of)
		rc = print(&records, q, o);
	if (rc == -ENOENT)
		q->failed = "no user priorities, as the scheduler works by another policy; for HTCondor's, write \"algorithm userprio\" into "
			    "sched_conf and a condor_config beside it: fairlead-condor(5)";
	else if (rc)
		q->failed = "no memory";
	userprio_records_free(&records);
	return EXIT_OK;
}

/* With the sums of their subtrees the factors of groups are told, which -long does not have. */
static void factors_take(struct userprio_records *r, const char *directory)
{
	struct report report = { 0 };
	struct cell cell;
	bool whole;

	if (cell_load(&cell, directory, &report) == 0)
		for (size_t i = 0; i < r->n; i++)
			if (r->items[i].is_group && r->items[i].factor == 0)
				r->items[i].factor = condor_factor(&cell.condor, r->items[i].name, condor_group_of(&cell.condor, r->items[i].name, &whole));
	cell_free(&cell);
	report_free(&report);
}

static int file_print(const struct userprio_query *q, const char *cell)
{
	struct userprio_records records = { 0 };
	struct out o = { .fd = -1 };
	int code = userprio_file_read(&records, q->input), rc = 0;

	if (!code && q->group_rollup && cell && *cell)
		factors_take(&records, cell);
	if (!code)
		rc = userprio_choose(&records, q);
	if (!code && !rc)
		rc = out_open(&o, STDOUT_FILENO);
	if (!code && !rc) {
		rc = print(&records, q, &o);
		if (!rc && out_flush(&o))
			code = cli_fail(EXIT_NO_DATA, "userprio: the output could not be written");
		out_close(&o);
	}
	if (rc)
		code = cli_fail(EXIT_NO_DATA, "userprio: no memory");
	userprio_records_free(&records);
	return code;
}

static int show(const char *cell, struct userprio_query *q)
{
	int code;

	if (q->is_help) {
		userprio_usage(stdout);
		return EXIT_OK;
	}
	if (q->input)
		return file_print(q, cell);
	code = cell && *cell ? section_run(cell, userprio_print, q) : cli_no_cell("");
	return !code && q->failed ? cli_fail(EXIT_NO_DATA, "%s: %s", cell, q->failed) : code;
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
	classad_expression_free(query.condition);
	return code;
}
