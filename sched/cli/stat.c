/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/stat.h"

#include <stdlib.h>
#include <string.h>

#include "conf/wildcard.h"

enum { OPT_PRI, OPT_URG, OPT_EXT, OPT_USER, OPT_JOB, OPT_STATE, OPT_REQUESTS, OPT_XML, OPT_JSON };

const struct option stat_options[] = {
	[OPT_PRI] = { "-pri", NULL, "nurg, npprior, ntckts and ppri" },
	[OPT_URG] = { "-urg", NULL, "nurg, urg, rrcontr, wtcontr, dlcontr and the deadline" },
	[OPT_EXT] = { "-ext", NULL, "ntckts, project, department, usage, tickets and share" },
	[OPT_USER] = { "-u", "USER[,...]", "jobs of these owners only; patterns with * and ?" },
	[OPT_JOB] = { "-j", "JOB[,...]", "all that is known about these jobs" },
	[OPT_STATE] = { "-s", "STATES", "p pending, h held, r running, s suspended, a all; letters together" },
	[OPT_REQUESTS] = { "-r", NULL, "with -xml: full name and requests of each job" },
	[OPT_XML] = { "-xml", NULL, "as qstat -xml" },
	[OPT_JSON] = { "--json", NULL, "everything, for programs" },
	{ NULL, NULL, NULL },
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

static void each_wanted(const struct fl_view *view, struct out *o, struct stat *s, enum fl_list list, row_print *print,
			void *context)
{
	struct fl_job job;

	for (size_t i = 0; i < s->njobs; i++) {
		struct wanted_job *wanted = &s->jobs[i];

		wanted->found = fl_find(view, wanted->number, 0, &job) == 0;
		for (size_t k = 0; !o->error && fl_find(view, wanted->number, k, &job) == 0; k++)
			if (job.is_started == (list == FL_STARTED) && is_meant(s, &job))
				print(o, s, &job, context);
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
		if (fl_get(view, list, k, &job) == 0 && is_meant(s, &job))
			print(o, s, &job, context);
}

/* Cuts a list at its commas, in place; adds the pieces. */
static int add_users(struct stat *s, char *list)
{
	for (char *rest = list, *word; (word = strsep(&rest, ",")) != NULL;) {
		char **more = reallocarray(s->users, s->nusers + 1, sizeof(*more));

		if (!more)
			return cli_fail(EXIT_NO_DATA, "no memory");
		s->users = more;
		s->users[s->nusers++] = word;
	}
	return EXIT_OK;
}

static int add_jobs(struct stat *s, char *list)
{
	for (char *rest = list, *word; (word = strsep(&rest, ",")) != NULL;) {
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

static int set_states(struct stat *s, const char *letters)
{
	s->states = 0;
	for (const char *p = letters; *p; p++)
		switch (*p) {
		case 'p': s->states |= STATE_PENDING; break;
		case 'h': s->states |= STATE_HELD; break;
		case 'r': s->states |= STATE_RUNNING; break;
		case 's': s->states |= STATE_SUSPENDED; break;
		case 'a': s->states |= STATE_PENDING | STATE_RUNNING | STATE_SUSPENDED; break;
		default: return cli_fail(EXIT_USAGE, "stat: -s %s: the states are p h r s a", letters);
		}
	return s->states ? EXIT_OK : cli_fail(EXIT_USAGE, "stat: -s needs one or more of the letters p h r s a");
}

static int parse(struct stat *s, section_print **print, int argc, char **argv)
{
	struct options o = { .table = stat_options, .argc = argc, .argv = argv, .next = 1 };
	bool xml = false, json = false;
	int bad = EXIT_OK;

	for (int k; !bad && (k = options_next(&o)) != OPTIONS_END;)
		switch (k) {
		case OPT_PRI: s->show |= SHOW_PRIORITY; break;
		case OPT_URG: s->show |= SHOW_URGENCY; break;
		case OPT_EXT: s->show |= SHOW_EXTENDED; break;
		case OPT_USER: bad = add_users(s, (char *)o.value); break;
		case OPT_JOB: bad = add_jobs(s, (char *)o.value); break;
		case OPT_STATE: bad = set_states(s, o.value); break;
		case OPT_REQUESTS: s->show |= SHOW_REQUESTS; break;
		case OPT_XML: xml = true; break;
		case OPT_JSON: json = true; break;
		case OPTIONS_BAD: bad = EXIT_USAGE; break;
		}
	if (bad)
		return bad;
	if (o.next < argc)
		return cli_fail(EXIT_USAGE, "stat: unexpected word %s", argv[o.next]);
	if ((xml && json) || (xml && s->njobs))
		return cli_fail(EXIT_USAGE, "stat: -xml goes neither with --json nor with -j");
	if ((s->show & SHOW_REQUESTS) && !xml)
		return cli_fail(EXIT_USAGE, "stat: -r goes with -xml only");
	s->show |= (s->show & ~(unsigned)SHOW_REQUESTS) == SHOW_EXTENDED ? 0u : SHOW_TIMES;
	*print = xml ? stat_xml : json ? stat_json : s->njobs ? stat_job : stat_table;
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
	static struct stat s = { .states = STATE_PENDING | STATE_RUNNING | STATE_SUSPENDED };
	section_print *print = stat_table;
	int code = parse(&s, &print, argc, argv);

	if (!code)
		code = section_run(cell, print, &s);
	if (!code)
		code = report_missing(&s);
	free(s.users);
	free(s.jobs);
	return code;
}
