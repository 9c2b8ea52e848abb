/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "sched/cli/negotiate.h"
#include "sched/cli/verbs.h"

#define FIELD(name) .field = offsetof(struct negotiation_query, name)

const struct argument negotiate_options[] = {
	{ "--dry", ARGUMENT_FLAG, FIELD(dry), .sentence = "compute the next cycle on a copy; no job starts" },
	OPTION_FORMAT("--json", offsetof(struct negotiation_query, format), negotiate_json, "print all data as JSON"),
	{ .name = NULL },
};

int long_run_begin(struct long_run *run, const struct fl_view *view, struct negotiation_query *q)
{
	struct fl_negotiation n = { .ngroups = 0 };
	struct fl_submitter s;

	fl_negotiation(view, &n);
	*run = (struct long_run){ calloc(n.ngroups + 1, sizeof(double)), n.ngroups };
	if (!run->sums)
		return error_set(&q->error, -ENOMEM, "no memory");
	for (size_t k = 0; fl_submitter(view, k, &s) == 0; k++)
		if (s.factor > 0.0 && s.quota_group < run->n)
			run->sums[s.quota_group] += 1.0 / sqrt(s.factor);
	return 0;
}

double long_run_part(const struct long_run *run, const struct fl_submitter *s)
{
	double sum = s->quota_group < run->n ? run->sums[s->quota_group] : 0.0;

	return s->factor > 0.0 && sum > 0.0 ? 1.0 / sqrt(s->factor) / sum : 0.0;
}

void long_run_end(struct long_run *run)
{
	free(run->sums);
}

static int parse(struct negotiation_query *q, int argc, char **argv)
{
	struct words words = { .table = negotiate_options, .argc = argc, .argv = argv, .next = 1 };
	int code = options_take(&words, q);

	if (!code && words.next < argc)
		code = cli_fail(EXIT_USAGE, "negotiate: unexpected word %s", argv[words.next]);
	return code;
}

static int report(const struct negotiation_query *q)
{
	if (q->error.text[0])
		return cli_fail(EXIT_NO_DATA, "%s: %s", q->cell, q->error.text);
	if (q->no_userprio)
		return cli_fail(EXIT_NO_DATA, "%s: nothing is negotiated, as the scheduler works by another policy; for HTCondor's, write \"algorithm "
				"userprio\" into sched_conf: fairlead-condor(5)", q->cell);
	return EXIT_OK;
}

int negotiate_run(const char *cell, int argc, char **argv)
{
	static struct negotiation_query q = { .format.print = negotiate_print };
	int code = parse(&q, argc, argv), why;

	q.cell = cell;
	if (!code)
		code = section_run(cell, q.dry ? negotiate_dry : q.format.print, &q);
	why = report(&q);
	return why ? why : code;
}
