/* SPDX-License-Identifier: Apache-2.0 */
/* Advance reservations of the local cell: made like with qrsub(1), deleted like with qrdel(1). */
#include <string.h>
#include <time.h>

#include "conf/amount.h"
#include "sched/client/commands.h"
#include "sched/client/job_inside.h"
#include "sched/client/reserve.h"
#include "sched/process/names.h"

const struct argument reserve_sub_options[] = { RESERVE_SUB_ROWS, { .name = NULL } };
const struct argument reserve_del_options[] = { RESERVE_DEL_ROWS, { .name = NULL } };

/* reserve sub */

int reserve_take_duration(void *wish, struct words *words)
{
	struct job *job = wish;
	uint32_t seconds;

	if (amount_time(words->value, &seconds) || seconds == 0 || seconds == UINT32_MAX)
		return job_wrong(job, words->row->name, words->value, AMOUNT_TIME_DUE);
	return job_put_number(job, words->row->detail, seconds);
}

int reserve_take_validation(void *verify, struct words *words)
{
	if (strcmp(words->value, "e") && strcmp(words->value, "v"))
		return message_add(words->messages, EXIT_USAGE, "reserve sub", "-w: \"%.100s\": e or v is expected",
				   words->value);
	*(bool *)verify = *words->value == 'v';
	return EXIT_OK;
}

static int wish_send(const struct caller *caller, const struct reservation_wish *wish)
{
	const struct scheduler_request request = {
		.kind = REQUEST_RESERVE, .job = &wish->job, .verify = wish->verify
	};

	return caller_ask_cell(caller, &request, &(const struct reply_format){ .terse = wish->terse });
}

int reserve_sub_ask(const struct caller *caller, int argc, char **argv)
{
	struct messages *messages = caller->messages;
	struct words words = { .table = reserve_sub_options, .argc = argc, .argv = argv, .next = 1,
			       .messages = messages };
	struct reservation_wish wish = { .job = { .verb = "reserve sub", .messages = messages } };
	int code = options_read(&words, &wish);

	if (!code && words.next < words.argc)
		code = message_add(messages, EXIT_USAGE, "reserve sub", "unexpected word %s", words.argv[words.next]);
	if (!code && job_request_has(&wish.job.request, "master_queue_list") &&
	    !job_request_has(&wish.job.request, "pe"))
		code = message_add(messages, EXIT_USAGE, "reserve sub", "-masterq can only be used with -pe");
	if (!code && !job_request_has(&wish.job.request, "end_time") &&
	    !job_request_has(&wish.job.request, "duration"))
		code = message_add(messages, EXIT_USAGE, "reserve sub",
				   "-e, the end time, or -d, the duration, is missing");
	if (!code)
		code = wish_send(caller, &wish);
	job_close(&wish.job);
	return code;
}

/* reserve del */

int reserve_take_users(void *users, struct words *words)
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

int reserve_del_ask(const struct caller *caller, int argc, char **argv)
{
	struct messages *messages = caller->messages;
	struct words words = { .table = reserve_del_options, .argc = argc, .argv = argv, .next = 1,
			       .messages = messages };
	struct names users = { 0 };
	struct operand_list list = { .n = 0 };
	int code = options_read(&words, &users);

	if (!code && words.next == words.argc && users.n == 0)
		code = message_add(messages, EXIT_USAGE, "reserve del", "name a reservation");
	if (!code && users.n == 0)
		code = words_add(&list, &words, NULL);
	for (size_t i = 0; !code && i < users.n; i++)
		code = words_add(&list, &words, users.items[i]);
	if (!code)
		code = caller_ask_cell(caller,
				&(const struct scheduler_request){ .kind = REQUEST_UNRESERVE, .operands = &list },
				&(const struct reply_format){ .json = false });
	operands_clear(&list);
	names_free(&users);
	return code;
}
