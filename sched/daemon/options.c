/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/daemon/options.h"

#include <errno.h>
#include <getopt.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conf/number.h"

#define SEGMENT_BYTES_MAX 0x1p46
#define MAX_WORKERS 1024
#define MAX_HISTORY_DAYS 36500


static const char usage_text[] =
	"fairlead-schedd - the policy scheduler of a cell\n"
	"\n"
	"usage: fairlead-schedd [-c DIR] [--events SOURCE | --local] [options]\n"
	"\n"
	"  -c, --cell DIR          the cell's files; default: $FAIRLEAD_CELL\n"
	"      --events SOURCE     - (standard input), fd:N, unix:PATH or a file; default: - if that is no terminal\n"
	"      --local             no qmaster: this machine is the cluster, fairlead submit hands in jobs\n"
	"      --state DIR         with --local: what survives; default: spool in the cell\n"
	"      --lever NAME        with --local: cgroup, autogroup, nice or none; default: auto, the best one there is\n"
	"      --once              read the source to its end, run once, publish, exit\n"
	"      --now SECONDS       with --once: the time of the run, since 1970; default: the clock\n"
	"      --no-dispatch       compute priorities only, order nothing\n"
	"      --schedule FILE     with MONITOR=1 in params: append what each run has booked\n"
	"      --store FILE        keep usage in this file over restarts\n"
	"      --history-days N    and its history for so long; default: 400\n"
	"      --mode OCTAL        permissions of the published segment; default: 0644\n"
	"      --group NAME        its group\n"
	"      --segment-bytes SIZE  its address space, e.g. 64G; default: 16G\n"
	"      --workers N         threads that compute; default: one for each CPU, at most 16\n"
	"      --hosts ENDPOINT    tcp://ADDRESS:PORT where execution hosts connect, see fairlead-hostd(8)\n"
	"      --keys DIR          with --hosts: keys of the scheduler and of hosts, see fairlead-keygen(1)\n"
	"      --from-hosts LIST   what to take from hosts rather than from the qmaster: usage, load\n"
	"      --host-away SECONDS a host that is silent for so long is down; default: 30\n"
	"      --munge[=SOCKET]    hosts have to show a credential of MUNGE\n"
	"  -v, --verbose           tell of each run and connection\n"
	"      --version\n"
	"  -h, --help\n"
	"\n"
	"Exit codes: 0 fine, 1 an event was refused (--once), 2 usage, 3 no usable cell, source or store,\n"
	"4 not permitted or another scheduler runs on this cell, 5 anything else.\n";

static int usage_wrong(const char *option, const char *value, const char *due)
{
	fprintf(stderr, "fairlead-schedd: %s%s%s%s: %s\n", option, value ? " \"" : "", value ? value : "", value ? "\"" : "", due);
	return EXIT_USAGE;
}

static int now_parse(struct options *o, const char *text)
{
	char *end;

	errno = 0;
	o->now = strtoll(text, &end, 10);
	o->now_given = true;
	if (errno || end == text || *end || o->now < 0 || o->now > (1ll << 53))
		return usage_wrong("--now", text, "whole seconds since 1970 are due, 0..9007199254740992");
	return 0;
}

static int mode_parse(struct options *o, const char *text)
{
	char *end;
	unsigned long mode = strtoul(text, &end, 8);

	o->segment.mode = (unsigned)mode;
	if (*text < '0' || *text > '7' || *end || mode > 0777 || (mode & 0600) != 0600 || mode & 0133)
		return usage_wrong("--mode", text, "octal permissions are due that let the owner read and write and others at most read");
	return 0;
}

static int group_parse(struct options *o, const char *text)
{
	const struct group *group = getgrnam(text);
	char *end;
	unsigned long gid = strtoul(text, &end, 10);

	if (!group && (*text < '0' || *text > '9' || *end || gid >= UINT32_MAX))
		return usage_wrong("--group", text, "there is no such group");
	o->segment.group = group ? group->gr_gid : (int64_t)gid;
	return 0;
}

static int segment_bytes_parse(struct options *o, const char *text)
{
	double bytes;

	if (number_parse(text, &bytes) || !(bytes >= 0x1p26 && bytes <= SEGMENT_BYTES_MAX))
		return usage_wrong("--segment-bytes", text, "a size from 64M to 65536G is due");
	o->segment.file_bytes = (uint64_t)bytes;
	return 0;
}

static int workers_parse(struct options *o, const char *text)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	o->workers = (unsigned)n;
	if (*text < '0' || *text > '9' || *end || n < 1 || n > MAX_WORKERS)
		return usage_wrong("--workers", text, "a number of threads is due, 1 to 1024");
	return 0;
}

static int history_days_parse(struct options *o, const char *text)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	o->usage.history_days = (unsigned)n;
	if (*text < '0' || *text > '9' || *end || n < 1 || n > MAX_HISTORY_DAYS)
		return usage_wrong("--history-days", text, "a number of days is due, 1 to 36500");
	return 0;
}

enum {
	OPTION_EVENTS = 256, OPTION_ONCE, OPTION_NOW, OPTION_NO_DISPATCH, OPTION_SCHEDULE, OPTION_MODE, OPTION_GROUP, OPTION_SEGMENT_BYTES,
	OPTION_WORKERS, OPTION_VERSION, OPTION_STORE, OPTION_HISTORY_DAYS, OPTION_LOCAL, OPTION_STATE, OPTION_LEVER,
	OPTION_HOSTS			/* and those behind it: enum hosts_option */
};

static const struct option long_options[] = {
	{ "cell", required_argument, NULL, 'c' },
	{ "events", required_argument, NULL, OPTION_EVENTS },
	{ "local", no_argument, NULL, OPTION_LOCAL },
	{ "state", required_argument, NULL, OPTION_STATE },
	{ "lever", required_argument, NULL, OPTION_LEVER },
	{ "once", no_argument, NULL, OPTION_ONCE },
	{ "now", required_argument, NULL, OPTION_NOW },
	{ "no-dispatch", no_argument, NULL, OPTION_NO_DISPATCH },
	{ "schedule", required_argument, NULL, OPTION_SCHEDULE },
	{ "store", required_argument, NULL, OPTION_STORE },
	{ "history-days", required_argument, NULL, OPTION_HISTORY_DAYS },
	{ "mode", required_argument, NULL, OPTION_MODE },
	{ "group", required_argument, NULL, OPTION_GROUP },
	{ "segment-bytes", required_argument, NULL, OPTION_SEGMENT_BYTES },
	{ "workers", required_argument, NULL, OPTION_WORKERS },
	{ "hosts", required_argument, NULL, OPTION_HOSTS + HOSTS_ENDPOINT },
	{ "keys", required_argument, NULL, OPTION_HOSTS + HOSTS_KEYS },
	{ "from-hosts", required_argument, NULL, OPTION_HOSTS + HOSTS_FROM_HOSTS },
	{ "host-away", required_argument, NULL, OPTION_HOSTS + HOSTS_AWAY },
	{ "munge", optional_argument, NULL, OPTION_HOSTS + HOSTS_MUNGE },
	{ "verbose", no_argument, NULL, 'v' },
	{ "version", no_argument, NULL, OPTION_VERSION },
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

static int lever_take(struct options *o, const char *text)
{
	return lever_parse(&o->with.lever, text) ? usage_wrong("--lever", text, "cgroup, autogroup, nice, none or auto is due") : 0;
}

static int hosts_take(struct options *o, int option)
{
	const char *due = hosts_option(&o->hosts, option - OPTION_HOSTS, optarg);
	char name[32];
	size_t k = 0;

	while (long_options[k].val != option)
		k++;
	snprintf(name, sizeof(name), "--%s", long_options[k].name);
	return due ? usage_wrong(name, optarg, due) : 0;
}

/* Those whose values are checked at once. */
static int option_parse(struct options *o, int option)
{
	switch (option) {
	case OPTION_NOW:
		return now_parse(o, optarg);
	case OPTION_HISTORY_DAYS:
		return history_days_parse(o, optarg);
	case OPTION_MODE:
		return mode_parse(o, optarg);
	case OPTION_GROUP:
		return group_parse(o, optarg);
	case OPTION_SEGMENT_BYTES:
		return segment_bytes_parse(o, optarg);
	case OPTION_WORKERS:
		return workers_parse(o, optarg);
	case OPTION_LEVER:
		return lever_take(o, optarg);
	case OPTION_VERSION:
		puts("fairlead-schedd " FAIRLEAD_VERSION);
		exit(EXIT_OK);
	case 'h':
		fputs(usage_text, stdout);
		exit(EXIT_OK);
	default:
		return option < OPTION_HOSTS ? EXIT_USAGE : hosts_take(o, option);
	}
}

static int option_take(struct options *o, int option)
{
	switch (option) {
	case 'c':
		o->cell = optarg;
		return 0;
	case OPTION_EVENTS:
		o->events = optarg;
		return 0;
	case OPTION_ONCE:
		o->once = true;
		return 0;
	case OPTION_NO_DISPATCH:
		o->no_dispatch = true;
		return 0;
	case OPTION_SCHEDULE:
		o->schedule = optarg;
		return 0;
	case OPTION_STORE:
		o->store = optarg;
		return 0;
	case OPTION_LOCAL:
		o->local = true;
		return 0;
	case OPTION_STATE:
		o->with.state = optarg;
		return 0;
	case 'v':
		o->details = true;
		return 0;
	default:
		return option_parse(o, option);
	}
}

static int local_check(struct options *o)
{
	o->with.retention_days = o->usage.history_days;
	if (o->events)
		return usage_wrong("--local", NULL, "not with --events: there is no qmaster but this scheduler itself");
	if (o->store || o->hosts.hub.endpoint)
		return usage_wrong("--local", NULL, "neither with --store nor with --hosts: it has a store, and no host but this one");
	if (o->once || o->no_dispatch)
		return usage_wrong("--local", NULL, "neither with --once nor with --no-dispatch");
	if (o->with.state && !*o->with.state)
		return usage_wrong("--state", o->with.state, "a directory is due");
	return 0;
}

static int options_check(struct options *o)
{
	if (!o->cell || !*o->cell)
		return usage_wrong("-c", NULL, "no cell; name its directory, or set FAIRLEAD_CELL");
	if (o->local)
		return local_check(o);
	if (o->with.state || o->with.lever != LEVER_AUTO)
		return usage_wrong("--state, --lever", NULL, "only with --local");
	if (!o->events && isatty(STDIN_FILENO))
		return usage_wrong("--events", NULL, "no source of events; name one (unix:PATH, fd:N, a file, or - for this terminal)");
	if (!o->events)
		o->events = "-";
	if (o->now_given && !o->once)
		return usage_wrong("--now", NULL, "only with --once");
	if (o->once && o->hosts.hub.endpoint)
		return usage_wrong("--hosts", NULL, "not with --once");
	if (hosts_options_check(&o->hosts))
		return usage_wrong("--hosts", NULL, hosts_options_check(&o->hosts));
	if (o->once && strncmp(o->events, "unix:", 5) == 0)
		return usage_wrong("--once", NULL, "a listening socket has no end; name another source");
	return 0;
}

int options_parse(struct options *o, int argc, char **argv)
{
	int option, rc = 0;

	while (rc == 0 && (option = getopt_long(argc, argv, "c:vh", long_options, NULL)) != -1)
		rc = option_take(o, option);
	if (rc == 0 && optind < argc)
		rc = usage_wrong(argv[optind], NULL, "only options are due");
	if (rc == 0)
		rc = options_check(o);
	if (rc)
		fputs("Try fairlead-schedd --help.\n", stderr);
	return rc;
}
