/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/compat/compat.h"

#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct foreign qstat_foreign[] = {
	{ "-cb", NULL, "a local cell binds no jobs to cores" },
	{ "-ncb", NULL, "a local cell binds no jobs to cores" },
	{ .name = NULL },
};

/* Jobs that do not exist are told of together, and behind the others. */
struct missing {
	char *names;		/* "98, 99"; NULL: none */
	bool xml;
	FILE *text;
	size_t length;
};

/* "job 98 does not exist" */
static bool missing_take(void *context, const char *text)
{
	static const char behind[] = " does not exist";
	size_t length = strlen(text), end = sizeof(behind) - 1;
	struct missing *m = context;

	if (strncmp(text, "job ", 4) || length < 4 + end || strcmp(text + length - end, behind))
		return false;
	if (m->xml)
		fprintf(m->text, "    <ST_name>%.*s</ST_name>\n", (int)(length - 4 - end), text + 4);
	else
		fprintf(m->text, "%s%.*s", ftell(m->text) > 0 ? ", " : "", (int)(length - 4 - end), text + 4);
	return true;
}

static void missing_print(const struct missing *m)
{
	fflush(stdout);
	if (!m->length)
		return;
	if (m->xml)
		printf("<?xml version='1.0'?>\n<unknown_jobs >\n%s</unknown_jobs>\n", m->names);
	else
		fprintf(stderr, "Following jobs do not exist: \n%s\n", m->names);
}

/* Without -u and -j one sees one's own jobs. */
static void own_add(struct call *call)
{
	const struct passwd *me = getpwuid(geteuid());

	call_add(call, "-u");
	call_add(call, me ? me->pw_name : "*");
}

/* 0, or 1 after a message. What stands behind a -j is the verb's. */
static int words_take(struct word_walk *w, struct call *call, bool *xml)
{
	bool users = false, jobs = false;
	enum walk_what what;

	/* on a terminal, too */
	call_add(call, "--plain");
	call_add(call, "--color");
	call_add(call, "never");
	while ((what = walk_next(w)) == WALK_OPTION || what == WALK_OPERAND) {
		users = users || !strcmp(*w->words, "-u");
		jobs = jobs || !strcmp(*w->words, "-j");
		*xml = *xml || !strcmp(*w->words, "-xml");
		call_add_all(call, w->words, w->n);
	}
	if (!users && !jobs)
		own_add(call);
	return what == WALK_WRONG;
}

int qstat_run(const struct client_program *p, const char *cell, int argc, char **argv)
{
	struct word_walk w = { .program = p, .argc = argc, .argv = argv, .next = 1 };
	struct missing missing = { .names = NULL };
	struct voice voice = { .program = p->name, .verb = "stat", .refusals = stderr, .before = "error: ", .takes = missing_take, .context = &missing };
	struct call call;
	int code = 1;

	missing.text = open_memstream(&missing.names, &missing.length);
	if (call_open(&call, "stat", argc) || !missing.text)
		program_fail(p->name, "no memory", NULL);
	else if (!words_take(&w, &call, &missing.xml))
		code = call_run(&call, stat_run, cell, &voice) && !(missing.xml && voice.failures == 0) ? 1 : 0;
	if (missing.text && fclose(missing.text) == 0)
		missing_print(&missing);
	free(missing.names);
	call_close(&call);
	return code;
}
