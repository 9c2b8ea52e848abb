/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/tree/tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sched/cli/terminal.h"
#include "sched/cli/verbs.h"

#define FIELD(name) .field = offsetof(struct tree, name)

static int fields_take(void *tree, struct words *words);
static int count_take(void *count, struct words *words);
static int interval_take(void *interval, struct words *words);

const struct argument tree_options[] = {
	{ "--bars", ARGUMENT_FLAG, FIELD(bars),
	  .sentence = "print the bar chart of a terminal, whatever the output is" },
	{ "-f", ARGUMENT_CALL, .call = fields_take, .value = "FIELD[,...]",
	  .sentence = "print these columns in this order" },
	{ "-h", ARGUMENT_FLAG, FIELD(header), .sentence = "print a line of column names first" },
	{ "-n", ARGUMENT_FLAG, FIELD(names), .sentence = "print name=value" },
	{ "-t", ARGUMENT_FLAG, FIELD(times), .sentence = "print times as MM/DD/YYYY HH:MM:SS" },
	{ "-x", ARGUMENT_FLAG, FIELD(leaves_only), .sentence = "print only leaves" },
	{ "-d", ARGUMENT_TEXT, FIELD(delimiter), .value = "TEXT",
	  .sentence = "print TEXT after each value (default: a tab)" },
	{ "-l", ARGUMENT_TEXT, FIELD(line_delimiter), .value = "TEXT",
	  .sentence = "print TEXT after each line (default: a newline)" },
	{ "-r", ARGUMENT_TEXT, FIELD(set_delimiter), .value = "TEXT",
	  .sentence = "print TEXT between two sets of lines (default: a newline)" },
	{ "--count", ARGUMENT_CALL, FIELD(count), .call = count_take, .value = "N",
	  .sentence = "print N times, 0 for ever (default: 1)" },
	{ "--interval", ARGUMENT_CALL, FIELD(interval_s), .call = interval_take, .value = "SECONDS",
	  .sentence = "wait this long between two prints (default: 15)" },
	{ "-i", .kind = ARGUMENT_SAME },
	OPTION_FORMAT("--json", offsetof(struct tree, format), tree_json, "print JSON"),
	{ .name = NULL },
};

static int fields_take(void *tree, struct words *words)
{
	return tree_select(tree, words->value);
}

static int count_take(void *count, struct words *words)
{
	return options_number(words->messages, "tree", "--count", words->value, 0, UINT32_MAX, count) ? EXIT_USAGE
												      : EXIT_OK;
}

static int interval_take(void *interval, struct words *words)
{
	return options_number(words->messages, "tree", "--interval", words->value, 1, INT32_MAX, interval) ? EXIT_USAGE
													   : EXIT_OK;
}

/*
 * Return whether an option selects the lines of sge_share_mon. Options about the format of lines
 * do.
 */
static bool has_lines(int argc, char **argv)
{
	static const char *const options[] = { "-f", "-h", "-n", "-t", "-x", "-d", "-l", "-r" };

	for (int k = 1; k < argc && strcmp(argv[k], "--"); k++)
		for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++)
			if (!strcmp(argv[k], options[i]))
				return true;
	return false;
}

static int picture_take(struct tree *tree, int argc, char **argv)
{
	if (tree->format.chosen || has_lines(argc, argv))
		return cli_fail(EXIT_USAGE,
				"tree: --bars goes neither with --json nor with -f, -h, -n, -t, -x, -d, -l, -r");
	tree->format.print = tree_picture;
	return EXIT_OK;
}

static int parse(struct tree *tree, int argc, char **argv)
{
	struct words words = { .table = tree_options, .argc = argc, .argv = argv, .next = 1 };
	int code = tree_select(tree, NULL);

	if (!code)
		code = options_take(&words, tree);
	if (code)
		return code;
	if (tree->bars || (terminal_columns() && !tree->format.chosen && !has_lines(argc, argv)))
		code = picture_take(tree, argc, argv);
	if (code)
		return code;
	tree->paths = calloc((size_t)argc, sizeof(*tree->paths));
	if (!tree->paths)
		return cli_fail(EXIT_NO_DATA, "no memory");
	for (; words.next < argc; words.next++)
		tree->paths[tree->npaths++].path = argv[words.next];
	return EXIT_OK;
}

static int report(const struct tree *tree, const char *cell)
{
	int code = EXIT_OK;

	if (tree->error == -ENOMEM)
		return cli_fail(EXIT_NO_DATA, "no memory");
	if (tree->error)
		return cli_fail(EXIT_NO_DATA, "%s: the share tree in shared memory is damaged", cell);
	if (tree->no_tree)
		return cli_fail(EXIT_NO_DATA, "%s: the cell has no share tree", cell);
	for (size_t k = 0; k < tree->npaths; k++)
		if (!tree->paths[k].found)
			code = cli_fail(EXIT_NO_DATA, "no node %s; paths are like /project/user", tree->paths[k].path);
	return code;
}

static int repeat(struct tree *tree, const char *cell)
{
	for (unsigned long k = 1;; k++) {
		int code = section_run(cell, tree->format.print, tree);

		if (!code)
			code = report(tree, cell);
		if (code || k == tree->count)
			return code;
		tree->follows = true;
		sleep((unsigned)tree->interval_s);
	}
}

int tree_run(const char *cell, int argc, char **argv)
{
	static struct tree tree = { .delimiter = "\t",
				    .line_delimiter = "\n",
				    .set_delimiter = "\n",
				    .count = 1,
				    .interval_s = 15,
				    .format.print = tree_lines };
	int code = parse(&tree, argc, argv);

	if (!code)
		code = repeat(&tree, cell);
	free(tree.paths);
	return code;
}
