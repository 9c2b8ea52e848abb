/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/sshare.h"

#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OPT_ALL, OPT_ALL_2, OPT_LONG, OPT_LONG_2, OPT_ACCOUNTS, OPT_ACCOUNTS_2, OPT_USERS, OPT_USERS_2, OPT_USERS_ONLY,
       OPT_USERS_ONLY_2, OPT_PARTITIONS, OPT_PARTITIONS_2, OPT_FORMAT, OPT_FORMAT_2, OPT_NOHEADER, OPT_NOHEADER_2, OPT_NOHEADER_3,
       OPT_PARSABLE, OPT_PARSABLE_2, OPT_BARS, OPT_BARS_2, OPT_JSON };

const struct option sshare_options[] = {
	[OPT_ALL] = { "-a", NULL, "all users; without it, -u and --json only who asks" },
	[OPT_ALL_2] = { "--all", NULL, "the same" },
	[OPT_LONG] = { "-l", NULL, "NormUsage, LevelFS and TRES minutes, too" },
	[OPT_LONG_2] = { "--long", NULL, "the same" },
	[OPT_ACCOUNTS] = { "-A", "ACCOUNT[,...]", "these accounts only" },
	[OPT_ACCOUNTS_2] = { "--accounts", "ACCOUNT[,...]", "the same" },
	[OPT_USERS] = { "-u", "USER[,...]", "these users only" },
	[OPT_USERS_2] = { "--users", "USER[,...]", "the same" },
	[OPT_USERS_ONLY] = { "-U", NULL, "users without the accounts above them" },
	[OPT_USERS_ONLY_2] = { "--Users", NULL, "the same" },
	[OPT_PARTITIONS] = { "-m", NULL, "a column with the associations' partitions" },
	[OPT_PARTITIONS_2] = { "--partition", NULL, "the same" },
	[OPT_FORMAT] = { "-o", "COLUMN[%WIDTH][,...]", "these columns" },
	[OPT_FORMAT_2] = { "--format", "COLUMN[%WIDTH][,...]", "the same" },
	[OPT_NOHEADER] = { "-n", NULL, "no titles" },
	[OPT_NOHEADER_2] = { "--noheader", NULL, "the same" },
	[OPT_NOHEADER_3] = { "-h", NULL, "the same" },
	[OPT_PARSABLE] = { "-p", NULL, "a bar behind each value, no blanks" },
	[OPT_PARSABLE_2] = { "--parsable", NULL, "the same" },
	[OPT_BARS] = { "-P", NULL, "a bar between values, no blanks" },
	[OPT_BARS_2] = { "--parsable2", NULL, "the same" },
	[OPT_JSON] = { "--json", NULL, "everything, for programs" },
	{ NULL, NULL, NULL },
};

bool sshare_is_meant(const struct sshare *s, const struct fl_association *a)
{
	if (a->is_user ? !names_have_nocase(&s->users, a->user) : s->users_only)
		return false;
	return names_have_nocase(&s->accounts, a->account);
}

static int set_columns(struct sshare *s, const char *text)
{
	struct sshare_columns columns;

	s->fields = text;
	return sshare_columns_parse(&columns, text);
}

static int set_option(struct sshare *s, bool *all, int option, const char *value)
{
	switch (option) {
	case OPT_ALL: case OPT_ALL_2: *all = true; break;
	case OPT_LONG: case OPT_LONG_2: s->is_long = true; break;
	case OPT_ACCOUNTS: case OPT_ACCOUNTS_2: return names_add(&s->accounts, "share: -A", (char *)value);
	case OPT_USERS: case OPT_USERS_2: *all = false; return names_add(&s->users, "share: -u", (char *)value);
	case OPT_USERS_ONLY: case OPT_USERS_ONLY_2: s->users_only = true; break;
	case OPT_PARTITIONS: case OPT_PARTITIONS_2: s->partitions = true; break;
	case OPT_FORMAT: case OPT_FORMAT_2: return set_columns(s, value);
	case OPT_NOHEADER: case OPT_NOHEADER_2: case OPT_NOHEADER_3: s->header = false; break;
	case OPT_PARSABLE: case OPT_PARSABLE_2: s->style = STYLE_ENDING; break;
	case OPT_BARS: case OPT_BARS_2: s->style = STYLE_BARS; break;
	case OPT_JSON: s->json = true; break;
	default: return EXIT_USAGE;
	}
	return EXIT_OK;
}

/* Without -a and -u the user who asks, under all accounts; programs are told everything. */
static int choose_users(struct sshare *s, bool all)
{
	const struct passwd *user = all || s->users.n ? NULL : getpwuid(getuid());

	if (all)
		names_free(&s->users);
	return user ? names_add(&s->users, "share", user->pw_name) : EXIT_OK;
}

static int parse(struct sshare *s, int argc, char **argv)
{
	struct options o = { .table = sshare_options, .argc = argc, .argv = argv, .next = 1 };
	int bad = EXIT_OK;
	bool all = false;

	for (int k; !bad && (k = options_next(&o)) != OPTIONS_END;)
		bad = set_option(s, &all, k, o.value);
	if (bad)
		return bad;
	if (o.next < argc)
		return cli_fail(EXIT_USAGE, "share: unexpected word %s", argv[o.next]);
	if (s->json && s->fields)
		return cli_fail(EXIT_USAGE, "share: -o does not go with --json, which has everything");
	return choose_users(s, all || (s->json && !s->users.n));
}

static int report(const struct sshare *s, const char *cell)
{
	if (s->error)
		return cli_fail(EXIT_NO_DATA, "no memory");
	if (s->no_multifactor)
		return cli_no_multifactor(cell);
	return EXIT_OK;
}

int sshare_run(const char *cell, int argc, char **argv)
{
	static struct sshare s = { .header = true };
	int code = parse(&s, argc, argv);

	s.cluster = cli_cell_name(cell);
	if (!code && !s.cluster)
		code = cli_fail(EXIT_NO_DATA, "no memory");
	if (!code)
		code = section_run(cell, s.json ? sshare_json : sshare_print, &s);
	if (!code)
		code = report(&s, cell);
	names_free(&s.users);
	names_free(&s.accounts);
	free(s.cluster);
	return code;
}
