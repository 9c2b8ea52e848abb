/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/stat.h"
#include "sched/cli/stat_parts.h"

#include <stdlib.h>
#include <string.h>

#include "conf/wildcard.h"
#include "sched/cli/verbs.h"

#define FIELD(name) .field = offsetof(struct stat, name)

static int users_take(void *list, struct words *w);
static int jobs_take(void *list, struct words *w);
static int states_take(void *states, struct words *w);

const struct argument stat_options[] = {
	{ "-pri", ARGUMENT_BITS, FIELD(show), .bits = SHOW_PRIORITY, .sentence = "nurg, npprior, ntckts and ppri" },
	{ "-urg", ARGUMENT_BITS, FIELD(show), .bits = SHOW_URGENCY, .sentence = "nurg, urg, rrcontr, wtcontr, dlcontr and the deadline" },
	{ "-ext", ARGUMENT_BITS, FIELD(show), .bits = SHOW_EXTENDED, .sentence = "ntckts, project, department, usage, tickets and share" },
	{ "-u", ARGUMENT_CALL, .call = users_take, .value = "USER[,...]", .sentence = "jobs of these owners only; patterns with * and ?" },
	{ "-j", ARGUMENT_CALL, .call = jobs_take, .value = "JOB[,...]", .sentence = "all that is known about these jobs" },
	{ "-s", ARGUMENT_CALL, FIELD(states), .call = states_take, .value = "STATES",
	  .sentence = "p pending, h held, r running, s suspended, a all; letters together" },
	{ "-r", ARGUMENT_BITS, FIELD(show), .bits = SHOW_REQUESTS, .sentence = "with -xml: full name and requests of each job" },
	OPTION_FORMAT("-xml", offsetof(struct stat, format), stat_xml, "as qstat -xml"),
	OPTION_FORMAT("--json", offsetof(struct stat, format), stat_json, "everything, for programs"),
	{ .name = NULL },
};

static unsigned state_of(const struct fl_job *job)
{
	if (job->is_started)
		return strpbrk(job->state, "sST") ? STATE_SUSPENDED : STATE_RUNNING;
	return STATE_PENDING | (strchr(job->state, 'h') ? STATE_HELD : 0u);
}

static bool owner_matches(const struct stat *s, const char *owner)
{
	for (size_t k = 0; k < s->nusers; k++)
		if (!strcmp(s->users[k], owner) || wildcard_match(s->users[k], owner, 0))
			return true;
	return !s->nusers;
}

static bool is_meant(const struct stat *s, const struct fl_job *job)
{
	return (state_of(job) & s->states) && owner_matches(s, job->owner);
}

static void print_rows(struct out *o, struct stat *s, const struct fl_job *job, row_print *print, void *context)
{
	struct stat_parts parts;
	struct fl_job row;

	if (!stat_parts_find(&parts, job)) {
		if (is_meant(s, job))
			print(o, s, job, context);
		return;
	}
	for (unsigned part = 0; part < STAT_PARTS; part++)
		if (stat_part(&parts, job, part, &row) && is_meant(s, &row))
			print(o, s, &row, context);
	stat_parts_clear(&parts);
}

static void each_wanted(const struct fl_view *view, struct out *o, struct stat *s, enum fl_list list, row_print *print,
			void *context)
{
	struct fl_job job;

	for (size_t i = 0; i < s->njobs; i++) {
		struct wanted_job *wanted = &s->jobs[i];

		wanted->found = fl_find(view, wanted->number, 0, &job) == 0;
		for (size_t k = 0; !o->error && fl_find(view, wanted->number, k, &job) == 0; k++)
			if (job.is_started == (list == FL_STARTED))
				print_rows(o, s, &job, print, context);
	}
}

void stat_each(const struct fl_view *view, struct out *o, struct stat *s, enum fl_list list, row_print *print, void *context)
{
	size_t n = fl_count(view, list);
	struct fl_job job;

	if (s->njobs) {
		each_wanted(view, o, s, list, print, context);
		return;
	}
	for (size_t k = 0; k < n && !o->error; k++)
		if (fl_get(view, list, k, &job) == 0)
			print_rows(o, s, &job, print, context);
}

/* Cuts a list at its commas, in place; adds the pieces. */
static int users_take(void *stat, struct words *w)
{
	struct stat *s = stat;

	for (char *rest = (char *)w->value, *word; (word = strsep(&rest, ",")) != NULL;) {
		char **more = reallocarray(s->users, s->nusers + 1, sizeof(*more));

		if (!more)
			return cli_fail(EXIT_NO_DATA, "no memory");
		s->users = more;
		s->users[s->nusers++] = word;
	}
	return EXIT_OK;
}

static int jobs_take(void *stat, struct words *w)
{
	struct stat *s = stat;

	for (char *rest = (char *)w->value, *word; (word = strsep(&rest, ",")) != NULL;) {
		struct wanted_job *more = reallocarray(s->jobs, s->njobs + 1, sizeof(*more));
		unsigned long number;

		if (!more)
			return cli_fail(EXIT_NO_DATA, "no memory");
		s->jobs = more;
		if (options_number("stat: -j", word, 1, UINT32_MAX, &number))
			return EXIT_USAGE;
		s->jobs[s->njobs++] = (struct wanted_job){ .number = (uint32_t)number };
	}
	return EXIT_OK;
}

static int states_take(void *field, struct words *w)
{
	unsigned *states = field;

	*states = 0;
	for (const char *p = w->value; *p; p++)
		switch (*p) {
		case 'p': *states |= STATE_PENDING; break;
		case 'h': *states |= STATE_HELD; break;
		case 'r': *states |= STATE_RUNNING; break;
		case 's': *states |= STATE_SUSPENDED; break;
		case 'a': *states |= STATE_PENDING | STATE_RUNNING | STATE_SUSPENDED; break;
		default: return cli_fail(EXIT_USAGE, "stat: -s %s: the states are p h r s a", w->value);
		}
	return *states ? EXIT_OK : cli_fail(EXIT_USAGE, "stat: -s needs one or more of the letters p h r s a");
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
	if (xml && s->njobs)
		return cli_fail(EXIT_USAGE, "stat: -xml does not go with -j");
	if ((s->show & SHOW_REQUESTS) && !xml)
		return cli_fail(EXIT_USAGE, "stat: -r goes with -xml only");
	if ((s->show & ~(unsigned)SHOW_REQUESTS) != SHOW_EXTENDED)
		s->show |= SHOW_TIMES;
	if (s->njobs && !s->format.chosen)
		s->format.print = stat_job;
	return EXIT_OK;
}

static int report_missing(const struct stat *s)
{
	int code = EXIT_OK;

	for (size_t k = 0; k < s->njobs; k++)
		if (!s->jobs[k].found)
			code = cli_fail(EXIT_NO_DATA, "job %u does not exist", s->jobs[k].number);
	return code;
}

int stat_run(const char *cell, int argc, char **argv)
{
	static struct stat s = { .states = STATE_PENDING | STATE_RUNNING | STATE_SUSPENDED, .format.print = stat_table };
	int code = parse(&s, argc, argv);

	if (!code)
		code = section_run(cell, s.format.print, &s);
	if (!code)
		code = report_missing(&s);
	free(s.users);
	free(s.jobs);
	return code;
}
