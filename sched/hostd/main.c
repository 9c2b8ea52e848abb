/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fairlead-hostd(8) runs on each execution host. It receives tickets, adjusts the CPU control
 * mechanism and reports usage.
 *
 *     main.c                   options and exit codes; the only file that ends the process
 *     └─ hostd.c               main loop: events, times and signals
 *        ├─ tasks.c            tasks of this host: sent by the scheduler, found in the spool
 *        ├─ spool.c            active_jobs of Grid Engine's execution daemon
 *        ├─ load.c             load values
 *        ├─ ../host/host.h     processes, usage, nice levels and cgroups
 *        ├─ ../wire/spoke.h    the connection to the scheduler
 *        └─ ../process/        arguments.c, clock.c, log.c, notify.c
 */
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "sched/process/arguments.h"
#include "sched/process/log.h"
#include "sched/hostd/hostd.h"

enum { EXIT_OK, EXIT_REFUSED, EXIT_USAGE, EXIT_NO_KEYS, EXIT_NOT_PERMITTED, EXIT_FAILED };

static const char usage_text[] =
	"fairlead-hostd - adjust the CPU shares of running tasks on an execution host, and report usage\n"
	"\n"
	"usage: fairlead-hostd --scheduler tcp://HOST:PORT --keys DIR [options]\n"
	"\n"
	"      --scheduler ENDPOINT  connect to fairlead-schedd --hosts at this address\n"
	"      --keys DIR          read scheduler.pub and hosts/NAME.key in DIR, see fairlead-keygen(1)\n"
	"      --name NAME         register under this name; default: the name of the host\n"
	"      --execd-spool DIR   find tasks in DIR/active_jobs, the spool of the Grid Engine execution daemon\n"
	"      --interval SECONDS  inspect processes at this interval, 1 to 3600; default: 2\n"
	"      --report SECONDS    report to the scheduler at this interval, 1 to 3600; default: 10\n"
	"      --lever NAME        use this CPU control mechanism: auto, cgroup, autogroup, nice or none; default: "
	"auto\n"
	"      --ptf-min-priority N  set the weakest nice level, -20 to 20; default: 20\n"
	"      --ptf-max-priority N  set the best nice level, -20 to 20; default: 0\n"
	"      --cgroup DIR        divide this cgroup v2 directory; default: the cgroup of this process\n"
	"      --munge[=SOCKET]    send a MUNGE credential to the scheduler\n"
	"  -v, --verbose           log each update of tickets\n"
	"      --version           print the version\n"
	"  -h, --help              print this help\n"
	"\n"
	"Exit status: 0 success, 2 usage, 3 no keys or mechanism not available, 4 not permitted, 5 any other error.\n";

struct options {
	struct hostd_options hostd;
	char name[256];
	bool details;
};

static const char *lever_take(void *field, const char *value)
{
	return lever_parse(field, value) ? "auto, cgroup, autogroup, nice or none is expected" : NULL;
}

static const char *munge_take(void *field, const char *value)
{
	struct spoke_options *wire = field;

	wire->munge = true;
	wire->munge_socket = value;
	return NULL;
}

#define FIELD(name) .field = offsetof(struct options, name)
#define SECONDS .least = 1, .most = 3600, .due = "a number of seconds is expected, 1 to 3600"
#define NICE .least = -20, .most = 20, .due = "a nice level is expected, -20 to 20"

static const struct argument table[] = {
	{ "scheduler", ARGUMENT_TEXT, FIELD(hostd.wire.scheduler) },
	{ "keys", ARGUMENT_TEXT, FIELD(hostd.wire.keys) },
	{ "name", ARGUMENT_TEXT, FIELD(hostd.wire.name) },
	{ "execd-spool", ARGUMENT_TEXT, FIELD(hostd.spool) },
	{ "interval", ARGUMENT_INT, FIELD(hostd.interval_s), SECONDS },
	{ "report", ARGUMENT_INT, FIELD(hostd.wire.report_s), SECONDS },
	{ "lever", ARGUMENT_OWN, FIELD(hostd.host.force), .take = lever_take },
	{ "ptf-min-priority", ARGUMENT_INT, FIELD(hostd.host.ptf_min_priority), NICE },
	{ "ptf-max-priority", ARGUMENT_INT, FIELD(hostd.host.ptf_max_priority), NICE },
	{ "cgroup", ARGUMENT_TEXT, FIELD(hostd.host.cgroup_root) },
	{ "munge", ARGUMENT_OWN_OR_NONE, FIELD(hostd.wire), .take = munge_take },
	{ "verbose", ARGUMENT_FLAG, FIELD(details), .letter = 'v' },
};

static int options_check(void *options);

static const struct arguments arguments = { "fairlead-hostd", usage_text, table, sizeof(table) / sizeof(table[0]),
					    options_check };

static int options_check(void *options)
{
	struct options *o = options;
	struct spoke_options *wire = &o->hostd.wire;

	if (!wire->scheduler || strncmp(wire->scheduler, "tcp://", 6) != 0)
		return arguments_wrong(&arguments, "--scheduler", wire->scheduler, "tcp://HOST:PORT is expected");
	if (!wire->keys)
		return arguments_wrong(&arguments, "--keys", NULL, "the directory of the keys is expected");
	if (!wire->name && (gethostname(o->name, sizeof(o->name)) || memchr(o->name, '\0', sizeof(o->name)) == NULL))
		return arguments_wrong(&arguments, "--name", NULL, "this host has no name; set one with --name");
	if (!wire->name)
		wire->name = o->name;
	return 0;
}

static int exit_code(int rc)
{
	switch (-rc) {
	case 0:
		return EXIT_OK;
	case ENOENT: case ENOTDIR: case EINVAL: case ENAMETOOLONG: case ENOTSUP:
		return EXIT_NO_KEYS;
	case EACCES: case EPERM:
		return EXIT_NOT_PERMITTED;
	default:
		return EXIT_FAILED;
	}
}

int main(int argc, char **argv)
{
	struct options options = { .hostd = { .interval_s = 2, .wire.report_s = 10, .host = HOST_OPTIONS } };
	struct error error = { "" };
	struct hostd hostd;
	int rc;

	if (arguments_parse(&arguments, &options, argc, argv))
		return EXIT_USAGE;
	options.hostd.host.others = true;
	log_open("fairlead-hostd", options.details);
	rc = hostd_open(&hostd, &options.hostd, &error);
	if (rc == 0)
		rc = hostd_serve(&hostd, &error);
	if (rc)
		log_line(LOG_FAILURE, "%s", error.text[0] ? error.text : strerror(-rc));
	hostd_close(&hostd);
	return exit_code(rc);
}
