/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/daemon/options.h"

#include <grp.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/amount.h"
#include "sched/daemon/qmasters.h"
#include "sched/process/arguments.h"
#include "sched/process/which_cell.h"

#define SEGMENT_BYTES_MAX 0x1p46
#define USER_BYTES (64u << 20)
#define USAGE_BYTES 8192

static const char usage_first[] =
	"fairlead-schedd - run the policy scheduler of a cell\n"
	"\n"
	"usage: fairlead-schedd [-c DIR] [--events SOURCE | --local | --qmaster[=ROOT/CELL]] [options]\n"
	"\n"
	"  -c, --cell DIR          use the cell in DIR; default: $FAIRLEAD_CELL,\n"
	"                          else " CELL_BY_DEFAULT "\n";

static const char usage_rest[] =
	"      --once              read all events, make one run, publish it and exit\n"
	"      --now SECONDS       with --once: make the run at this time (seconds since 1970); default: now\n"
	"      --no-dispatch       compute priorities only, send no orders\n"
	"      --schedule FILE     with MONITOR=1 in params: append the bookings of each run\n"
	"      --journal FILE      record the inputs of runs, see fairlead-journal(5)\n"
	"      --journal-bytes SIZE  limit the size of the journal; default: 512M\n"
	"      --journal-full      also record the values of each run, not only their digests\n"
	"      --store FILE        keep usage in this file across restarts\n"
	"      --history-days N    keep the daily usage for N days; default: 400\n"
	"      --mode OCTAL        set the permissions of published runs; default: 0644, less umask\n"
	"      --group NAME        set the group of published runs\n"
	"      --segment-bytes SIZE  limit the shared memory, e.g. 64G; default: 16G\n"
	"      --workers N         compute with N threads; default: one for each CPU, at most 16\n"
	"      --hosts ENDPOINT    accept execution hosts at tcp://ADDRESS:PORT, see fairlead-hostd(8)\n"
	"      --keys DIR          with --hosts: read the keys of scheduler and hosts in DIR, see fairlead-keygen(1)\n"
	"      --from-hosts LIST   take usage, load or both from hosts, not from the qmaster\n"
	"      --host-away SECONDS treat a host as down after this silence; default: 30\n"
	"      --munge[=SOCKET]    require a MUNGE credential from hosts\n"
	"      --log-format FORMAT write the log as text or json, to standard error; default: text\n"
	"  -v, --verbose           log each run and each connection\n"
	"      --version           print the version\n"
	"  -h, --help              print this help\n"
	"\n"
	"Exit status: 0 success, 1 an event was refused (--once), 2 usage, 3 no usable cell, source or store,\n"
	"4 not permitted or another scheduler serves this cell, 5 any other error.\n";

static char usage_text[USAGE_BYTES];

static const char *mode_take(void *field, const char *value)
{
	char *end;
	unsigned long mode = strtoul(value, &end, 8);

	if (*value < '0' || *value > '7' || *end || mode > 0777 || (mode & 0600) != 0600 || mode & 0133)
		return "octal permissions are expected: read and write for the owner, at most read for others";
	*(unsigned *)field = (unsigned)mode;
	return NULL;
}

static const char *group_take(void *field, const char *value)
{
	const struct group *group = getgrnam(value);
	char *end;
	unsigned long gid = strtoul(value, &end, 10);

	if (!group && (*value < '0' || *value > '9' || *end || gid >= UINT32_MAX))
		return "there is no such group";
	*(int64_t *)field = group ? group->gr_gid : (int64_t)gid;
	return NULL;
}

static const char *segment_bytes_take(void *field, const char *value)
{
	double bytes;

	if (amount_size(value, &bytes) || !(bytes >= 0x1p27 && bytes <= SEGMENT_BYTES_MAX))
		return "a size from 128M to 65536G is expected, such as 2G";
	*(uint64_t *)field = (uint64_t)bytes;
	return NULL;
}

static const char *user_bytes_take(void *field, const char *value)
{
	double bytes;

	if (amount_size(value, &bytes) || !(bytes >= 0x1p16 && bytes <= SEGMENT_BYTES_MAX))
		return "a size from 64K to 65536G is expected";
	*(uint64_t *)field = (uint64_t)bytes;
	return NULL;
}

static const char *journal_bytes_take(void *field, const char *value)
{
	double bytes;

	if (amount_size(value, &bytes) || !(bytes >= (double)JOURNAL_BYTES_LEAST && bytes <= SEGMENT_BYTES_MAX))
		return "a size from 1M to 65536G is expected";
	*(uint64_t *)field = (uint64_t)bytes;
	return NULL;
}

static const char *lever_take(void *field, const char *value)
{
	return lever_parse(field, value) ? "cgroup, autogroup, nice, none or auto is expected" : NULL;
}

/*
 * Set the cell of a Grid Engine: ROOT/CELL, or the cell of the environment, as Grid Engine's own
 * programs find it.
 */
static const char *qmaster_take(void *field, const char *value)
{
	static char where[sizeof(QMASTER_GRIDENGINE) + PATH_MAX];
	const char *root = getenv("SGE_ROOT"), *cell = getenv("SGE_CELL");
	char path[PATH_MAX], real[PATH_MAX];

	if (!value && (!root || !*root))
		return "SGE_ROOT is not set: name the cell's directory, --qmaster=ROOT/CELL";
	if (value)
		snprintf(path, sizeof(path), "%s", value);
	else if (snprintf(path, sizeof(path), "%s/%s", root, cell && *cell ? cell : "default") >= (int)sizeof(path))
		return "SGE_ROOT and SGE_CELL are too long";
	if (!realpath(path, real))
		return value ? "there is no such directory" : "there is no directory $SGE_ROOT/$SGE_CELL";
	snprintf(where, sizeof(where), "%s%s", QMASTER_GRIDENGINE, real);
	*(const char **)field = where;
	return NULL;
}

static const char *log_format_take(void *field, const char *value)
{
	*(bool *)field = strcmp(value, "json") == 0;
	return *(bool *)field || strcmp(value, "text") == 0 ? NULL : "text or json is expected";
}

#define FIELD(name) .field = offsetof(struct schedd_options, name)

static const struct argument table[] = {
	{ "cell", ARGUMENT_TEXT, FIELD(cell), .letter = 'c' },
	{ "events", ARGUMENT_TEXT, FIELD(events) },
	{ "strict", ARGUMENT_FLAG, FIELD(lines.strict) },
	{ "local", ARGUMENT_FLAG, FIELD(local) },
	{ "qmaster", ARGUMENT_OWN_OR_NONE, FIELD(qmaster), .take = qmaster_take },
	{ "shadow", ARGUMENT_FLAG, FIELD(gridengine.shadow) },
	{ "audit", ARGUMENT_TEXT, FIELD(gridengine.audit) },
	{ "standby", ARGUMENT_FLAG, FIELD(gridengine.standby) },
	{ "again", ARGUMENT_FLAG, FIELD(gridengine.again) },
	{ "state", ARGUMENT_TEXT, FIELD(with.state) },
	{ "lever", ARGUMENT_OWN, FIELD(with.lever), .take = lever_take },
	{ "user-bytes", ARGUMENT_OWN, FIELD(with.user_bytes), .take = user_bytes_take },
	{ "once", ARGUMENT_FLAG, FIELD(once) },
	{ "now", ARGUMENT_INT64, FIELD(now), .most = 1ll << 53,
		.due = "whole seconds since 1970 are expected, 0..9007199254740992" },
	{ "no-dispatch", ARGUMENT_FLAG, FIELD(no_dispatch) },
	{ "schedule", ARGUMENT_TEXT, FIELD(schedule) },
	{ "journal", ARGUMENT_TEXT, FIELD(journal.path) },
	{ "journal-bytes", ARGUMENT_OWN, FIELD(journal.bytes), .take = journal_bytes_take },
	{ "journal-full", ARGUMENT_FLAG, FIELD(journal.full) },
	{ "store", ARGUMENT_TEXT, FIELD(store) },
	{ "history-days", ARGUMENT_INT, FIELD(usage.history_days), .least = 1, .most = 36500,
		.due = "a number of days is expected, 1 to 36500" },
	{ "mode", ARGUMENT_OWN, FIELD(segment.mode), .take = mode_take },
	{ "group", ARGUMENT_OWN, FIELD(segment.group), .take = group_take },
	{ "segment-bytes", ARGUMENT_OWN, FIELD(segment.file_bytes), .take = segment_bytes_take },
	{ "workers", ARGUMENT_INT, FIELD(workers), .least = 1, .most = 1024,
		.due = "a number of threads is expected, 1 to 1024" },
	{ "hosts", ARGUMENT_OWN, FIELD(hosts), .take = hosts_endpoint_take },
	{ "keys", ARGUMENT_TEXT, FIELD(hosts.hub.keys) },
	{ "from-hosts", ARGUMENT_OWN, FIELD(hosts), .take = hosts_from_hosts_take },
	{ "host-away", ARGUMENT_INT, FIELD(hosts.hub.away_s), .least = 2, .most = 86400,
		.due = "a number of seconds is expected, 2 to 86400" },
	{ "munge", ARGUMENT_OWN_OR_NONE, FIELD(hosts), .take = hosts_munge_take },
	{ "log-format", ARGUMENT_OWN, FIELD(log_json), .take = log_format_take },
	{ "verbose", ARGUMENT_FLAG, FIELD(details), .letter = 'v' },
};

static int options_check(void *options);

static const struct arguments arguments = { "fairlead-schedd", usage_text, table, sizeof(table) / sizeof(table[0]),
					    options_check };

static int wrong(const char *option, const char *value, const char *due)
{
	return arguments_wrong(&arguments, option, value, due);
}

static int local_check(struct schedd_options *options)
{
	options->with.retention_days = options->usage.history_days;
	if (!options->with.user_bytes)
		options->with.user_bytes = USER_BYTES;
	if (options->events)
		return wrong("--local", NULL, "not with --events: there is no qmaster but this scheduler itself");
	if (options->store || options->hosts.hub.endpoint || hosts_options_check(&options->hosts))
		return wrong("--local", NULL,
			     "neither with --store nor with --hosts: it has a store, and no host but this one");
	if (options->once || options->no_dispatch || options->now != NOW_BY_CLOCK)
		return wrong("--local", NULL, "not with --once, --now or --no-dispatch");
	if (options->with.state && !*options->with.state)
		return wrong("--state", options->with.state, "a directory is expected");
	options->events = QMASTER_LOCAL;
	return 0;
}

/* Reject a source that has an option of its own. */
static int events_wrong(const char *events)
{
	const struct qmaster_kind *kind = qmasters_find(events);
	char due[128];

	snprintf(due, sizeof(due), "that is %s; a file of this name is ./%s...", kind->option, kind->where);
	return wrong("--events", events, due);
}

/*
 * Check options with --qmaster. The cell is that of the qmaster, and readers name it by its
 * directory.
 */
static int qmaster_check(struct schedd_options *options)
{
	if (options->events || options->local)
		return wrong("--qmaster", NULL, "neither with --events nor with --local");
	if (options->cell)
		return wrong("--qmaster", NULL, "not with -c: its cell is ROOT/CELL");
	if (options->gridengine.shadow && (options->gridengine.standby || options->gridengine.again))
		return wrong("--shadow", NULL,
			"neither with --standby nor with --again: a shadow never has the scheduler role");
	if (options->gridengine.standby && options->once)
		return wrong("--standby", NULL, "not with --once: it waits");
	if (options->gridengine.audit && !options->gridengine.shadow)
		return wrong("--audit", NULL, "only with --shadow");
	options->gridengine.no_dispatch = options->no_dispatch;
	options->events = options->qmaster;
	options->cell = options->qmaster + strlen(QMASTER_GRIDENGINE);
	return 0;
}

static int options_check(void *options)
{
	struct schedd_options *schedd_options = options;
	const char *(*endless)(const char *where);

	if (!schedd_options->qmaster && (schedd_options->gridengine.shadow || schedd_options->gridengine.standby ||
					 schedd_options->gridengine.again || schedd_options->gridengine.audit))
		return wrong("--shadow, --standby, --again, --audit", NULL, "only with --qmaster");
	if (schedd_options->qmaster && qmaster_check(schedd_options))
		return EXIT_USAGE;
	if (schedd_options->journal.path ? !*schedd_options->journal.path
					 : schedd_options->journal.bytes || schedd_options->journal.full)
		return wrong(schedd_options->journal.path ? "--journal" : "--journal-bytes, --journal-full", NULL,
			     schedd_options->journal.path ? "a file is expected" : "only with --journal");
	schedd_options->cell = which_cell(schedd_options->cell);
	if (!schedd_options->cell || !*schedd_options->cell)
		return wrong("-c", NULL,
			     "no cell: name its directory with -c, set FAIRLEAD_CELL, or create " CELL_BY_DEFAULT);
	if (schedd_options->lines.strict && (schedd_options->local || schedd_options->qmaster))
		return wrong("--strict", NULL, "only with --events");
	if (schedd_options->local)
		return local_check(schedd_options);
	if (schedd_options->events && schedd_options->events != schedd_options->qmaster &&
	    qmasters_find(schedd_options->events)->option)
		return events_wrong(schedd_options->events);
	if (schedd_options->with.state || schedd_options->with.lever != LEVER_AUTO || schedd_options->with.user_bytes)
		return wrong("--state, --lever, --user-bytes", NULL, "only with --local");
	if (schedd_options->usage.history_days && !schedd_options->store)
		return wrong("--history-days", NULL, "only with --store or --local");
	if (!schedd_options->events && isatty(STDIN_FILENO))
		return wrong("--events", NULL,
			     "no source of events; name one (unix:PATH, fd:N, a file, or - for this terminal)");
	if (!schedd_options->events)
		schedd_options->events = "-";
	if (schedd_options->now != NOW_BY_CLOCK && !schedd_options->once)
		return wrong("--now", NULL, "only with --once");
	if (schedd_options->once && schedd_options->hosts.hub.endpoint)
		return wrong("--hosts", NULL, "not with --once");
	if (hosts_options_check(&schedd_options->hosts))
		return wrong("--hosts", NULL, hosts_options_check(&schedd_options->hosts));
	endless = qmasters_find(schedd_options->events)->endless;
	if (schedd_options->once && endless && endless(schedd_options->events))
		return wrong("--once", NULL, endless(schedd_options->events));
	return 0;
}

/*
 * Return the default permissions of published runs. With umask 077 the files of a user are private,
 * including those of the cell, and a segment that all users may read would have to omit their
 * contents. A scheduler that runs as root serves all users of the machine.
 */
static mode_t mode_by_default(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return geteuid() == 0 ? 0644 : 0644 & ~mask;
}

int options_parse(struct schedd_options *options, int argc, char **argv)
{
	char about[USAGE_BYTES / 2];

	qmasters_help(about, sizeof(about));
	snprintf(usage_text, sizeof(usage_text), "%s%s%s", usage_first, about, usage_rest);
	if (arguments_parse(&arguments, options, argc, argv))
		return EXIT_USAGE;
	if (options->segment.mode == 0)
		options->segment.mode = mode_by_default();
	return 0;
}
