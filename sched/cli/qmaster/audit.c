/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fairlead audit: read the journal of a shadow and add it up. Contacts neither the scheduler nor
 * the qmaster.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sched/cli/qmaster/audit.h"
#include "sched/cli/verbs.h"
#include "sched/process/json.h"

struct audit_request {
	bool runs, json, except_known;
	struct out out;
	struct audit_sum sum;
};

#define FIELD(name) offsetof(struct audit_request, name)

const struct argument audit_options[] = {
	{ "--runs", ARGUMENT_FLAG, FIELD(runs), .sentence = "also print each run" },
	{ "--json", ARGUMENT_FLAG, FIELD(json), .sentence = "print JSON" },
	{ "--except-known", ARGUMENT_FLAG, FIELD(except_known),
	  .sentence = "ignore differences caused by known defects of 8.1.9 in the exit status" },
	{ .name = NULL },
};

static int take(void *context, const struct audited *run)
{
	struct audit_request *request = context;

	if (request->runs && request->json)
		audit_json_run(&request->out, run, request->sum.runs > 0);
	else if (request->runs)
		audit_print_run(&request->out, run);
	return audit_sum_add(&request->sum, run);
}

static void print_begin(struct audit_request *request)
{
	if (request->json)
		json_write_literal(&request->out, request->runs ? "{\"run\":[" : "{");
}

static void print_end(struct audit_request *request, const char *journal)
{
	if (request->json) {
		json_write_literal(&request->out, request->runs ? "],\n" : "");
		audit_json_sum(&request->out, &request->sum, journal);
		json_write_literal(&request->out, "}\n");
	} else {
		out_text(&request->out, request->runs ? "\n" : "");
		audit_print_sum(&request->out, &request->sum, journal);
	}
}

static int read_failed(int rc, const char *journal, const struct error *error)
{
	if (rc == -ENOENT)
		return cli_fail(
			EXIT_NO_DATA,
			"%s: no journal: no run of the built-in scheduler was audited; see fairlead-schedd --shadow",
			journal);
	return cli_fail(rc == -EACCES || rc == -EPERM ? EXIT_PERMISSION : EXIT_NO_DATA, "%s", error->text);
}

static int audit_journal(struct audit_request *request, const char *journal)
{
	struct error error = { "" };
	int rc;

	print_begin(request);
	rc = audit_journal_read(journal, take, request, &request->sum.odd, &error);
	if (rc)
		return read_failed(rc, journal, &error);
	if (request->sum.runs == 0)
		return cli_fail(EXIT_NO_DATA, "%s: it has no run", journal);
	print_end(request, journal);
	rc = out_flush(&request->out);
	if (rc)
		return cli_unwritten(-rc);
	return request->sum.different > (request->except_known ? request->sum.known : 0) ? EXIT_DIFFERENCE : EXIT_OK;
}

/* Return the journal of the operand, or the cell's. The caller frees it. */
static char *journal_of(const char *cell, const char *operand)
{
	char *path;

	if (operand)
		return strdup(operand);
	return asprintf(&path, "%s/" AUDIT_JOURNAL, cell) < 0 ? NULL : path;
}

int audit_run(const char *cell, int argc, char **argv)
{
	struct words words = { .table = audit_options, .argc = argc, .argv = argv, .next = 1 };
	struct audit_request request = { 0 };
	const char *operand;
	char *journal;
	int code = options_take(&words, &request);

	if (code)
		return code;
	operand = words.next < argc ? argv[words.next] : NULL;
	if (operand && words.next + 1 < argc)
		return cli_fail(EXIT_USAGE, "audit: unexpected word %s", argv[words.next + 1]);
	if (!operand && (!cell || !*cell))
		return cli_no_cell(", or name a journal");
	journal = journal_of(cell, operand);
	if (!journal || out_open(&request.out, STDOUT_FILENO)) {
		free(journal);
		return cli_fail(EXIT_NO_DATA, "no memory");
	}
	code = audit_journal(&request, journal);
	out_close(&request.out);
	audit_sum_free(&request.sum);
	free(journal);
	return code;
}
