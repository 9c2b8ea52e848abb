/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/cell.h"
#include "sched/process/json.h"
#include "sched/cli/cell/lint_local.h"
#include "sched/cli/text.h"
#include "sched/cli/verbs.h"

#define FINDINGS_BYTES (1u << 30)

const struct argument lint_options[] = {
	{ "--json", ARGUMENT_FLAG, .sentence = "print JSON, one object a line" },
	{ .name = NULL },
};

static int lint_usage(void)
{
	fputs("usage: fairlead lint [--json] [CELL]\n", stderr);
	return 2;
}

static void lint_print_text(const struct report *report, const char *dir)
{
	report_print(report, stdout);
	printf("%s: %zu fault%s, %zu warning%s\n", dir, report->faults, plural(report->faults), report->warnings,
	       plural(report->warnings));
}

/* Print the findings, or as many as there is memory for. Returns 0 or -ENOMEM. */
static int lint_print_json(const struct report *report)
{
	const struct finding *finding;
	struct out out;
	char *text;

	if (out_open_memory(&out, FINDINGS_BYTES))
		return -ENOMEM;
	for (finding = report->findings; finding < report->findings + report->n; finding++) {
		json_write_plain(&out, "{\"severity\":", finding->severity == FAULT ? "fault" : "warning");
		json_write_plain(&out, ",\"file\":", finding->file);
		json_write_number(&out, ",\"line\":", finding->line);
		json_write_plain(&out, ",\"text\":", finding->text);
		json_write_literal(&out, "}\n");
	}
	text = out_detach(&out);
	if (!text)
		return -ENOMEM;
	fputs(text, stdout);
	free(text);
	return 0;
}

static int lint_cell(const char *dir, bool json)
{
	struct report report = { 0 };
	struct cell cell;
	int error = cell_load(&cell, dir, &report), status = report.faults ? 1 : 0;

	if (!error)
		lint_local(&cell, &report);
	if (error) {
		status = cli_cell_check(dir);
		errno = -error;
		status = status ? status : cli_fail(EXIT_PERMISSION, "%s: %m", dir);
	} else if (!json) {
		lint_print_text(&report, dir);
	} else if (lint_print_json(&report)) {
		fputs("fairlead lint: out of memory\n", stderr);
		status = 4;
	}
	cell_free(&cell);
	report_free(&report);
	return status;
}

int lint_run(const char *cell, int argc, char **argv)
{
	struct words words = { .table = lint_options, .argc = argc, .argv = argv, .next = 1 };
	bool json = false;
	int code = options_take(&words, &json);

	if (code)
		return code;
	if (words.next < argc)
		cell = argv[words.next++];
	if (words.next < argc)
		return lint_usage();
	return cell && *cell ? lint_cell(cell, json) : cli_no_cell(", or name it");
}
