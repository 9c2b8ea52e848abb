/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "sched/client/commands.h"
#include "sched/client/job.h"

struct alteration {
	struct job job;
	const struct caller *caller;
	char hold[4], release[4];	/* letters of hold kinds, "": none */
	const char *users;		/* NULL: not used */
	const char *check;		/* value of -w, NULL: not used */
	/* -w v, -w p: only ask whether the jobs could ever start after the change */
	bool asks;
	bool json;
	struct operand_list jobs;	/* jobs to alter */
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
	return !job_has_members(&alteration->job) && !job_has_execution(&alteration->job) &&
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
	return operands_take_all(messages, &alteration->jobs, "alter", argv + words.next, NULL, alteration->users);
}

/*
 * Replace the jobs by the numbers of those that were altered. The alteration may have changed their
 * names.
 */
static int altered_take(struct alteration *alteration, const struct reply *reply)
{
	int code = EXIT_OK;

	operands_clear(&alteration->jobs);
	for (size_t i = 0; !code && i < reply->n; i++)
		if (reply->items[i].job_number > 0 && reply->items[i].code == EXIT_OK &&
		    operands_add_job(&alteration->jobs, (uint32_t)reply->items[i].job_number, 0))
			code = message_no_memory(alteration->job.messages);
	return code;
}

static int greater(int a, int b)
{
	return a > b ? a : b;
}

/* Send a request, and print its results, or with --json keep them in `all`. */
static int send(struct connection *connection, const struct alteration *alteration,
		const struct scheduler_request *request, struct reply *all)
{
	const struct caller *caller = alteration->caller;
	struct reply reply = { .n = 0 };
	int code = alteration->json ? request_ask(connection, request, &reply, caller->messages)
				    : caller_ask(caller, connection, request, &(struct reply_format){ 0 }, &reply);

	code = greater(code, reply_code(&reply));
	if (reply_append(all, &reply))
		code = message_no_memory(caller->messages);
	reply_free(&reply);
	return code;
}

static int holds_send(struct connection *connection, const struct alteration *alteration,
		      enum scheduler_request_kind kind, const char *letters, struct reply *all)
{
	const struct scheduler_request request = { .kind = kind, .operands = &alteration->jobs, .holds = letters };

	return *letters && alteration->jobs.n > 0 ? send(connection, alteration, &request, all) : EXIT_OK;
}

static bool changes_members(const struct alteration *alteration)
{
	return job_has_members(&alteration->job) || job_has_execution(&alteration->job) ||
	       alteration->check;
}

/*
 * Send the changes of members before the changes of holds. If the user may not change a job, its
 * holds stay unchanged.
 */
static int changes_send(struct connection *connection, struct alteration *alteration, struct reply *all)
{
	const struct scheduler_request request = { .kind = REQUEST_ALTER,
						   .operands = &alteration->jobs,
						   .job = &alteration->job,
						   .check = alteration->check,
						   .verify = alteration->asks };
	int code = EXIT_OK;

	if (changes_members(alteration))
		code = send(connection, alteration, &request, all);
	if (alteration->asks)
		return code;
	if (all->n > 0)
		code = greater(code, altered_take(alteration, all));
	else if (code)
		return code;
	code = greater(code, holds_send(connection, alteration, REQUEST_RELEASE, alteration->release, all));
	return greater(code, holds_send(connection, alteration, REQUEST_HOLD, alteration->hold, all));
}

static int alteration_send(struct alteration *alteration)
{
	const struct caller *caller = alteration->caller;
	struct connection connection;
	struct reply all = { .n = 0 };
	int code;

	messages_flush(caller->messages);
	code = connection_open(&connection, caller->cell, caller->messages);
	if (!code)
		code = changes_send(&connection, alteration, &all);
	if (alteration->json && all.n > 0)
		caller->print(caller, &all, &(struct reply_format){ .json = true });
	connection_close(&connection);
	reply_free(&all);
	return code;
}

int alter_ask(const struct caller *caller, int argc, char **argv)
{
	struct messages *messages = caller->messages;
	struct alteration alteration = { .job = { .verb = "alter", .alters = true, .messages = messages },
					 .caller = caller };
	int code = parse(messages, &alteration, argc, argv);

	if (!code)
		code = alteration_send(&alteration);
	operands_clear(&alteration.jobs);
	job_close(&alteration.job);
	return code;
}
