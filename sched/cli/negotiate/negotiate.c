/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "sched/cli/negotiate/negotiate.h"
#include "sched/cli/verbs.h"

#define FIELD(name) .field = offsetof(struct negotiation_query, name)

const struct argument negotiate_options[] = {
	{ "--dry", ARGUMENT_FLAG, FIELD(dry), .sentence = "compute the next cycle on a copy; no job starts" },
	OPTION_FORMAT("--json", offsetof(struct negotiation_query, format), negotiate_json, "print all data as JSON"),
	{ .name = NULL },
};

int long_run_begin(struct long_run *run, const struct fl_view *view, struct negotiation_query *query)
{
	struct fl_negotiation negotiation = { .ngroups = 0 };
	struct fl_submitter submitter;

	fl_negotiation(view, &negotiation);
	*run = (struct long_run){ calloc(negotiation.ngroups + 1, sizeof(double)), negotiation.ngroups };
	if (!run->sums)
		return error_set(&query->error, -ENOMEM, "no memory");
	for (size_t k = 0; fl_submitter(view, k, &submitter) == 0; k++)
		if (submitter.factor > 0.0 && submitter.quota_group < run->n)
			run->sums[submitter.quota_group] += 1.0 / sqrt(submitter.factor);
	return 0;
}

double long_run_part(const struct long_run *run, const struct fl_submitter *submitter)
{
	double sum = submitter->quota_group < run->n ? run->sums[submitter->quota_group] : 0.0;

	return submitter->factor > 0.0 && sum > 0.0 ? 1.0 / sqrt(submitter->factor) / sum : 0.0;
}

void long_run_end(struct long_run *run)
{
	free(run->sums);
}

static int parse(struct negotiation_query *query, int argc, char **argv)
{
	struct words words = { .table = negotiate_options, .argc = argc, .argv = argv, .next = 1 };
	int code = options_take(&words, query);

	if (!code && words.next < argc)
		code = cli_fail(EXIT_USAGE, "negotiate: unexpected word %s", argv[words.next]);
	return code;
}

static int report(const struct negotiation_query *query)
{
	if (query->error.text[0])
		return cli_fail(EXIT_NO_DATA, "%s: %s", query->cell, query->error.text);
	if (query->no_userprio)
		return cli_fail(
			EXIT_NO_DATA,
			"%s: nothing is negotiated, as the scheduler works by another policy; for HTCondor's, "
			"write \"algorithm "
			"userprio\" into sched_conf: fairlead-condor(5)",
			query->cell);
	return EXIT_OK;
}

int negotiate_run(const char *cell, int argc, char **argv)
{
	static struct negotiation_query query = { .format.print = negotiate_print };
	int code = parse(&query, argc, argv), why;

	query.cell = cell;
	if (!code)
		code = section_run(cell, query.dry ? negotiate_dry : query.format.print, &query);
	why = report(&query);
	return why ? why : code;
}
