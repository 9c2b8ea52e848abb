/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a shadow found: its journal, read and added up. Asks neither the scheduler nor the qmaster.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sched/cli/audit.h"
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
	{ "--except-known", ARGUMENT_FLAG, FIELD(except_known), .sentence = "ignore differences caused by known defects of 8.1.9 in the exit status" },
	{ .name = NULL },
};

static int take(void *context, const struct audited *run)
{
	struct audit_request *r = context;

	if (r->runs && r->json)
		audit_json_run(&r->out, run, r->sum.runs > 0);
	else if (r->runs)
		audit_print_run(&r->out, run);
	return audit_sum_add(&r->sum, run);
}

static void print_begin(struct audit_request *r)
{
	if (r->json)
		json_write_literal(&r->out, r->runs ? "{\"run\":[" : "{");
}

static void print_end(struct audit_request *r, const char *journal)
{
	if (r->json) {
		json_write_literal(&r->out, r->runs ? "],\n" : "");
		audit_json_sum(&r->out, &r->sum, journal);
		json_write_literal(&r->out, "}\n");
	} else {
		out_text(&r->out, r->runs ? "\n" : "");
		audit_print_sum(&r->out, &r->sum, journal);
	}
}

static int read_failed(int rc, const char *journal, const struct error *error)
{
	if (rc == -ENOENT)
		return cli_fail(EXIT_NO_DATA, "%s: no journal: no run of the built-in scheduler was audited; see fairlead-schedd --shadow", journal);
	return cli_fail(rc == -EACCES || rc == -EPERM ? EXIT_PERMISSION : EXIT_NO_DATA, "%s", error->text);
}

static int audit_journal(struct audit_request *r, const char *journal)
{
	struct error error = { "" };
	int rc;

	print_begin(r);
	rc = audit_journal_read(journal, take, r, &r->sum.odd, &error);
	if (rc)
		return read_failed(rc, journal, &error);
	if (r->sum.runs == 0)
		return cli_fail(EXIT_NO_DATA, "%s: it has no run", journal);
	print_end(r, journal);
	rc = out_flush(&r->out);
	if (rc)
		return cli_fail(EXIT_NO_DATA, "writing the output: %s", strerror(-rc));
	return r->sum.different > (r->except_known ? r->sum.known : 0) ? EXIT_DIFFERENCE : EXIT_OK;
}

/* The operand, or the cell's; the caller frees. */
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
	struct audit_request r = { 0 };
	const char *operand;
	char *journal;
	int code = options_take(&words, &r);

	if (code)
		return code;
	operand = words.next < argc ? argv[words.next] : NULL;
	if (operand && words.next + 1 < argc)
		return cli_fail(EXIT_USAGE, "audit: unexpected word %s", argv[words.next + 1]);
	if (!operand && (!cell || !*cell))
		return cli_no_cell(", or name a journal");
	journal = journal_of(cell, operand);
	if (!journal || out_open(&r.out, STDOUT_FILENO)) {
		free(journal);
		return cli_fail(EXIT_NO_DATA, "no memory");
	}
	code = audit_journal(&r, journal);
	out_close(&r.out);
	audit_sum_free(&r.sum);
	free(journal);
	return code;
}
