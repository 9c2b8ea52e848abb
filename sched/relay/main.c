/* SPDX-License-Identifier: Apache-2.0 */
/* fairlead-relay(8): publish the runs of a scheduler on other machines. relay.h has a map. */
#include <errno.h>
#include <grp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sched/process/arguments.h"
#include "sched/process/log.h"
#include "sched/process/which_cell.h"
#include "sched/relay/relay.h"

enum { EXIT_OK, EXIT_USAGE = 2, EXIT_NO_DATA, EXIT_PERMISSION, EXIT_FAILED };

static const char usage_text[] =
	"fairlead-relay - publish the runs of a scheduler on other machines, for readers only\n"
	"\n"
	"usage: fairlead-relay --serve tcp://ADDRESS:PORT --keys DIR [options]\n"
	"       fairlead-relay --from tcp://HOST:PORT --keys DIR [options]\n"
	"\n"
	"  -c, --cell DIR          read or publish this cell; default: $FAIRLEAD_CELL, else " CELL_BY_DEFAULT "\n"
	"      --serve ENDPOINT    on the scheduler's machine: send runs to subscribers that connect here\n"
	"      --from ENDPOINT     on another machine: receive runs from this address and publish them\n"
	"      --keys DIR          read keys in DIR, see fairlead-keygen(1)\n"
	"      --name NAME         with --from: use the key of this host; default: the name of the host\n"
	"      --interval MS       with --serve: look for a new run at this interval, 10 to 60000; default: 1000\n"
	"      --group NAME        with --from: only this group may read the runs; default: all users\n"
	"      --bytes N           with --from: use at most N bytes of shared memory; default: 16 GiB\n"
	"  -v, --verbose           log more\n"
	"      --version           print the version\n"
	"  -h, --help              print this help\n"
	"\n"
	"Exit status: 0 success, 2 usage, 3 no keys or no memory, 4 not permitted, 5 any other error.\n";

struct relay_arguments {
	struct relay_options relay;
	const char *group;
	char name[256], *cell;
	bool details;
};

#define FIELD(name) .field = offsetof(struct relay_arguments, name)

static const struct argument table[] = {
	{ "cell", ARGUMENT_TEXT, FIELD(relay.cell), .letter = 'c' },
	{ "serve", ARGUMENT_TEXT, FIELD(relay.serve) },
	{ "from", ARGUMENT_TEXT, FIELD(relay.from) },
	{ "keys", ARGUMENT_TEXT, FIELD(relay.keys) },
	{ "name", ARGUMENT_TEXT, FIELD(relay.name) },
	{ "interval", ARGUMENT_INT, FIELD(relay.interval_ms), .least = 10, .most = 60000, .due = "milliseconds are expected, 10 to 60000" },
	{ "group", ARGUMENT_TEXT, FIELD(group) },
	{ "bytes", ARGUMENT_INT64, FIELD(relay.bytes), .least = 1 << 24, .most = (int64_t)1 << 46,
	  .due = "a number of bytes is expected, 16777216 or more" },
	{ "verbose", ARGUMENT_FLAG, FIELD(details), .letter = 'v' },
};

static int options_check(void *options);

static const struct arguments arguments = { "fairlead-relay", usage_text, table, sizeof(table) / sizeof(table[0]),
					    options_check };

static int group_find(struct relay_arguments *options)
{
	const struct group *group = getgrnam(options->group);

	if (!group)
		return arguments_wrong(&arguments, "--group", options->group, "a group of this machine is expected");
	options->relay.group = group->gr_gid;
	return 0;
}

static int options_check(void *context)
{
	struct relay_arguments *options = context;
	struct relay_options *relay = &options->relay;

	if (!relay->serve == !relay->from)
		return arguments_wrong(&arguments, "--serve", relay->serve, "one of --serve and --from is expected");
	if (!relay->keys)
		return arguments_wrong(&arguments, "--keys", NULL, "the directory of the keys is expected");
	if (!relay->cell)
		relay->cell = getenv("FAIRLEAD_CELL");
	if (!relay->cell || !*relay->cell)
		relay->cell = CELL_BY_DEFAULT;
	if (relay->from && !relay->name &&
	    (gethostname(options->name, sizeof(options->name)) || !memchr(options->name, '\0', sizeof(options->name))))
		return arguments_wrong(&arguments, "--name", NULL, "this host has no name; set one with --name");
	if (!relay->name)
		relay->name = options->name;
	return options->group ? group_find(options) : 0;
}

static int exit_code(int rc)
{
	switch (-rc) {
	case 0: return EXIT_OK;
	case ENOENT: case ENOTDIR: case EINVAL: case ENAMETOOLONG: case ENOMEM: return EXIT_NO_DATA;
	case EACCES: case EPERM: return EXIT_PERMISSION;
	default: return EXIT_FAILED;
	}
}

int main(int argc, char **argv)
{
	struct relay_arguments options = { .relay = { .interval_ms = 1000, .group = -1 } };
	struct error error = { "" };
	int rc;

	if (arguments_parse(&arguments, &options, argc, argv))
		return EXIT_USAGE;
	log_open("fairlead-relay", options.details);
	rc = options.relay.serve ? sender_run(&options.relay, &error) : receiver_run(&options.relay, &error);
	if (rc)
		log_line(LOG_FAILURE, "%s", error.text);
	return exit_code(rc);
}
