/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/slurm/sshare.h"

#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sched/cli/verbs.h"

#define FIELD(name) .field = offsetof(struct sshare_query, name)

static int users_take(void *sshare, struct words *words);
static int names_take(void *names, struct words *words);
static int columns_take(void *text, struct words *words);
static int style_take(void *style, struct words *words);

const struct argument sshare_options[] = {
	{ "-a", ARGUMENT_FLAG, FIELD(all),
	  .sentence = "show all users; without -a, -u and --json only the caller is shown" },
	{ "--all", .kind = ARGUMENT_SAME },
	{ "-l", ARGUMENT_FLAG, FIELD(is_long), .sentence = "also show NormUsage, LevelFS and TRES minutes" },
	{ "--long", .kind = ARGUMENT_SAME },
	{ "-A", ARGUMENT_CALL, FIELD(accounts), .call = names_take, .value = "ACCOUNT[,...]",
	  .sentence = "show only these accounts" },
	{ "--accounts", .kind = ARGUMENT_SAME },
	{ "-u", ARGUMENT_CALL, .call = users_take, .value = "USER[,...]", .sentence = "show only these users" },
	{ "--users", .kind = ARGUMENT_SAME },
	{ "-U", ARGUMENT_FLAG, FIELD(users_only), .sentence = "show users without the accounts above them" },
	{ "--Users", .kind = ARGUMENT_SAME },
	{ "-m", ARGUMENT_FLAG, FIELD(partitions), .sentence = "show a column with the partitions of associations" },
	{ "--partition", .kind = ARGUMENT_SAME },
	{ "-o", ARGUMENT_CALL, FIELD(columns), .call = columns_take, .value = "COLUMN[%WIDTH][,...]",
	  .sentence = "show these columns" },
	{ "--format", .kind = ARGUMENT_SAME },
	{ "-n", ARGUMENT_FLAG, FIELD(no_header), .sentence = "omit the column titles" },
	{ "--noheader", .kind = ARGUMENT_SAME },
	{ "-h", .kind = ARGUMENT_SAME },
	{ "-p", ARGUMENT_CALL, FIELD(style), .call = style_take, .bits = STYLE_ENDING,
	  .sentence = "print a | after each value, and no blanks" },
	{ "--parsable", .kind = ARGUMENT_SAME },
	{ "-P", ARGUMENT_CALL, FIELD(style), .call = style_take, .bits = STYLE_BARS,
	  .sentence = "print a | between values, and no blanks" },
	{ "--parsable2", .kind = ARGUMENT_SAME },
	OPTION_FORMAT("--json", offsetof(struct sshare_query, format), sshare_json, "print all data as JSON"),
	{ .name = NULL },
};

bool sshare_is_meant(const struct sshare_query *query, const struct fl_association *association)
{
	if (association->is_user ? !names_have_nocase(&query->users, association->user) : query->users_only)
		return false;
	return names_have_nocase(&query->accounts, association->account);
}

static int names_take(void *names, struct words *words)
{
	return names_add(words->messages, names, "share", "-A", (char *)words->value);
}

/* Select the users of -u. The last of -a and -u applies. */
static int users_take(void *sshare, struct words *words)
{
	struct sshare_query *query = sshare;

	query->all = false;
	return names_add(words->messages, &query->users, "share", "-u", (char *)words->value);
}

static int columns_take(void *text, struct words *words)
{
	struct sshare_columns columns;

	*(const char **)text = words->value;
	return sshare_columns_parse(&columns, words->value);
}

static int style_take(void *style, struct words *words)
{
	*(enum sshare_style *)style = (enum sshare_style)words->row->bits;
	return EXIT_OK;
}

/* Select users without -a and -u: the calling user under all accounts. For JSON, select all. */
static int choose_users(struct sshare_query *query, bool all)
{
	const struct passwd *user = all || query->users.n ? NULL : getpwuid(getuid());
	struct messages messages = { .items = NULL };
	int code;

	if (all)
		names_free(&query->users);
	code = user ? names_add(&messages, &query->users, "share", "user", user->pw_name) : EXIT_OK;
	cli_print(&messages);
	return code;
}

static int parse(struct sshare_query *query, int argc, char **argv)
{
	struct words words = { .table = sshare_options, .argc = argc, .argv = argv, .next = 1 };
	int code = options_take(&words, query);

	if (code)
		return code;
	if (words.next < argc)
		return cli_fail(EXIT_USAGE, "share: unexpected word %s", argv[words.next]);
	if (query->format.chosen && query->columns)
		return cli_fail(EXIT_USAGE, "share: -o cannot be combined with --json, which has all fields");
	return choose_users(query, query->all || (query->format.chosen && !query->users.n));
}

static int report(const struct sshare_query *query, const char *cell)
{
	if (query->error)
		return cli_fail(EXIT_NO_DATA, "no memory");
	if (query->no_multifactor)
		return cli_no_multifactor(cell);
	return EXIT_OK;
}

int sshare_run(const char *cell, int argc, char **argv)
{
	static struct sshare_query query = { .format.print = sshare_print };
	int code = parse(&query, argc, argv);

	query.cluster = cli_cell_name(cell);
	if (!code && !query.cluster)
		code = cli_fail(EXIT_NO_DATA, "no memory");
	if (!code)
		code = section_run(cell, query.format.print, &query);
	if (!code)
		code = report(&query, cell);
	names_free(&query.users);
	names_free(&query.accounts);
	free(query.cluster);
	return code;
}
