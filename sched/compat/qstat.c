/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/compat/compat.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const struct foreign qstat_foreign[] = {
	{ "-cb", NULL, "a local cell binds no jobs to cores" },
	{ "-ncb", NULL, "a local cell binds no jobs to cores" },
	{ .name = NULL },
};

/* Jobs that do not exist are told of together, and behind the others. */
struct missing {
	char *names;		/* "98, 99" */
	unsigned n;
	bool xml;
	bool others;		/* jobs that do exist were named, too */
	FILE *text;		/* writes the names */
	size_t length;
};

static void missing_add(struct missing *m, const char *name, size_t length)
{
	fprintf(m->text, "%s%.*s", m->n++ ? ", " : "", (int)length, name);
}

/* "job 98 does not exist" */
static bool missing_take(void *context, const char *text)
{
	static const char behind[] = " does not exist";
	size_t length = strlen(text), end = sizeof(behind) - 1;

	if (strncmp(text, "job ", 4) || length < 4 + end || strcmp(text + length - end, behind))
		return false;
	missing_add(context, text + 4, length - 4 - end);
	return true;
}

static void missing_print(const struct missing *m)
{
	fflush(stdout);
	if (m->n && !m->xml)
		fprintf(stderr, "Following jobs do not exist: \n%s\n", m->names);
	if (!m->n || !m->xml)
		return;
	printf("<?xml version='1.0'?>\n<unknown_jobs >\n");
	for (const char *name = m->names; *name;) {
		size_t length = strcspn(name, ",");

		printf("    <ST_name>%.*s</ST_name>\n", (int)length, name);
		name += length;
		name += strspn(name, ", ");
	}
	printf("</unknown_jobs>\n");
}

/*
 * Whether there is such a job now. Names and patterns are the verb's, as are troubles with the
 * cell.
 */
static bool job_is_there(struct fl_cell *reader, const char *word)
{
	struct fl_job job;
	bool there;

	if (!reader || !*word || word[strspn(word, "0123456789")])
		return true;
	do
		there = fl_find(fl_begin(reader), (uint32_t)strtoul(word, NULL, 10), 0, &job) == 0;
	while (fl_end(reader) == -ESTALE);
	return there;
}

/*
 * Of a job that has ended the verb tells how; Grid Engine, and scripts that wait for it, know it
 * no more. "-j" and the words of its list that are left into the call.
 */
static int jobs_take(struct call *call, const char *cell, const char *list, struct missing *m)
{
	struct fl_cell *reader = NULL;
	char *copy = strdup(list), *rest = copy, *word;
	bool any = false;

	if (!copy)
		return -ENOMEM;
	if (fl_attach(&reader, cell))
		reader = NULL;
	while ((word = strsep(&rest, ",")) != NULL)
		if (!job_is_there(reader, word)) {
			missing_add(m, word, strlen(word));
		} else if (any) {
			call_extend(call, ",");
			call_extend(call, word);
		} else {
			call_add(call, "-j");
			call_add(call, word);
			any = true;
		}
	if (reader)
		fl_detach(reader);
	free(copy);
	m->others = m->others || any;
	return 0;
}

/* 0, or 1 after a message. What stands behind a -j may be there or not. */
static int words_take(struct word_walk *w, struct call *call, const char *cell, struct missing *m)
{
	bool users = false, jobs = false, named = true;
	enum walk_what what;

	/* on a terminal, too */
	call_add(call, "--plain");
	call_add(call, "--color");
	call_add(call, "never");
	while ((what = walk_next(w)) == WALK_OPTION || what == WALK_OPERAND) {
		bool is_jobs = what == WALK_OPTION && !strcmp(*w->words, "-j");

		users = users || !strcmp(*w->words, "-u");
		m->xml = m->xml || !strcmp(*w->words, "-xml");
		if (is_jobs ? w->n > 1 : !named && what == WALK_OPERAND) {
			call->failed |= jobs_take(call, cell, w->words[w->n - 1], m) != 0;
			named = true;
		} else if (!is_jobs) {
			call_add_all(call, w->words, w->n);
		} else {
			named = false;
		}
		jobs = jobs || is_jobs;
	}
	if (!named)
		call_add(call, "-j");
	if (m->others && !m->xml)
		call_add(call, "--qstat");
	if (!users && !jobs)
		call_add_caller(call);
	return what == WALK_WRONG;
}

int qstat_run(const struct client_program *p, const char *cell, int argc, char **argv)
{
	struct word_walk w = { .program = p, .argc = argc, .argv = argv, .next = 1 };
	struct missing missing = { .names = NULL };
	struct voice voice = { .program = p->name, .verb = "stat", .refusals = stderr, .before = "error: ", .takes = missing_take, .context = &missing };
	struct call call = { .words = NULL };
	int code = 1;

	if (queues_are_meant(argc, argv))
		return qstat_queues_run(p, cell, argc, argv);
	missing.text = open_memstream(&missing.names, &missing.length);
	if (!missing.text || call_open(&call, "stat", argc))
		program_fail(p->name, "no memory", NULL);
	else if (!words_take(&w, &call, cell, &missing))
		code = missing.n && !missing.others ? 0 : call_run(&call, stat_run, cell, &voice);
	if (missing.text && fclose(missing.text) == 0)
		missing_print(&missing);
	free(missing.names);
	call_close(&call);
	return code || (missing.n && !missing.xml) ? 1 : 0;
}
