/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "sched/cli/job.h"
#include "sched/cli/operands.h"
#include "sched/cli/server.h"
#include "sched/cli/verbs.h"

struct alteration {
	struct job job;
	char hold[4], release[4];	/* letters, "": none */
	char **operands;
};

static int holds_take(void *alteration, struct words *w);

const struct argument alter_options[] = {
	JOB_OPTION_ROWS,
	JOB_CONDOR_ROWS,
	{ "-h", ARGUMENT_CALL, .call = holds_take, .value = "u|o|s|n|U|O|S", .sentence = "place holds, n: release all, U O S: release these" },
	{ "-ot", ARGUMENT_CALL, .call = job_take_count, .detail = "override_tickets", .value = "N", .sentence = "override tickets" },
	{ .name = NULL },
};

static void letter_add(char letters[4], char letter)
{
	if (!strchr(letters, letter)) {
		size_t n = strlen(letters);

		letters[n] = letter;
		letters[n + 1] = '\0';
	}
}

static int holds_take(void *alteration, struct words *w)
{
	struct alteration *a = alteration;

	for (const char *p = w->value; *p; p++)
		switch (*p) {
		case 'u': case 'o': case 's': letter_add(a->hold, *p); break;
		case 'U': letter_add(a->release, 'u'); break;
		case 'O': letter_add(a->release, 'o'); break;
		case 'S': letter_add(a->release, 's'); break;
		case 'n': strcpy(a->release, "uos"); break;
		case ',': break;
		default: return job_wrong(&a->job, "-h", w->value, "letters of u o s n U O S are expected");
		}
	return *a->hold || *a->release ? EXIT_OK : job_wrong(&a->job, "-h", w->value, "letters of u o s n U O S are expected");
}

static bool is_empty(const struct alteration *a)
{
	return !json_object_size(a->job.members) && !json_object_size(a->job.execution) && !*a->hold && !*a->release;
}

static int parse(struct alteration *a, int argc, char **argv)
{
	struct words words = { .table = alter_options, .argc = argc, .argv = argv, .next = 1 };
	int code = options_take(&words, a);

	if (!code)
		code = job_finish(&a->job);
	if (code)
		return code;
	if (words.next == argc)
		return cli_fail(EXIT_USAGE, "alter: which job?");
	if (is_empty(a))
		return cli_fail(EXIT_USAGE, "alter: nothing is to be changed; see fairlead alter --help");
	a->operands = argv + words.next;
	return EXIT_OK;
}

static int greater(int a, int b)
{
	return a > b ? a : b;
}

static int holds_send(struct server *s, const char *request, const char *letters, json_int_t number)
{
	json_t *entry;

	if (!*letters)
		return EXIT_OK;
	entry = json_pack("{s:o}", "job", json_sprintf("%lld", (long long)number));
	return server_ask(s, json_pack("{s:s,s:[o],s:s}", "request", request, "jobs", entry, "kind", letters), false);
}

/* Members first: who may not change them is told before the holds are touched. */
static int job_send(struct server *s, const struct alteration *a, json_int_t number)
{
	json_t *members = json_pack("{s:I}", "job_number", number);
	json_t *request = json_pack("{s:s,s:o}", "request", "alter", "job", members);
	int code = EXIT_OK;

	json_object_update(members, a->job.members);
	if (json_object_size(a->job.execution))
		json_object_set(request, "execution", a->job.execution);
	if (json_object_size(a->job.members) || json_object_size(a->job.execution))
		code = server_ask(s, request, false);
	else
		json_decref(request);
	if (!code)
		code = holds_send(s, "release", a->release, number);
	return code ? code : holds_send(s, "hold", a->hold, number);
}

/*
 * Looks at all numbers before the first one is sent: half of what was typed is rarely what was
 * meant.
 */
static int alteration_send(const struct alteration *a, struct server *s, bool send)
{
	int code = EXIT_OK;

	for (char **operand = a->operands; *operand; operand++) {
		char *copy = strdup(*operand), *rest = copy, *word;

		if (!copy)
			return cli_fail(EXIT_NO_DATA, "no memory");
		while ((word = strsep(&rest, ",")) != NULL) {
			json_int_t number = operands_number("alter", word);

			code = greater(code, !number ? EXIT_USAGE : send ? job_send(s, a, number) : EXIT_OK);
		}
		free(copy);
	}
	return code;
}

int alter_run(const char *cell, int argc, char **argv)
{
	struct alteration a = { .job = { .verb = "alter", .alters = true } };
	struct server server = { .fd = -1 };
	int code = job_open(&a.job);

	if (!code)
		code = parse(&a, argc, argv);
	if (!code)
		code = alteration_send(&a, &server, false);
	if (!code)
		code = server_open(&server, cell);
	if (!code)
		code = alteration_send(&a, &server, true);
	server_close(&server);
	job_close(&a.job);
	return code;
}
