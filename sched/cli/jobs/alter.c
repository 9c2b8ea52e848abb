/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "sched/cli/jobs/job.h"
#include "sched/cli/jobs/operands.h"
#include "sched/cli/server.h"
#include "sched/cli/verbs.h"

struct alteration {
	struct job job;
	char hold[4], release[4];	/* letters of hold kinds, "": none */
	const char *users;		/* NULL: not used */
	const char *check;		/* value of -w, NULL: not used */
	/* -w v, -w p: only ask whether the jobs could ever start after the change */
	bool asks;
	bool json;
	json_t *jobs;			/* jobs to alter */
};

#define FIELD(name) .field = offsetof(struct alteration, name)

static int holds_take(void *alteration, struct words *words);
static int check_take(void *alteration, struct words *words);
static int idle_take(void *alteration, struct words *words);

const struct argument alter_options[] = {
	JOB_OPTION_ROWS,
	JOB_CONDOR_ROWS,
	{ "-h", ARGUMENT_CALL, .call = holds_take, .value = "u|o|s|n|U|O|S",
	  .sentence = "u, o, s: place these holds; U, O, S: release these; n: release all" },
	{ "-binding", ARGUMENT_CALL, .call = idle_take, .value = "[env|pe|set] HOW", .detail = "a local cell binds no jobs to cores",
	  .sentence = "accepted and ignored: a local cell binds no jobs to cores" },
	{ "-ot", ARGUMENT_CALL, .call = job_take_count, .detail = "override_tickets", .value = "N",
	  .sentence = "set the override tickets" },
	{ "-u", ARGUMENT_TEXT, FIELD(users), .value = "USER[,...]",
	  .sentence = "change the jobs of these users: all, or the named ones" },
	{ "-w", ARGUMENT_CALL, .call = check_take, .value = "e|w|n|p|v",
	  .sentence = "if it can never start then: e do not change it, w warn, n change it; p, v: check only" },
	{ "--json", ARGUMENT_FLAG, FIELD(json), .sentence = "print the result for each job as JSON" },
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

static int check_take(void *alteration, struct words *words)
{
	struct alteration *a = alteration;

	a->check = words->value;
	a->asks = *words->value == 'p' || *words->value == 'v';
	return job_check_letter(&a->job, words->value);
}

static int idle_take(void *alteration, struct words *words)
{
	(void)alteration;
	job_skip_binding(words);
	message_add(words->messages, EXIT_OK, "alter", "%s has no effect: %s", words->row->name,
		    (const char *)words->row->detail);
	return EXIT_OK;
}

static int holds_take(void *alteration, struct words *words)
{
	struct alteration *a = alteration;

	for (const char *p = words->value; *p; p++)
		switch (*p) {
		case 'u': case 'o': case 's': letter_add(a->hold, *p); break;
		case 'U': letter_add(a->release, 'u'); break;
		case 'O': letter_add(a->release, 'o'); break;
		case 'S': letter_add(a->release, 's'); break;
		case 'n': strcpy(a->release, "uos"); break;
		case ',': break;
		default: return job_wrong(&a->job, "-h", words->value, "letters of u o s n U O S are expected");
		}
	return *a->hold || *a->release
		       ? EXIT_OK
		       : job_wrong(&a->job, "-h", words->value, "letters of u o s n U O S are expected");
}

static bool is_empty(const struct alteration *alteration)
{
	return !json_object_size(alteration->job.members) && !json_object_size(alteration->job.execution) &&
	       !*alteration->hold && !*alteration->release && !alteration->check;
}

static int parse(struct messages *messages, struct alteration *alteration, int argc, char **argv)
{
	struct words words = { .table = alter_options, .argc = argc, .argv = argv, .next = 1, .messages = messages };
	int code = options_read(&words, alteration);

	if (!code)
		code = job_finish(&alteration->job);
	if (code)
		return code;
	if (words.next == argc && !alteration->users)
		return message_add(messages, EXIT_USAGE, "alter", "name a job");
	if (is_empty(alteration))
		return message_add(messages, EXIT_USAGE, "alter", "no change is requested; see fairlead alter --help");
	return operands_take_all(messages, alteration->jobs, "alter", argv + words.next, NULL, alteration->users);
}

/*
 * Replace the jobs by the numbers of those that were altered. The alteration may have changed their
 * names.
 */
static int altered_take(struct messages *messages, json_t *jobs, const json_t *results)
{
	const json_t *result;
	size_t i;

	json_array_clear(jobs);
	json_array_foreach(results, i, result) {
		json_int_t number = json_integer_value(json_object_get(result, "job_number"));

		if (number > 0 && json_integer_value(json_object_get(result, "code")) == 0 &&
		    json_array_append_new(jobs, json_pack("{s:o}", "job", json_sprintf("%lld", (long long)number))))
			return message_no_memory(messages);
	}
	return EXIT_OK;
}

static int greater(int a, int b)
{
	return a > b ? a : b;
}

static int holds_send(struct server *server, const char *request, const char *letters, json_t *jobs)
{
	return *letters && json_array_size(jobs) > 0
		       ? server_ask(server,
				    json_pack("{s:s,s:O,s:s}", "request", request, "jobs", jobs, "kind", letters),
				    false)
		       : EXIT_OK;
}

/*
 * Send the changes of members before the changes of holds. If the user may not change a job, its
 * holds stay unchanged.
 */
static int alteration_send(struct server *server, const struct alteration *alteration)
{
	int code = EXIT_OK;

	server->gathers = true;
	server->json = alteration->json;
	if (json_object_size(alteration->job.members) || json_object_size(alteration->job.execution) ||
	    alteration->check)
		code = server_ask(
			server,
			json_pack("{s:s,s:O,s:O,s:O*,s:o*,s:s*}", "request", "alter", "jobs", alteration->jobs, "job",
				  alteration->job.members, "execution",
				  json_object_size(alteration->job.execution) ? alteration->job.execution : NULL,
				  "verify", alteration->asks ? json_true() : NULL, "check", alteration->check),
			false);
	if (alteration->asks)
		return code;
	if (server->gathered)
		code = greater(code, altered_take(alteration->job.messages, alteration->jobs, server->gathered));
	else if (code)
		return code;
	code = greater(code, holds_send(server, "release", alteration->release, alteration->jobs));
	code = greater(code, holds_send(server, "hold", alteration->hold, alteration->jobs));
	return server_gathered(server, code);
}

static int show(struct messages *messages, const char *cell, int argc, char **argv)
{
	struct alteration alteration = { .job = { .verb = "alter", .alters = true, .messages = messages } };
	struct server server = { .fd = -1 };
	int code = job_open(&alteration.job);

	alteration.jobs = json_array();
	if (!code)
		code = parse(messages, &alteration, argc, argv);
	cli_print(messages);
	if (!code)
		code = server_open(&server, cell);
	if (!code)
		code = alteration_send(&server, &alteration);
	server_close(&server);
	json_decref(alteration.jobs);
	job_close(&alteration.job);
	return code;
}

int alter_run(const char *cell, int argc, char **argv)
{
	return verb_print(show, cell, argc, argv);
}
