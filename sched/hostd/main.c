/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fairlead-hostd(8), on each execution host: tickets in, levers moved, usage out.
 *
 *     main.c                   options, exit codes; the only place that ends the process
 *     └─ hostd.c               what to wait for, when to do what; signals
 *        ├─ tasks.c            tasks of this host: told by the scheduler, found in the spool
 *        ├─ spool.c            active_jobs of Grid Engine's execution daemon
 *        ├─ load.c             load values
 *        ├─ ../host/host.h     processes, usage, nice levels and cgroups
 *        ├─ ../wire/spoke.h    the connection to the scheduler
 *        └─ ../daemon/         clock.c, log.c, notify.c
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sched/daemon/log.h"
#include "sched/hostd/hostd.h"

enum { EXIT_OK, EXIT_REFUSED, EXIT_USAGE, EXIT_NO_KEYS, EXIT_NOT_PERMITTED, EXIT_FAILED };

static const char usage_text[] =
	"fairlead-hostd - give running tasks of this host what the scheduler says is theirs\n"
	"\n"
	"usage: fairlead-hostd --scheduler tcp://HOST:PORT --keys DIR [options]\n"
	"\n"
	"      --scheduler ENDPOINT  where fairlead-schedd --hosts listens\n"
	"      --keys DIR          scheduler.pub and hosts/NAME.key, see fairlead-keygen(1)\n"
	"      --name NAME         of this host, as the scheduler knows it; default: the host's name\n"
	"      --execd-spool DIR   find tasks in DIR/active_jobs, the spool of Grid Engine's execution daemon\n"
	"      --interval SECONDS  between two looks at processes, 1 to 3600; default: 2\n"
	"      --report SECONDS    between two reports to the scheduler, 1 to 3600; default: 10\n"
	"      --lever NAME        auto, cgroup, autogroup, nice or none; default: auto\n"
	"      --ptf-min-priority N  the weakest nice level, -20 to 20; default: 20\n"
	"      --ptf-max-priority N  the best one, -20 to 20; default: 0\n"
	"      --cgroup DIR        the cgroup v2 whose tasks may be weighed; default: that of this process\n"
	"      --munge[=SOCKET]    show the scheduler a credential of MUNGE\n"
	"  -v, --verbose           tell of each set of tickets\n"
	"      --version\n"
	"  -h, --help\n"
	"\n"
	"Exit codes: 0 fine, 2 usage, 3 no keys or no such lever, 4 not permitted, 5 anything else.\n";

struct options {
	struct hostd_options hostd;
	char name[256];
	bool details;
};

static int usage_wrong(const char *option, const char *value, const char *due)
{
	fprintf(stderr, "fairlead-hostd: %s%s%s%s: %s\n", option, value ? " \"" : "", value ? value : "", value ? "\"" : "", due);
	return EXIT_USAGE;
}

static int seconds_parse(unsigned *to, const char *option, const char *text)
{
	char *end;
	unsigned long seconds = strtoul(text, &end, 10);

	*to = (unsigned)seconds;
	if (*text < '0' || *text > '9' || *end || seconds < 1 || seconds > 3600)
		return usage_wrong(option, text, "a number of seconds is due, 1 to 3600");
	return 0;
}

static int priority_parse(int *to, const char *option, const char *text)
{
	char *end;
	long priority = strtol(text, &end, 10);

	*to = (int)priority;
	if (!*text || strchr(" \t", *text) || *end || priority < -20 || priority > 20)
		return usage_wrong(option, text, "a nice level is due, -20 to 20");
	return 0;
}

enum {
	OPTION_SCHEDULER = 256, OPTION_KEYS, OPTION_NAME, OPTION_SPOOL, OPTION_INTERVAL, OPTION_REPORT, OPTION_LEVER, OPTION_MIN_PRIORITY,
	OPTION_MAX_PRIORITY, OPTION_CGROUP, OPTION_MUNGE, OPTION_VERSION
};

static const struct option long_options[] = {
	{ "scheduler", required_argument, NULL, OPTION_SCHEDULER },
	{ "keys", required_argument, NULL, OPTION_KEYS },
	{ "name", required_argument, NULL, OPTION_NAME },
	{ "execd-spool", required_argument, NULL, OPTION_SPOOL },
	{ "interval", required_argument, NULL, OPTION_INTERVAL },
	{ "report", required_argument, NULL, OPTION_REPORT },
	{ "lever", required_argument, NULL, OPTION_LEVER },
	{ "ptf-min-priority", required_argument, NULL, OPTION_MIN_PRIORITY },
	{ "ptf-max-priority", required_argument, NULL, OPTION_MAX_PRIORITY },
	{ "cgroup", required_argument, NULL, OPTION_CGROUP },
	{ "munge", optional_argument, NULL, OPTION_MUNGE },
	{ "verbose", no_argument, NULL, 'v' },
	{ "version", no_argument, NULL, OPTION_VERSION },
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

static int steering_take(struct hostd_options *o, int option)
{
	switch (option) {
	case OPTION_INTERVAL:
		return seconds_parse(&o->interval_s, "--interval", optarg);
	case OPTION_REPORT:
		return seconds_parse(&o->wire.report_s, "--report", optarg);
	case OPTION_LEVER:
		if (lever_parse(&o->host.force, optarg))
			return usage_wrong("--lever", optarg, "auto, cgroup, autogroup, nice or none is due");
		return 0;
	case OPTION_MIN_PRIORITY:
		return priority_parse(&o->host.ptf_min_priority, "--ptf-min-priority", optarg);
	case OPTION_MAX_PRIORITY:
		return priority_parse(&o->host.ptf_max_priority, "--ptf-max-priority", optarg);
	case OPTION_CGROUP:
		o->host.cgroup_root = optarg;
		return 0;
	default:
		return EXIT_USAGE;
	}
}

static int option_take(struct options *o, int option)
{
	struct spoke_options *wire = &o->hostd.wire;

	switch (option) {
	case OPTION_SCHEDULER:
		wire->scheduler = optarg;
		return 0;
	case OPTION_KEYS:
		wire->keys = optarg;
		return 0;
	case OPTION_NAME:
		wire->name = optarg;
		return 0;
	case OPTION_SPOOL:
		o->hostd.spool = optarg;
		return 0;
	case OPTION_MUNGE:
		wire->munge = true;
		wire->munge_socket = optarg;
		return 0;
	case 'v':
		o->details = true;
		return 0;
	case OPTION_VERSION:
		puts("fairlead-hostd " FAIRLEAD_VERSION);
		exit(EXIT_OK);
	case 'h':
		fputs(usage_text, stdout);
		exit(EXIT_OK);
	default:
		return steering_take(&o->hostd, option);
	}
}

static int options_check(struct options *o)
{
	struct spoke_options *wire = &o->hostd.wire;

	if (!wire->scheduler || strncmp(wire->scheduler, "tcp://", 6) != 0)
		return usage_wrong("--scheduler", wire->scheduler, "tcp://HOST:PORT is due");
	if (!wire->keys)
		return usage_wrong("--keys", NULL, "the directory of the keys is due");
	if (!wire->name && (gethostname(o->name, sizeof(o->name)) || memchr(o->name, '\0', sizeof(o->name)) == NULL))
		return usage_wrong("--name", NULL, "this host has no name; give it one");
	if (!wire->name)
		wire->name = o->name;
	return 0;
}

static int options_parse(struct options *o, int argc, char **argv)
{
	int option, rc = 0;

	while (rc == 0 && (option = getopt_long(argc, argv, "vh", long_options, NULL)) != -1)
		rc = option_take(o, option);
	if (rc == 0 && optind < argc)
		rc = usage_wrong(argv[optind], NULL, "only options are due");
	if (rc == 0)
		rc = options_check(o);
	if (rc)
		fputs("Try fairlead-hostd --help.\n", stderr);
	return rc;
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
	struct options o = { .hostd = { .interval_s = 2, .wire.report_s = 10, .host = HOST_OPTIONS } };
	struct error error = { "" };
	struct hostd d;
	int rc = options_parse(&o, argc, argv);

	if (rc)
		return rc;
	log_open("fairlead-hostd", o.details);
	rc = hostd_open(&d, &o.hostd, &error);
	if (rc == 0)
		rc = hostd_serve(&d, &error);
	if (rc)
		log_line(LOG_FAILURE, "%s", error.text[0] ? error.text : strerror(-rc));
	hostd_close(&d);
	return exit_code(rc);
}
