/* SPDX-License-Identifier: Apache-2.0 */
/* Advance reservations of the local cell: made like with qrsub(1), deleted like with qrdel(1). */
#include "sched/cli/jobs/reserve.h"

#include <string.h>
#include <time.h>

#include "conf/amount.h"
#include "sched/cli/jobs/ask.h"
#include "sched/cli/verbs.h"
#include "sched/client/job.h"

struct reservation_wish {
	struct job job;			/* only its members are used */
	bool verify, terse;
};

#define FIELD(name) .field = offsetof(struct reservation_wish, name)

static int duration_take(void *job, struct words *words);
static int validation_take(void *verify, struct words *words);
static int users_take(void *users, struct words *words);

#define SUB_ROWS \
	{ "-a", ARGUMENT_CALL, .call = job_take_date, .detail = "start_time", .value = "DATE", \
	  .sentence = "sub: begin at this time, 2026-12-01T10:00 or MMDDhhmm (default: now)" }, \
	{ "-A", ARGUMENT_CALL, .call = job_take_text, .detail = "account", .value = "ACCOUNT", \
	  .sentence = "sub: set the account" }, \
	{ "-ckpt", ARGUMENT_CALL, .call = job_take_text, .detail = "checkpoint", .value = "NAME", \
	  .sentence = "sub: use queues with this checkpointing environment" }, \
	{ "-d", ARGUMENT_CALL, .call = duration_take, .detail = "duration", .value = "TIME", \
	  .sentence = "sub: last this long: 8:0:0, 8h or seconds" }, \
	{ "-e", ARGUMENT_CALL, .call = job_take_date, .detail = "end_time", .value = "DATE", \
	  .sentence = "sub: end at this time" }, \
	{ "-he", ARGUMENT_CALL, .call = job_take_bool, .detail = "hard_error", .value = "y|n", \
	  .sentence = "sub: y: start no job in it while it is in error" }, \
	{ "-l", ARGUMENT_CALL, .call = job_take_resources, .value = "NAME[=VALUE][,...]", \
	  .sentence = "sub: reserve these resources for each slot" }, \
	{ "-masterq", ARGUMENT_CALL, .call = job_take_queues, .detail = "master_queue_list", .value = "QUEUE[,...]", \
	  .sentence = "sub: run master tasks in these queues" }, \
	{ "-N", ARGUMENT_CALL, .call = job_take_name, .detail = "name", .value = "NAME", \
	  .sentence = "sub: set the name" }, \
	{ "-now", ARGUMENT_CALL, .call = job_take_bool, .detail = "now", .value = "y|n", \
	  .sentence = "sub: y: use queues of type INTERACTIVE" }, \
	{ "-pe", ARGUMENT_CALL, .call = job_take_pe, .detail = "pe", .value = "NAME N[-M][,...]", \
	  .sentence = "sub: reserve slots of a parallel environment" }, \
	{ "-q", ARGUMENT_CALL, .call = job_take_queues, .value = "QUEUE[,...]", .sentence = "sub: use these queues" }, \
	{ "-terse", ARGUMENT_FLAG, FIELD(terse), .sentence = "sub: print only its number" }, \
	{ "-u", ARGUMENT_CALL, .call = job_take_text, .detail = "access_list", .value = "USER|@USERSET[,...]", \
	  .sentence = "sub: allow these users to use it (default: its owner)" }, \
	{ "-w", ARGUMENT_CALL, FIELD(verify), .call = validation_take, .value = "e|v", .sentence = "sub: v: check only whether it is possible" }

#define DEL_ROWS { "-u", ARGUMENT_CALL, .call = users_take, .value = "USER[,...]", .sentence = "del: delete the reservations of these users: all, or the named ones" }

/* Options of all forms, for the help. */
const struct argument reserve_options[] = { SUB_ROWS, RESERVE_STAT_ROWS, DEL_ROWS, { .name = NULL } };
const struct argument reserve_sub_options[] = { SUB_ROWS, { .name = NULL } };
const struct argument reserve_stat_options[] = { RESERVE_STAT_ROWS, { .name = NULL } };
const struct argument reserve_del_options[] = { DEL_ROWS, { .name = NULL } };

/* reserve sub */

static int duration_take(void *wish, struct words *words)
{
	struct job *job = wish;
	uint32_t seconds;

	if (amount_time(words->value, &seconds) || seconds == 0 || seconds == UINT32_MAX)
		return job_wrong(job, words->row->name, words->value, AMOUNT_TIME_DUE);
	return json_object_set_new(job->members, words->row->detail, json_integer(seconds))
		       ? message_no_memory(job->messages)
		       : EXIT_OK;
}

static int validation_take(void *verify, struct words *words)
{
	if (strcmp(words->value, "e") && strcmp(words->value, "v"))
		return message_add(words->messages, EXIT_USAGE, "reserve sub", "-w: \"%.100s\": e or v is expected",
				   words->value);
	*(bool *)verify = *words->value == 'v';
	return EXIT_OK;
}

static int wish_send(const struct reservation_wish *wish, const char *cell)
{
	const struct scheduler_request request = {
		.kind = REQUEST_RESERVE, .job = &wish->job, .verify = wish->verify
	};

	return ask_cell(cell, &request, &(const struct ask_format){ .terse = wish->terse }, wish->job.messages);
}

static int sub_run(const char *cell, struct words *words)
{
	struct messages *messages = words->messages;
	struct reservation_wish wish = { .job = { .verb = "reserve sub", .messages = messages } };
	int code = job_open(&wish.job);

	if (!code)
		code = options_read(words, &wish);
	if (!code && words->next < words->argc)
		code = message_add(messages, EXIT_USAGE, "reserve sub", "unexpected word %s", words->argv[words->next]);
	if (!code && json_object_get(wish.job.members, "master_queue_list") && !json_object_get(wish.job.members, "pe"))
		code = message_add(messages, EXIT_USAGE, "reserve sub", "-masterq can only be used with -pe");
	if (!code && !json_object_get(wish.job.members, "end_time") && !json_object_get(wish.job.members, "duration"))
		code = message_add(messages, EXIT_USAGE, "reserve sub",
				   "-e, the end time, or -d, the duration, is missing");
	if (!code)
		code = wish_send(&wish, cell);
	job_close(&wish.job);
	return code;
}

/* reserve del */

static int users_take(void *users, struct words *words)
{
	return names_add(words->messages, users, "reserve del", "-u", (char *)words->value);
}

static int words_add(struct operand_list *list, const struct words *words, const char *user)
{
	struct messages *messages = words->messages;
	int code = words->next < words->argc ? EXIT_OK : operands_add(messages, list, "reserve del", "*", user);

	for (int k = words->next; !code && k < words->argc; k++)
		code = operands_add(messages, list, "reserve del", words->argv[k], user);
	return code;
}

static int del_form_run(const char *cell, struct words *words)
{
	struct names users = { 0 };
	struct messages *messages = words->messages;
	struct operand_list list = { .n = 0 };
	int code = options_read(words, &users);

	if (!code && words->next == words->argc && users.n == 0)
		code = message_add(messages, EXIT_USAGE, "reserve del", "name a reservation");
	if (!code && users.n == 0)
		code = words_add(&list, words, NULL);
	for (size_t i = 0; !code && i < users.n; i++)
		code = words_add(&list, words, users.items[i]);
	if (!code)
		code = ask_cell(cell,
				&(const struct scheduler_request){ .kind = REQUEST_UNRESERVE, .operands = &list },
				&(const struct ask_format){ .json = false }, messages);
	operands_clear(&list);
	names_free(&users);
	return code;
}

/* Choice of the form */

static int stat_form_run(const char *cell, struct words *words)
{
	return reserve_stat_show(words->messages, cell, words->argc, words->argv);
}

static int show(struct messages *messages, const char *cell, int argc, char **argv)
{
	static const struct form {
		const char *name, *verb;
		const struct argument *options;
		int (*run)(const char *cell, struct words *words);
	} forms[] = {
		{ "sub", "reserve sub", reserve_sub_options, sub_run },
		{ "stat", "reserve stat", reserve_stat_options, stat_form_run },
		{ "list", "reserve list", reserve_stat_options, stat_form_run },
		{ "del", "reserve del", reserve_del_options, del_form_run },
	};

	/* without a form, reservations are listed */
	if (argc == 1 || *argv[1] == '-')
		return reserve_stat_show(messages, cell, argc, argv);
	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++)
		if (strcmp(argv[1], forms[i].name) == 0) {
			struct words words = {
				.table = forms[i].options, .argc = argc - 1, .argv = argv + 1, .next = 1,
				.messages = messages
			};

			argv[1] = (char *)forms[i].verb;	/* prefix of messages */
			return forms[i].run(cell, &words);
		}
	return message_add(messages, EXIT_USAGE, "reserve", "sub, stat, list or del is expected, not %s", argv[1]);
}

int reserve_run(const char *cell, int argc, char **argv)
{
	return verb_print(show, cell, argc, argv);
}
