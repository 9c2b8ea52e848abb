/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/stat/columns.h"

#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sched/cli/verbs.h"

#define WATCH_S 2u			/* default interval of --watch */
#define WATCH_MOST_S 86400u

#define FIELD(name) .field = offsetof(struct job_listing, name)

#define FILTER(name) .field = offsetof(struct job_listing, filter.name)

static int owners_take(void *names, struct words *words);
static int names_take(void *names, struct words *words);
static int letters_take(void *letters, struct words *words);
static int me_take(void *filter, struct words *words);
static int groups_take(void *context, struct words *words);
static int iso_take(void *format, struct words *words);
static int colour_take(void *when, struct words *words);
static int watch_take(void *seconds, struct words *words);

const struct argument stat_options[] = {
	{ "-pri", ARGUMENT_BITS, FIELD(show), .bits = SHOW_PRIORITY,
	  .sentence = "show nurg, npprior, ntckts and ppri" },
	{ "-urg", ARGUMENT_BITS, FIELD(show), .bits = SHOW_URGENCY,
	  .sentence = "show nurg, urg, rrcontr, wtcontr, dlcontr and the deadline" },
	{ "-ext", ARGUMENT_BITS, FIELD(show), .bits = SHOW_EXTENDED,
	  .sentence = "show ntckts, project, department, usage, tickets and share" },
	{ "-u", ARGUMENT_CALL, FILTER(owners), .call = owners_take, .value = "USER[,...]",
	  .sentence = "show only jobs of these owners; patterns with * and ? are allowed" },
	{ "--me", ARGUMENT_CALL, FILTER(me), .call = me_take, .sentence = "show only your own jobs" },
	{ "-P", ARGUMENT_CALL, FILTER(projects), .call = names_take, .value = "PROJECT[,...]",
	  .sentence = "show only jobs of these projects; patterns are allowed" },
	{ "-N", ARGUMENT_CALL, FILTER(names), .call = names_take, .value = "NAME[,...]",
	  .sentence = "show only jobs with these names; patterns are allowed" },
	{ "-q", ARGUMENT_TEXT, FILTER(queues), .value = "QUEUE[,...]",
	  .sentence = "show only jobs that run or could run in these queues; QUEUE@HOST and patterns are allowed" },
	{ "-l", ARGUMENT_TEXT, FILTER(resources), .value = "NAME=VALUE[,...]",
	  .sentence = "show only jobs that run or could run in queues that offer these resources" },
	{ "-pe", ARGUMENT_CALL, FILTER(pes), .call = names_take, .value = "PE[,...]",
	  .sentence = "show only jobs that run or could run in queues with these parallel environments" },
	{ "-U", ARGUMENT_CALL, FILTER(queue_users), .call = names_take, .value = "USER[,...]",
	  .sentence = "show only jobs that run or could run in queues that these users, or @groups, may use" },
	{ "-qs", ARGUMENT_CALL, FILTER(instance_states), .call = letters_take, .value = "STATES",
	  .sentence = "show only running jobs in queue instances with one of these states: " INSTANCE_STATES },
	{ "-g", ARGUMENT_CALL, .call = groups_take, .value = "d|t",
	  .sentence = "d: show each task of an array; t: show each slot of a parallel job" },
	{ "-t", ARGUMENT_BITS, FIELD(show), .bits = SHOW_TASKS,
	  .sentence = "like -g t, and show the usage of each task" },
	{ "-j", ARGUMENT_CALL, .call = wanted_take,
	  .sentence = "[JOB[,...]] show all data of these jobs (numbers, names or patterns); without JOB, show "
	              "why jobs wait" },
	{ "-s", ARGUMENT_CALL, FILTER(states), .call = states_take, .value = "STATES",
	  .sentence = "show only jobs in these states: p pending, h held, r running, s suspended, z ended, a all "
	              "but z; holds hu ho hs hd hj ha" },
	{ "-r", ARGUMENT_BITS, FIELD(show), .bits = SHOW_REQUESTS,
	  .sentence = "show the full name and the requests of each job" },
	{ "--sort", ARGUMENT_CALL, .call = sort_take, .value = "COLUMN[,-COLUMN...]",
	  .sentence = "sort by these columns; a minus sign reverses the order" },
	{ "--format", ARGUMENT_TEXT, FIELD(columns), .value = "COLUMN[:[.]WIDTH],...",
	  .sentence = "show these columns; --format help lists them" },
	{ "--no-header", ARGUMENT_FLAG, FIELD(no_header), .sentence = "omit the column titles" },
	{ "--iso", ARGUMENT_CALL, FIELD(time_format), .call = iso_take,
	  .sentence = "print times as 2026-11-24T15:04:05" },
	{ "--why", ARGUMENT_FLAG, FIELD(why),
	  .sentence = "show the rank of each job and why it waits; also with --json" },
	{ "--wide", ARGUMENT_FLAG, FIELD(wide), .sentence = "print the terminal layout without cutting columns" },
	{ "--plain", ARGUMENT_FLAG, FIELD(plain), .sentence = "print the table of qstat, on a terminal too" },
	{ "--color", ARGUMENT_CALL, FIELD(colour), .call = colour_take, .value = "WHEN",
	  .sentence = "use colours: auto, always or never" },
	{ "--watch", ARGUMENT_CALL_OR_NONE, FIELD(watch_s), .call = watch_take,
	  .sentence = "repeat every 2 seconds until Ctrl-C; --watch=N or --watch N: every N seconds" },
	OPTION_FORMAT("-xml", offsetof(struct job_listing, format), stat_xml, "print XML, like qstat -xml"),
	OPTION_FORMAT("--qstat", offsetof(struct job_listing, format), stat_qstat, "with -j: print the layout of qstat -j"),
	OPTION_FORMAT("--json", offsetof(struct job_listing, format), stat_json, "print all data as JSON"),
	{ .name = NULL },
};

static int owners_take(void *names, struct words *words)
{
	return names_cut(words->messages, names, (char *)words->value);
}

static int letters_take(void *letters, struct words *words)
{
	*(const char **)letters = words->value;
	return instance_states_check(words->messages, "stat", words->row->name, words->value, INSTANCE_STATES);
}

static int names_take(void *names, struct words *words)
{
	return names_add(words->messages, names, "stat", words->row->name, (char *)words->value);
}

/* Filter by the name of the calling user. The name is not a pattern. */
static int me_take(void *me, struct words *words)
{
	const struct passwd *user = getpwuid(geteuid());

	free(*(char **)me);
	*(char **)me = user ? strdup(user->pw_name) : NULL;
	if (user)
		return *(char **)me ? EXIT_OK : message_no_memory(words->messages);
	return message_add(words->messages, EXIT_NO_DATA, "stat",
			   "--me: user %u has no name on this machine; -u takes one", (unsigned)geteuid());
}

static int groups_take(void *context, struct words *words)
{
	struct job_listing *listing = context;

	if (strcmp(words->value, "d") && strcmp(words->value, "t"))
		return message_add(words->messages, EXIT_USAGE, "stat",
				"-g %s: d and t are allowed; for cluster queues, use fairlead queues -g c",
				words->value);
	listing->one_by_one |= *words->value == 'd';
	listing->spread |= *words->value == 't';
	return EXIT_OK;
}

static int iso_take(void *format, struct words *words)
{
	(void)words;
	*(enum time_format *)format = TIME_ISO;
	return EXIT_OK;
}

static int colour_take(void *when, struct words *w)
{
	static const char *const words[] = {
		[COLOUR_AUTO] = "auto", [COLOUR_ALWAYS] = "always", [COLOUR_NEVER] = "never"
	};

	for (enum colour_when k = COLOUR_AUTO; k <= COLOUR_NEVER; k++)
		if (!strcmp(words[k], w->value)) {
			*(enum colour_when *)when = k;
			return EXIT_OK;
		}
	return message_add(w->messages, EXIT_USAGE, "stat", "--color %s: auto, always and never are allowed", w->value);
}

static int watch_take(void *seconds, struct words *words)
{
	const char *next = words->next < words->argc ? words->argv[words->next] : "";
	unsigned long number = WATCH_S;

	if (!words->value && *next >= '0' && *next <= '9')
		words->value = words->argv[words->next++];
	if (words->value && options_number(words->messages, "stat", "--watch", words->value, 1, WATCH_MOST_S, &number))
		return EXIT_USAGE;
	*(unsigned *)seconds = (unsigned)number;
	return EXIT_OK;
}

static int wrong(const struct job_listing *listing, const char *text)
{
	return message_add(listing->messages, EXIT_USAGE, "stat", "%s", text);
}

/* Check options that are possible only in some formats. */
static int check_combinations(const struct job_listing *listing)
{
	bool table = listing->format.print == stat_xml ||
		     !(listing->format.chosen || listing->columns || listing->by_job.asked || listing->why ||
		       listing->wide);

	if (listing->spread && !table)
		return wrong(listing, "-g t and -t can only be used with qstat's table and -xml");
	if ((listing->show & SHOW_REQUESTS) && !table)
		return wrong(listing, "-r can only be used with qstat's table and -xml");
	if (listing->columns && (listing->format.chosen || listing->by_job.asked))
		return wrong(listing,
			     "--format cannot be combined with -xml, --json and -j, which have columns of their own");
	return EXIT_OK;
}

/* Choose the function that prints. */
static int choose_printer(struct job_listing *listing)
{
	if (listing->columns) {
		listing->format.print = stat_format;
		return strcmp(listing->columns, "help") ? format_check(listing->messages, listing->columns) : EXIT_OK;
	}
	if (listing->by_job.reasons && listing->format.print == stat_qstat) {
		listing->format.print = stat_reasons_qstat;
		return EXIT_OK;
	}
	if (listing->by_job.reasons && listing->format.chosen)
		return wrong(listing, "--json needs -j JOB; without -j it has all jobs");
	if (listing->by_job.asked && !listing->format.chosen)
		listing->format.print = listing->by_job.reasons ? stat_reasons : stat_job;
	return EXIT_OK;
}

static int parse(struct job_listing *listing, int argc, char **argv)
{
	struct words words = { .table = stat_options, .argc = argc, .argv = argv, .next = 1,
			       .messages = listing->messages };
	int code = options_read(&words, listing);

	if (code)
		return code;
	if (words.next < argc)
		return message_add(listing->messages, EXIT_USAGE, "stat", "unexpected word %s", argv[words.next]);
	if (listing->format.chosen > 1)
		return wrong(listing, "more than one output format is requested");
	if (listing->format.print == stat_qstat && !listing->by_job.asked)
		return wrong(listing, "--qstat needs -j");
	listing->spread |= listing->show & SHOW_TASKS;
	if (listing->format.print == stat_xml && listing->by_job.asked) {
		listing->format.print = listing->by_job.reasons ? stat_reasons_xml : stat_job_xml;
		return EXIT_OK;
	}
	code = check_combinations(listing);
	if (code)
		return code;
	if ((listing->show & ~(unsigned)SHOW_REQUESTS) != SHOW_EXTENDED)
		listing->show |= SHOW_TIMES;
	return choose_printer(listing);
}

/* Columns on a terminal. */
#define PICTURE "place,job,name,user,state,for,slots,prior,ids,where"

/* Choose the layout if the options do not determine it. */
static void choose_picture(struct job_listing *listing)
{
	bool unsaid = listing->show == SHOW_TIMES && !listing->one_by_one && !listing->spread;

	if (listing->plain && listing->colour == COLOUR_AUTO)
		listing->colour = COLOUR_NEVER;
	terminal_look(&listing->terminal, STDOUT_FILENO, listing->colour);
	listing->picture =
		!listing->columns && !listing->format.chosen && !listing->by_job.asked &&
		(listing->wide || listing->why || (unsaid && listing->terminal.is_terminal && !listing->plain));
	if (!listing->picture)
		return;
	listing->headline = listing->terminal.is_terminal && !listing->no_header;
	listing->columns = PICTURE;
	listing->format.print = stat_format;
}

static int report_missing(const struct job_listing *listing)
{
	int code = EXIT_OK;

	for (size_t k = 0; k < listing->njobs; k++)
		if (!listing->jobs[k].found && !listing->jobs[k].ended)
			code = message_add(listing->messages, EXIT_NO_DATA, NULL, "job %u does not exist",
					   listing->jobs[k].number);
	if (*listing->descriptions.missing)
		message_add(listing->messages, EXIT_OK, NULL, "%s", listing->descriptions.missing);
	return code;
}

int stat_begin(struct job_listing *listing, const struct fl_view *view)
{
	listing->error.text[0] = '\0';
	/* defaults apply if the configuration is not readable */
	if (listing->spread || listing->show & SHOW_REQUESTS || listing->format.print == stat_job_xml)
		(void)cluster_cell_load(&listing->cell_in_force, view);
	return stat_filter_begin(&listing->filter, view, &listing->error);
}

void stat_end(struct job_listing *listing)
{
	stat_filter_end(&listing->filter);
	cluster_cell_free(&listing->cell_in_force);
}

/* Print one run, filtered. */
static int print(const struct fl_view *view, struct out *out, void *context)
{
	struct job_listing *listing = context;
	int rc = stat_begin(listing, view);
	int code = rc == 0	   ? listing->format.print(view, out, listing)
		   : rc == -EACCES ? EXIT_PERMISSION
		   : rc == -EINVAL ? EXIT_USAGE
				   : EXIT_NO_DATA;

	stat_end(listing);
	return code;
}

int stat_show(struct messages *messages, const char *cell, int argc, char **argv)
{
	static struct job_listing listing = { .filter.states = STATE_PENDING | STATE_RUNNING | STATE_SUSPENDED,
					      .format.print = stat_table };
	int code;

	listing.messages = messages;
	code = parse(&listing, argc, argv);
	if (!code && listing.columns && !strcmp(listing.columns, "help")) {
		columns_help(stdout);
		return EXIT_OK;
	}
	if (!code)
		code = wanted_find(&listing, cell);
	if (!code) {
		listing.cell = cell;
		choose_picture(&listing);
		code = listing.watch_s ? stat_watch(cell, print, &listing, listing.watch_s)
				       : section_show(messages, cell, print, &listing);
	}
	if (*listing.error.text)
		message_add(messages, code, "stat", "%s", listing.error.text);
	if (!code && listing.filter.none)
		message_add(messages, EXIT_OK, "stat", "%s", listing.filter.none_left.text);
	if (!code)
		code = report_missing(&listing);
	if (!code && !listing.any && !listing.watch_s && !listing.plain && listing.terminal.is_terminal &&
	    listing.format.chosen == 0 && !listing.by_job.asked)
		message_add(messages, EXIT_OK, NULL, "no jobs");
	stat_filter_free(&listing.filter);
	wanted_free(&listing);
	free(listing.keys);
	return code;
}

int stat_run(const char *cell, int argc, char **argv)
{
	return verb_print(stat_show, cell, argc, argv);
}
