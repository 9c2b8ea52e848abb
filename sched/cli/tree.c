/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/tree.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

enum { OPT_FIELDS, OPT_HEADER, OPT_NAMES, OPT_TIMES, OPT_LEAVES, OPT_DELIMITER, OPT_LINE, OPT_SET, OPT_COUNT, OPT_INTERVAL,
       OPT_INTERVAL_SHORT, OPT_JSON };

const struct option tree_options[] = {
	[OPT_FIELDS] = { "-f", "FIELD[,...]", "these columns, in this order" },
	[OPT_HEADER] = { "-h", NULL, "a line with the columns' names first" },
	[OPT_NAMES] = { "-n", NULL, "name=value" },
	[OPT_TIMES] = { "-t", NULL, "times as MM/DD/YYYY HH:MM:SS" },
	[OPT_LEAVES] = { "-x", NULL, "leaves only" },
	[OPT_DELIMITER] = { "-d", "TEXT", "behind each value; a tab" },
	[OPT_LINE] = { "-l", "TEXT", "behind each line; a newline" },
	[OPT_SET] = { "-r", "TEXT", "between two sets of lines; a newline" },
	[OPT_COUNT] = { "--count", "N", "print N times, 0 for ever; 1" },
	[OPT_INTERVAL] = { "--interval", "SECONDS", "between them; 15" },
	[OPT_INTERVAL_SHORT] = { "-i", "SECONDS", "the same" },
	[OPT_JSON] = { "--json", NULL, "for programs" },
	{ NULL, NULL, NULL },
};

struct repetition {
	unsigned long count, interval_s;
};

static int set_option(struct tree *t, struct repetition *r, int option, const char *value)
{
	switch (option) {
	case OPT_FIELDS: return tree_select(t, value);
	case OPT_HEADER: t->header = true; break;
	case OPT_NAMES: t->names = true; break;
	case OPT_TIMES: t->times = true; break;
	case OPT_LEAVES: t->leaves_only = true; break;
	case OPT_DELIMITER: t->delimiter = value; break;
	case OPT_LINE: t->line_delimiter = value; break;
	case OPT_SET: t->set_delimiter = value; break;
	case OPT_COUNT: return options_number("tree: --count", value, 0, UINT32_MAX, &r->count) ? EXIT_USAGE : EXIT_OK;
	case OPT_INTERVAL:
	case OPT_INTERVAL_SHORT:
		return options_number("tree: --interval", value, 1, INT32_MAX, &r->interval_s) ? EXIT_USAGE : EXIT_OK;
	case OPT_JSON: t->json = true; break;
	default: return EXIT_USAGE;
	}
	return EXIT_OK;
}

static int parse(struct tree *t, struct repetition *r, int argc, char **argv)
{
	struct options o = { .table = tree_options, .argc = argc, .argv = argv, .next = 1 };
	int bad = tree_select(t, NULL);

	for (int k; !bad && (k = options_next(&o)) != OPTIONS_END;)
		bad = set_option(t, r, k, o.value);
	if (bad)
		return bad;
	t->paths = calloc((size_t)argc, sizeof(*t->paths));
	if (!t->paths)
		return cli_fail(EXIT_NO_DATA, "no memory");
	for (; o.next < argc; o.next++)
		t->paths[t->npaths++].path = argv[o.next];
	return EXIT_OK;
}

static int report(const struct tree *t, const char *cell)
{
	int code = EXIT_OK;

	if (t->error == -ENOMEM)
		return cli_fail(EXIT_NO_DATA, "no memory");
	if (t->error)
		return cli_fail(EXIT_NO_DATA, "%s: the share tree in shared memory is damaged", cell);
	if (t->no_tree)
		return cli_fail(EXIT_NO_DATA, "%s: the cell has no share tree", cell);
	for (size_t k = 0; k < t->npaths; k++)
		if (!t->paths[k].found)
			code = cli_fail(EXIT_NO_DATA, "no node %s; paths are like /project/user", t->paths[k].path);
	return code;
}

static int repeat(struct tree *t, const char *cell, const struct repetition *r)
{
	for (unsigned long k = 1;; k++) {
		int code = section_run(cell, tree_print, t);

		if (!code)
			code = report(t, cell);
		if (code || k == r->count)
			return code;
		t->follows = true;
		sleep((unsigned)r->interval_s);
	}
}

int tree_run(const char *cell, int argc, char **argv)
{
	static struct tree t = { .delimiter = "\t", .line_delimiter = "\n", .set_delimiter = "\n" };
	struct repetition r = { .count = 1, .interval_s = 15 };
	int code = parse(&t, &r, argc, argv);

	if (!code)
		code = repeat(&t, cell, &r);
	free(t.paths);
	return code;
}
