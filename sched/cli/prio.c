/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/prio.h"

#include <stdlib.h>

enum { OPT_LONG, OPT_LONG_2, OPT_NORM, OPT_NORM_2, OPT_WEIGHTS, OPT_WEIGHTS_2, OPT_FORMAT, OPT_FORMAT_2, OPT_JOBS, OPT_JOBS_2, OPT_USER, OPT_USER_2,
       OPT_PARTITION, OPT_PARTITION_2, OPT_SORT, OPT_SORT_2, OPT_NOHEADER, OPT_NOHEADER_2, OPT_JSON };

const struct option prio_options[] = {
	[OPT_LONG] = { "-l", NULL, "all factors, nice and TRES, whatever their weights" },
	[OPT_LONG_2] = { "--long", NULL, "the same" },
	[OPT_NORM] = { "-n", NULL, "normalised factors, without their weights" },
	[OPT_NORM_2] = { "--norm", NULL, "the same" },
	[OPT_WEIGHTS] = { "-w", NULL, "the weights alone" },
	[OPT_WEIGHTS_2] = { "--weights", NULL, "the same" },
	[OPT_FORMAT] = { "-o", "FORMAT", "these columns: %[.][WIDTH]LETTER, letters i u r c Y y A a B b F f J j P p Q q S N T t" },
	[OPT_FORMAT_2] = { "--format", "FORMAT", "the same" },
	[OPT_JOBS] = { "-j", "JOB[,...]", "these jobs only" },
	[OPT_JOBS_2] = { "--jobs", "JOB[,...]", "the same" },
	[OPT_USER] = { "-u", "USER[,...]", "jobs of these owners only" },
	[OPT_USER_2] = { "--user", "USER[,...]", "the same" },
	[OPT_PARTITION] = { "-p", "PARTITION[,...]", "jobs as they stand in these partitions only" },
	[OPT_PARTITION_2] = { "--partition", "PARTITION[,...]", "the same" },
	[OPT_SORT] = { "-S", "LETTERS", "by these columns, each with + or - before it; i" },
	[OPT_SORT_2] = { "--sort", "LETTERS", "the same" },
	[OPT_NOHEADER] = { "-h", NULL, "no titles" },
	[OPT_NOHEADER_2] = { "--noheader", NULL, "the same" },
	[OPT_JSON] = { "--json", NULL, "everything, for programs" },
	{ NULL, NULL, NULL },
};

static int add_jobs(struct prio *p, char *list)
{
	for (char *rest = list, *word; (word = strsep(&rest, ",")) != NULL;) {
		uint32_t *more = reallocarray(p->jobs, p->njobs + 1, sizeof(*more));
		unsigned long number;

		if (!more)
			return cli_fail(EXIT_NO_DATA, "no memory");
		p->jobs = more;
		if (options_number("prio: -j", word, 1, UINT32_MAX, &number))
			return EXIT_USAGE;
		p->jobs[p->njobs++] = (uint32_t)number;
	}
	return EXIT_OK;
}

/* A number given twice means one job. */
static void order_jobs(struct prio *p)
{
	size_t kept = 0;

	if (p->njobs)
		qsort(p->jobs, p->njobs, sizeof(*p->jobs), prio_number_order);
	for (size_t k = 0; k < p->njobs; k++)
		if (!kept || p->jobs[kept - 1] != p->jobs[k])
			p->jobs[kept++] = p->jobs[k];
	p->njobs = kept;
}

static int set_format(struct prio *p, const char *text)
{
	struct prio_format format;

	p->format = text;
	return prio_format_parse(&format, text);
}

static int set_option(struct prio *p, int option, const char *value)
{
	switch (option) {
	case OPT_LONG: case OPT_LONG_2: p->is_long = true; break;
	case OPT_NORM: case OPT_NORM_2: p->norm = true; break;
	case OPT_WEIGHTS: case OPT_WEIGHTS_2: p->weights = true; break;
	case OPT_FORMAT: case OPT_FORMAT_2: return set_format(p, value);
	case OPT_JOBS: case OPT_JOBS_2: return add_jobs(p, (char *)value);
	case OPT_USER: case OPT_USER_2: return names_add(&p->users, "prio: -u", (char *)value);
	case OPT_PARTITION: case OPT_PARTITION_2: return names_add(&p->partitions, "prio: -p", (char *)value);
	case OPT_SORT: case OPT_SORT_2: p->sort = value; return prio_sort_check(value);
	case OPT_NOHEADER: case OPT_NOHEADER_2: p->header = false; break;
	case OPT_JSON: p->json = true; break;
	default: return EXIT_USAGE;
	}
	return EXIT_OK;
}

static int parse(struct prio *p, int argc, char **argv)
{
	struct options o = { .table = prio_options, .argc = argc, .argv = argv, .next = 1 };
	int bad = EXIT_OK;

	for (int k; !bad && (k = options_next(&o)) != OPTIONS_END;)
		bad = set_option(p, k, o.value);
	if (bad)
		return bad;
	if (o.next < argc)
		return cli_fail(EXIT_USAGE, "prio: unexpected word %s", argv[o.next]);
	if (p->json && p->format)
		return cli_fail(EXIT_USAGE, "prio: -o does not go with --json, which has everything");
	order_jobs(p);
	return EXIT_OK;
}

static int report(const struct prio *p, const char *cell)
{
	if (p->error)
		return cli_fail(EXIT_NO_DATA, "no memory");
	if (p->no_multifactor)
		return cli_no_multifactor(cell);
	return EXIT_OK;
}

int prio_run(const char *cell, int argc, char **argv)
{
	static struct prio p = { .header = true };
	int code = parse(&p, argc, argv);

	p.cluster = cli_cell_name(cell);
	if (!code && !p.cluster)
		code = cli_fail(EXIT_NO_DATA, "no memory");
	if (!code)
		code = section_run(cell, p.json ? prio_json : prio_table, &p);
	if (!code)
		code = report(&p, cell);
	names_free(&p.users);
	names_free(&p.partitions);
	free(p.jobs);
	free(p.rows.items);
	free(p.cluster);
	return code;
}
