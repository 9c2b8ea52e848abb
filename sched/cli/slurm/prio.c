/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/slurm/prio.h"

#include <stdlib.h>

#include "sched/cli/verbs.h"

#define FIELD(name) .field = offsetof(struct prio, name)

static int jobs_take(void *prio, struct words *words);
static int names_take(void *names, struct words *words);
static int format_take(void *text, struct words *words);
static int sort_take(void *text, struct words *words);

const struct argument prio_options[] = {
	{ "-l", ARGUMENT_FLAG, FIELD(is_long), .sentence = "show all factors, nice and TRES, whatever their weights" },
	{ "--long", .kind = ARGUMENT_SAME },
	{ "-n", ARGUMENT_FLAG, FIELD(norm), .sentence = "show normalised factors, without their weights" },
	{ "--norm", .kind = ARGUMENT_SAME },
	{ "-w", ARGUMENT_FLAG, FIELD(weights), .sentence = "show only the weights" },
	{ "--weights", .kind = ARGUMENT_SAME },
	{ "-o", ARGUMENT_CALL, FIELD(columns), .call = format_take, .value = "FORMAT",
	  .sentence = "show these columns: %[.][WIDTH]LETTER, letters i u r c Y y A a B b F f J j P p Q q S N T t" },
	{ "--format", .kind = ARGUMENT_SAME },
	{ "-j", ARGUMENT_CALL, .call = jobs_take, .value = "JOB[,...]", .sentence = "show only these jobs" },
	{ "--jobs", .kind = ARGUMENT_SAME },
	{ "-u", ARGUMENT_CALL, FIELD(users), .call = names_take, .value = "USER[,...]",
	  .sentence = "show only jobs of these owners" },
	{ "--user", .kind = ARGUMENT_SAME },
	{ "-p", ARGUMENT_CALL, FIELD(partitions), .call = names_take, .value = "PARTITION[,...]",
	  .sentence = "show jobs only in these partitions" },
	{ "--partition", .kind = ARGUMENT_SAME },
	{ "-S", ARGUMENT_CALL, FIELD(sort), .call = sort_take, .value = "LETTERS",
	  .sentence = "sort by these columns, each with an optional + or - (default: i)" },
	{ "--sort", .kind = ARGUMENT_SAME },
	{ "-h", ARGUMENT_FLAG, FIELD(no_header), .sentence = "omit the column titles" },
	{ "--noheader", .kind = ARGUMENT_SAME },
	OPTION_FORMAT("--json", offsetof(struct prio, format), prio_json, "print all data as JSON"),
	{ .name = NULL },
};

static int jobs_take(void *prio, struct words *words)
{
	struct prio *p = prio;

	for (char *rest = (char *)words->value, *word; (word = strsep(&rest, ",")) != NULL;) {
		uint32_t *more = reallocarray(p->jobs, p->njobs + 1, sizeof(*more));
		unsigned long number;

		if (!more)
			return cli_fail(EXIT_NO_DATA, "no memory");
		p->jobs = more;
		if (options_number(words->messages, "prio", "-j", word, 1, UINT32_MAX, &number))
			return EXIT_USAGE;
		p->jobs[p->njobs++] = (uint32_t)number;
	}
	return EXIT_OK;
}

/* Sort the job numbers and remove duplicates. */
static void order_jobs(struct prio *prio)
{
	size_t kept = 0;

	if (prio->njobs)
		qsort(prio->jobs, prio->njobs, sizeof(*prio->jobs), prio_number_order);
	for (size_t k = 0; k < prio->njobs; k++)
		if (!kept || prio->jobs[kept - 1] != prio->jobs[k])
			prio->jobs[kept++] = prio->jobs[k];
	prio->njobs = kept;
}

static int names_take(void *names, struct words *words)
{
	return names_add(words->messages, names, "prio", words->row->name, (char *)words->value);
}

static int format_take(void *text, struct words *words)
{
	struct prio_format format;

	*(const char **)text = words->value;
	return prio_format_parse(&format, words->value);
}

static int sort_take(void *text, struct words *words)
{
	*(const char **)text = words->value;
	return prio_sort_check(words->value);
}

static int parse(struct prio *prio, int argc, char **argv)
{
	struct words words = { .table = prio_options, .argc = argc, .argv = argv, .next = 1 };
	int code = options_take(&words, prio);

	if (code)
		return code;
	if (words.next < argc)
		return cli_fail(EXIT_USAGE, "prio: unexpected word %s", argv[words.next]);
	if (prio->format.chosen && prio->columns)
		return cli_fail(EXIT_USAGE, "prio: -o cannot be combined with --json, which has all fields");
	order_jobs(prio);
	return EXIT_OK;
}

static int report(const struct prio *prio, const char *cell)
{
	if (prio->error)
		return cli_fail(EXIT_NO_DATA, "no memory");
	if (prio->no_multifactor)
		return cli_no_multifactor(cell);
	return EXIT_OK;
}

int prio_run(const char *cell, int argc, char **argv)
{
	static struct prio prio = { .format.print = prio_table };
	int code = parse(&prio, argc, argv);

	prio.cluster = cli_cell_name(cell);
	if (!code && !prio.cluster)
		code = cli_fail(EXIT_NO_DATA, "no memory");
	if (!code)
		code = section_run(cell, prio.format.print, &prio);
	if (!code)
		code = report(&prio, cell);
	names_free(&prio.users);
	names_free(&prio.partitions);
	free(prio.jobs);
	free(prio.rows.items);
	free(prio.cluster);
	return code;
}
