/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/stat_columns.h"

#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sched/cli/verbs.h"

#define WATCH_S 2u			/* --watch, where nothing is said */
#define WATCH_MOST_S 86400u

#define FIELD(name) .field = offsetof(struct stat, name)

#define FILTER(name) .field = offsetof(struct stat, filter.name)

static int owners_take(void *names, struct words *w);
static int names_take(void *names, struct words *w);
static int letters_take(void *letters, struct words *w);
static int me_take(void *filter, struct words *w);
static int groups_take(void *stat, struct words *w);
static int iso_take(void *format, struct words *w);
static int colour_take(void *when, struct words *w);
static int watch_take(void *seconds, struct words *w);

const struct argument stat_options[] = {
	{ "-pri", ARGUMENT_BITS, FIELD(show), .bits = SHOW_PRIORITY, .sentence = "show nurg, npprior, ntckts and ppri" },
	{ "-urg", ARGUMENT_BITS, FIELD(show), .bits = SHOW_URGENCY, .sentence = "show nurg, urg, rrcontr, wtcontr, dlcontr and the deadline" },
	{ "-ext", ARGUMENT_BITS, FIELD(show), .bits = SHOW_EXTENDED, .sentence = "show ntckts, project, department, usage, tickets and share" },
	{ "-u", ARGUMENT_CALL, FILTER(owners), .call = owners_take, .value = "USER[,...]", .sentence = "show only jobs of these owners; patterns with * and ? are allowed" },
	{ "--me", ARGUMENT_CALL, FILTER(me), .call = me_take, .sentence = "show only your own jobs" },
	{ "-P", ARGUMENT_CALL, FILTER(projects), .call = names_take, .value = "PROJECT[,...]", .sentence = "show only jobs of these projects; patterns are allowed" },
	{ "-N", ARGUMENT_CALL, FILTER(names), .call = names_take, .value = "NAME[,...]", .sentence = "show only jobs with these names; patterns are allowed" },
	{ "-q", ARGUMENT_TEXT, FILTER(queues), .value = "QUEUE[,...]", .sentence = "show only jobs that run or could run in these queues; QUEUE@HOST and patterns are allowed" },
	{ "-l", ARGUMENT_TEXT, FILTER(resources), .value = "NAME=VALUE[,...]", .sentence = "show only jobs that run or could run in queues that offer these resources" },
	{ "-pe", ARGUMENT_CALL, FILTER(pes), .call = names_take, .value = "PE[,...]", .sentence = "show only jobs that run or could run in queues with these parallel environments" },
	{ "-U", ARGUMENT_CALL, FILTER(queue_users), .call = names_take, .value = "USER[,...]",
	  .sentence = "show only jobs that run or could run in queues that these users, or @groups, may use" },
	{ "-qs", ARGUMENT_CALL, FILTER(instance_states), .call = letters_take, .value = "STATES",
	  .sentence = "show only running jobs in queue instances with one of these states: " INSTANCE_STATES },
	{ "-g", ARGUMENT_CALL, .call = groups_take, .value = "d|t", .sentence = "d: show each task of an array; t: show each slot of a parallel job" },
	{ "-t", ARGUMENT_BITS, FIELD(show), .bits = SHOW_TASKS, .sentence = "like -g t, and show the usage of each task" },
	{ "-j", ARGUMENT_CALL, .call = wanted_take,
	  .sentence = "[JOB[,...]] show all data of these jobs (numbers, names or patterns); without JOB, show why jobs wait" },
	{ "-s", ARGUMENT_CALL, FILTER(states), .call = states_take, .value = "STATES",
	  .sentence = "show only jobs in these states: p pending, h held, r running, s suspended, z ended, a all but z; holds hu ho hs hd hj ha" },
	{ "-r", ARGUMENT_BITS, FIELD(show), .bits = SHOW_REQUESTS, .sentence = "show the full name and the requests of each job" },
	{ "--sort", ARGUMENT_CALL, .call = sort_take, .value = "COLUMN[,-COLUMN...]", .sentence = "sort by these columns; a minus sign reverses the order" },
	{ "--format", ARGUMENT_TEXT, FIELD(columns), .value = "COLUMN[:[.]WIDTH],...", .sentence = "show these columns; --format help lists them" },
	{ "--no-header", ARGUMENT_FLAG, FIELD(no_header), .sentence = "omit the column titles" },
	{ "--iso", ARGUMENT_CALL, FIELD(time_format), .call = iso_take, .sentence = "print times as 2026-11-24T15:04:05" },
	{ "--why", ARGUMENT_FLAG, FIELD(why), .sentence = "show the rank of each job and why it waits; also with --json" },
	{ "--wide", ARGUMENT_FLAG, FIELD(wide), .sentence = "print the terminal layout without cutting columns" },
	{ "--plain", ARGUMENT_FLAG, FIELD(plain), .sentence = "print the table of qstat, on a terminal too" },
	{ "--color", ARGUMENT_CALL, FIELD(colour), .call = colour_take, .value = "WHEN", .sentence = "use colours: auto, always or never" },
	{ "--watch", ARGUMENT_CALL_OR_NONE, FIELD(watch_s), .call = watch_take, .sentence = "repeat every 2 seconds until Ctrl-C; --watch=N or --watch N: every N seconds" },
	OPTION_FORMAT("-xml", offsetof(struct stat, format), stat_xml, "print XML, like qstat -xml"),
	OPTION_FORMAT("--qstat", offsetof(struct stat, format), stat_qstat, "with -j: print the layout of qstat -j"),
	OPTION_FORMAT("--json", offsetof(struct stat, format), stat_json, "print all data as JSON"),
	{ .name = NULL },
};

static int owners_take(void *names, struct words *w)
{
	return names_cut(names, (char *)w->value);
}

static int letters_take(void *letters, struct words *w)
{
	*(const char **)letters = w->value;
	return instance_states_check("stat", w->row->name, w->value, INSTANCE_STATES);
}

static int names_take(void *names, struct words *w)
{
	char option[16] = "stat: ";

	strncat(option, w->row->name, sizeof(option) - strlen(option) - 1);
	return names_add(names, option, (char *)w->value);
}

/* No pattern, whatever the name has. */
static int me_take(void *me, struct words *w)
{
	const struct passwd *user = getpwuid(geteuid());

	(void)w;
	free(*(char **)me);
	*(char **)me = user ? strdup(user->pw_name) : NULL;
	if (user)
		return *(char **)me ? EXIT_OK : cli_fail(EXIT_NO_DATA, "no memory");
	return cli_fail(EXIT_NO_DATA, "stat: --me: user %u has no name on this machine; -u takes one", (unsigned)geteuid());
}

static int groups_take(void *stat, struct words *w)
{
	struct stat *s = stat;

	if (strcmp(w->value, "d") && strcmp(w->value, "t"))
		return cli_fail(EXIT_USAGE, "stat: -g %s: d and t are allowed; fairlead queues -g c tells of cluster queues", w->value);
	s->one_by_one |= *w->value == 'd';
	s->spread |= *w->value == 't';
	return EXIT_OK;
}

static int iso_take(void *format, struct words *w)
{
	(void)w;
	*(enum time_format *)format = TIME_ISO;
	return EXIT_OK;
}

static int colour_take(void *when, struct words *w)
{
	static const char *const words[] = { [COLOUR_AUTO] = "auto", [COLOUR_ALWAYS] = "always", [COLOUR_NEVER] = "never" };

	for (enum colour_when k = COLOUR_AUTO; k <= COLOUR_NEVER; k++)
		if (!strcmp(words[k], w->value)) {
			*(enum colour_when *)when = k;
			return EXIT_OK;
		}
	return cli_fail(EXIT_USAGE, "stat: --color %s: auto, always and never are allowed", w->value);
}

static int watch_take(void *seconds, struct words *w)
{
	const char *next = w->next < w->argc ? w->argv[w->next] : "";
	unsigned long number = WATCH_S;

	if (!w->value && *next >= '0' && *next <= '9')
		w->value = w->argv[w->next++];
	if (w->value && options_number("stat: --watch", w->value, 1, WATCH_MOST_S, &number))
		return EXIT_USAGE;
	*(unsigned *)seconds = (unsigned)number;
	return EXIT_OK;
}

static int parse(struct stat *s, int argc, char **argv)
{
	struct words words = { .table = stat_options, .argc = argc, .argv = argv, .next = 1 };
	int code = options_take(&words, s);
	bool xml = s->format.print == stat_xml;

	if (code)
		return code;
	if (words.next < argc)
		return cli_fail(EXIT_USAGE, "stat: unexpected word %s", argv[words.next]);
	if (s->format.chosen > 1)
		return cli_fail(EXIT_USAGE, "stat: more than one format is asked for");
	if (s->format.print == stat_qstat && (!s->by_job.asked || s->by_job.reasons))
		return cli_fail(EXIT_USAGE, "stat: --qstat needs -j JOB");
	s->spread |= s->show & SHOW_TASKS;
	if (xml && s->by_job.asked) {
		s->format.print = s->by_job.reasons ? stat_reasons_xml : stat_job_xml;
		return EXIT_OK;
	}
	if (s->spread && !xml && (s->format.chosen || s->columns || s->by_job.asked || s->why || s->wide))
		return cli_fail(EXIT_USAGE, "stat: -g t and -t go with qstat's table and -xml only");
	if ((s->show & SHOW_REQUESTS) && !xml && (s->format.chosen || s->columns || s->by_job.asked || s->why || s->wide))
		return cli_fail(EXIT_USAGE, "stat: -r goes with qstat's table and -xml only");
	if (s->columns && (s->format.chosen || s->by_job.asked))
		return cli_fail(EXIT_USAGE, "stat: --format does not go with -xml, --json and -j, which have columns of their own");
	if ((s->show & ~(unsigned)SHOW_REQUESTS) != SHOW_EXTENDED)
		s->show |= SHOW_TIMES;
	if (s->columns) {
		s->format.print = stat_format;
		return strcmp(s->columns, "help") ? format_check(s->columns) : EXIT_OK;
	}
	if (s->by_job.reasons && s->format.chosen)
		return cli_fail(EXIT_USAGE, "stat: --json needs -j JOB; without -j it has all jobs");
	if (s->by_job.asked && !s->format.chosen)
		s->format.print = s->by_job.reasons ? stat_reasons : stat_job;
	return EXIT_OK;
}

/* Columns of the picture: what people look for in a list that is as wide as their terminal. */
#define PICTURE "place,job,name,user,state,for,slots,prior,ids,where"

/* What is seen where nothing is said of it. */
static void choose_picture(struct stat *s)
{
	bool unsaid = s->show == SHOW_TIMES && !s->one_by_one && !s->spread;

	if (s->plain && s->colour == COLOUR_AUTO)
		s->colour = COLOUR_NEVER;
	terminal_look(&s->terminal, STDOUT_FILENO, s->colour);
	s->picture = !s->columns && !s->format.chosen && !s->by_job.asked && (s->wide || s->why || (unsaid && s->terminal.is_terminal && !s->plain));
	if (!s->picture)
		return;
	s->headline = s->terminal.is_terminal && !s->no_header;
	s->columns = PICTURE;
	s->format.print = stat_format;
}

static int report_missing(const struct stat *s)
{
	int code = EXIT_OK;

	for (size_t k = 0; k < s->njobs; k++)
		if (!s->jobs[k].found && !s->jobs[k].ended)
			code = cli_fail(EXIT_NO_DATA, "job %u does not exist", s->jobs[k].number);
	if (*s->descriptions.missing)
		cli_fail(EXIT_OK, "%s", s->descriptions.missing);
	return code;
}

int stat_begin(struct stat *s, const struct fl_view *view)
{
	s->error.text[0] = '\0';
	/* what can't be read is shown as it is by default */
	if (s->spread || s->show & SHOW_REQUESTS || s->format.print == stat_job_xml)
		(void)cluster_cell_load(&s->cell_in_force, view);
	return stat_filter_begin(&s->filter, view, &s->error);
}

void stat_end(struct stat *s)
{
	stat_filter_end(&s->filter);
	cluster_cell_free(&s->cell_in_force);
}

/* One run, with what the filter needs to know of it. */
static int print(const struct fl_view *view, struct out *o, void *stat)
{
	struct stat *s = stat;
	int rc = stat_begin(s, view);
	int code = rc == 0 ? s->format.print(view, o, s) : rc == -EACCES ? EXIT_PERMISSION : rc == -EINVAL ? EXIT_USAGE : EXIT_NO_DATA;

	stat_end(s);
	return code;
}

int stat_run(const char *cell, int argc, char **argv)
{
	static struct stat s = { .filter.states = STATE_PENDING | STATE_RUNNING | STATE_SUSPENDED, .format.print = stat_table };
	int code = parse(&s, argc, argv);

	if (!code && s.columns && !strcmp(s.columns, "help")) {
		columns_help(stdout);
		return EXIT_OK;
	}
	if (!code)
		code = wanted_find(&s, cell);
	if (!code) {
		s.cell = cell;
		choose_picture(&s);
		code = s.watch_s ? stat_watch(cell, print, &s, s.watch_s) : section_run(cell, print, &s);
	}
	if (*s.error.text)
		cli_fail(code, "stat: %s", s.error.text);
	if (!code && s.filter.none)
		cli_fail(EXIT_OK, "stat: %s", s.filter.none_left.text);
	if (!code)
		code = report_missing(&s);
	if (!code && !s.any && !s.watch_s && !s.plain && s.terminal.is_terminal && s.format.chosen == 0 && !s.by_job.asked)
		cli_fail(EXIT_OK, "no jobs");
	stat_filter_free(&s.filter);
	wanted_free(&s);
	free(s.keys);
	return code;
}
