/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fairlead-schedd(8), the scheduler of a cell: events in, after each interval a published run and orders out.
 *
 *     main.c                   options, exit codes; the only place that ends the process
 *     └─ loop.c                what to wait for, when to run; signals, reload
 *        ├─ source.c           where lines come from, where answers go
 *        │  ├─ listen.c        a Unix socket, one qmaster at a time
 *        │  ├─ lines.c         bytes into lines, at most 1 MiB each
 *        │  └─ outbox.c        answers and orders that wait to be read, bounded
 *        ├─ events.c           numbers, gaps, snapshots, answers: fairlead-events(5)
 *        │  ├─ values.c        a line of JSON into a flat array of values
 *        │  │  └─ scan.c       the strings and numbers on it
 *        │  └─ event.c         the types of events: their members, their call of the mirror
 *        │     ├─ members.c    values checked and converted
 *        │     └─ lists.c      those that are arrays and objects
 *        ├─ feed.c             orders to the qmaster, as it takes them: fairlead-orders(5)
 *        │  └─ ../orders.h     the queue of orders, filled by the scheduler
 *        ├─ hosts.c            execution hosts with a fairlead-hostd(8): tickets to them, usage and load from them
 *        │  └─ ../wire/hub.h   the connections
 *        ├─ schedule_file.c    what runs have booked, for MONITOR=1
 *        ├─ keeper.c           usage on the disk before it is acknowledged
 *        │  └─ ../store/       SQLite
 *        ├─ clock.c            the date that never goes back
 *        ├─ notify.c           the service manager
 *        ├─ log.c              standard error
 *        └─ ../sched.h         the scheduler itself: mirror, policies, publication; knows nothing of all this
 */
#include <errno.h>
#include <getopt.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conf/number.h"
#include "sched/daemon/log.h"
#include "sched/daemon/loop.h"
#include "shm/topology.h"

#define SEGMENT_BYTES_MAX 0x1p46
#define DEFAULT_WORKERS 16
#define MAX_WORKERS 1024
#define MAX_HISTORY_DAYS 36500

enum { EXIT_OK, EXIT_REFUSED, EXIT_USAGE, EXIT_NO_CELL, EXIT_NOT_PERMITTED, EXIT_FAILED };

struct options {
	const char *cell, *events, *schedule, *store;
	bool once, now_given, details, no_dispatch;
	int64_t now;
	unsigned workers;		/* 0: one for each CPU that we may run on, up to DEFAULT_WORKERS */
	struct segment_options segment;
	struct store_usage_options usage;
	struct hosts_options hosts;
};

static const char usage_text[] =
	"fairlead-schedd - the policy scheduler of a cell\n"
	"\n"
	"usage: fairlead-schedd [-c DIR] [--events SOURCE] [options]\n"
	"\n"
	"  -c, --cell DIR          the cell's files; default: $FAIRLEAD_CELL\n"
	"      --events SOURCE     - (standard input), fd:N, unix:PATH or a file; default: - if that is no terminal\n"
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

/* ---- options ---------------------------------------------------------------------------------------------------- */

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
	OPTION_WORKERS, OPTION_VERSION, OPTION_STORE, OPTION_HISTORY_DAYS,
	OPTION_HOSTS			/* and those behind it: enum hosts_option */
};

static const struct option long_options[] = {
	{ "cell", required_argument, NULL, 'c' },
	{ "events", required_argument, NULL, OPTION_EVENTS },
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
	case 'v':
		o->details = true;
		return 0;
	case OPTION_NOW:
		return now_parse(o, optarg);
	case OPTION_SCHEDULE:
		o->schedule = optarg;
		return 0;
	case OPTION_STORE:
		o->store = optarg;
		return 0;
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

static int options_check(struct options *o)
{
	if (!o->cell || !*o->cell)
		return usage_wrong("-c", NULL, "no cell; name its directory, or set FAIRLEAD_CELL");
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

static int options_parse(struct options *o, int argc, char **argv)
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

/* ---- the process ------------------------------------------------------------------------------------------------ */

static int exit_code(int rc)
{
	switch (-rc) {
	case 0:
		return EXIT_OK;
	case ENOENT: case ENOTDIR: case EINVAL: case EBADF: case ENAMETOOLONG: case EISDIR: case EUCLEAN: case EPROTO: case ENOTSUP:
		return EXIT_NO_CELL;
	case EACCES: case EPERM: case EROFS: case EBUSY: case EADDRINUSE:
		return EXIT_NOT_PERMITTED;
	default:
		return EXIT_FAILED;
	}
}

static int fail(int rc, const char *what, const struct error *error)
{
	log_line(LOG_FAILURE, "%s: %s", what, error->text[0] ? error->text : strerror(-rc));
	return exit_code(rc);
}

static int serve(struct sched *sched, const struct options *o)
{
	struct error error = { "" };
	struct loop loop;
	int rc = loop_open(&loop, sched, o->events, &error);

	if (rc) {
		rc = fail(rc, o->events, &error);
	} else if (o->store && (rc = loop_keep(&loop, o->store, &o->usage, &error)) != 0) {
		rc = fail(rc, o->store, &error);
	} else if ((rc = hosts_open(&loop.hosts, &o->hosts, sched, &error))) {
		rc = fail(rc, "--hosts", &error);
	} else {
		loop.schedule.path = o->schedule;
		rc = o->once ? loop_once(&loop, o->now_given ? o->now : clock_date(), &error) : loop_serve(&loop, &error);
		rc = rc ? fail(rc, o->cell, &error) : o->once && loop.events.refused ? EXIT_REFUSED : EXIT_OK;
	}
	loop_close(&loop);
	return rc;
}

/* Memory that is far away is slow, and no reason to do without a scheduler. */
static void topology_find(struct topology *topology)
{
	int rc = topology_read(topology);

	if (rc)
		log_line(LOG_ODD, "the NUMA nodes of this machine can't be told: %s; taking it for one node", strerror(-rc));
}

static void placement_tell(const struct placement *placement)
{
	if (placement->state == PLACEMENT_REFUSED)
		log_line(LOG_ODD, "memory can't be bound to %u NUMA nodes: %s; going on without", placement->nodes,
			 strerror((int)placement->error));
	else if (placement->state == PLACEMENT_FOREIGN)
		log_line(LOG_NOTE, "memory is planned for %u NUMA nodes of another machine and not bound", placement->nodes);
	else
		log_line(LOG_DETAIL, "NUMA nodes: %u", placement->nodes);
}

static unsigned workers_wanted(const struct options *o, const struct topology *topology)
{
	unsigned cpus = 0;

	for (unsigned k = 0; k < topology->nnodes; k++)
		cpus += topology->node[k].ncpus;
	return o->workers ? o->workers : cpus < 1 ? 1 : cpus < DEFAULT_WORKERS ? cpus : DEFAULT_WORKERS;
}

/* With fewer hands everything comes out the same, only later. */
static void workers_start(struct sched *sched, const struct options *o, const struct topology *topology)
{
	unsigned n = workers_wanted(o, topology);
	int rc = sched_workers(sched, n);

	if (rc) {
		log_line(LOG_ODD, "%u workers can't be started: %s; going on with one", n, strerror(-rc));
		return;
	}
	log_line(LOG_DETAIL, "workers: %u", n);
	rc = sched_workers_bind(sched, topology);
	if (rc)
		log_line(LOG_ODD, "the workers can't be bound to their NUMA nodes: %s; going on without", strerror(-rc));
}

int main(int argc, char **argv)
{
	struct options o = { .cell = getenv("FAIRLEAD_CELL"), .segment.group = -1, .usage.told_again = true };
	struct report report = { 0 };
	struct error error = { "" };
	struct sched *sched = NULL;
	struct topology topology;
	int rc = options_parse(&o, argc, argv);

	if (rc)
		return rc;
	log_open("fairlead-schedd", o.details);
	topology_find(&topology);
	o.segment.topology = &topology;
	rc = sched_create(&sched, o.cell, &o.segment, &report, &error);
	log_report(&report);
	report_free(&report);
	if (rc == 0) {
		placement_tell(sched_placement(sched));
		workers_start(sched, &o, &topology);
		sched_dispatch(sched, !o.no_dispatch);
	}
	rc = rc ? fail(rc, o.cell, &error) : serve(sched, &o);
	sched_destroy(sched);
	topology_free(&topology);
	return rc;
}
