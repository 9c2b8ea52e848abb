/* SPDX-License-Identifier: Apache-2.0 */
/* Programs qrsub, qrstat and qrdel for advance reservations, with the forms of the verb reserve. */
#include "sched/cli/jobs/reserve.h"
#include "sched/compat/compat.h"

#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct foreign qrsub_foreign[] = {
	{ "-m", "WHEN", "no mail is sent about advance reservations" },
	{ "-M", "USER[,...]", "no mail is sent about advance reservations" },
	{ .name = NULL },
};

const struct foreign qrstat_foreign[] = {
	{ "-explain", NULL, "qstat -explain E reports errors of queues" },
	{ .name = NULL },
};

const struct foreign qrdel_foreign[] = { { "-f", NULL, NULL }, { .name = NULL } };

/* Print the help and the message that Grid Engine prints without options. */
static int nothing_asked(const struct client_program *program)
{
	program_help(program, stderr);
	fputs("ERROR! no option argument\n", stderr);
	return 1;
}

int qrsub_run(const struct client_program *program, const char *cell, int argc, char **argv)
{
	struct word_walk walk = { .program = program, .argc = argc, .argv = argv, .next = 1 };
	struct voice voice = { .program = program->name, .verb = "reserve sub", .refusals = stderr };
	enum walk_what what;
	struct call call;
	int code = 1;

	if (argc == 1)
		return nothing_asked(program);
	if (call_open(&call, "reserve sub", argc))
		return program_fail(program->name, "no memory", NULL);
	while ((what = walk_next(&walk)) == WALK_OPTION || what == WALK_OPERAND)
		call_add_all(&call, walk.words, walk.n);
	if (what == WALK_END)
		code = call_ask(&call, reserve_sub_ask, cell, &voice) ? 1 : 0;
	call_close(&call);
	return code;
}

/* Numbers of -ar, for the answer that none of them exists. */
struct asked_numbers {
	const char *list;		/* NULL: not specified */
	bool xml;			/* with XML the verb answers itself */
};

static bool missing_take(struct voice *voice, const struct message *message)
{
	const struct asked_numbers *numbers = voice->context;

	if (!numbers->list || message->reason != REASON_NO_RESERVATION)
		return false;
	fflush(stdout);
	if (!numbers->xml)
		fprintf(stderr, "Following advance reservations do not exist:\n%s\n", numbers->list);
	return true;
}

int qrstat_run(const struct client_program *program, const char *cell, int argc, char **argv)
{
	struct word_walk walk = { .program = program, .argc = argc, .argv = argv, .next = 1 };
	struct asked_numbers asked = { .list = NULL };
	struct voice voice = { .program = program->name,
			       .verb = "reserve stat",
			       .refusals = stderr,
			       .before = "error: ",
			       .takes_message = missing_take,
			       .context = &asked };
	bool users = false;
	enum walk_what what;
	struct call call;
	int code = 1;

	if (call_open(&call, "reserve stat", argc))
		return program_fail(program->name, "no memory", NULL);
	while ((what = walk_next(&walk)) == WALK_OPTION) {
		asked.list = strcmp(*walk.words, "-ar") ? asked.list : walk.words[1];
		asked.xml |= !strcmp(*walk.words, "-xml");
		users |= !strcmp(*walk.words, "-u");
		call_add_all(&call, walk.words, walk.n);
	}
	if (!users && !asked.list)
		call_add_caller(&call);
	if (what == WALK_OPERAND)
		program_fail(program->name, "too many options", NULL);
	else if (what == WALK_END)
		code = call_show(&call, reserve_stat_show, cell, &voice) ? 1 : 0;
	call_close(&call);
	return code;
}

/* Print Grid Engine's message about a reservation that the result names by its number. */
static bool numbered_take(const struct reply_result *result)
{
	const struct passwd *me = getpwuid(geteuid());
	const char *name = me ? me->pw_name : "?";
	long long number = result->job_number;

	switch (result->reason) {
	case REPLY_DONE:
		printf("%s has deleted advance_reservation %lld\n", name, number);
		return true;
	case REPLY_REGISTERED:
		printf("%s has registered the advance_reservation %lld for deletion\n", name, number);
		return true;
	case REPLY_DENIED:
		printf("%s - you do not have the necessary privileges to delete the advance_reservation \"%lld\"\n",
		       name, number);
		return true;
	default:
		return false;
	}
}

/* Print Grid Engine's message about the deletion of a reservation. */
static bool deletion_take(struct voice *voice, const struct reply_result *result)
{
	(void)voice;
	if (result->job_number > 0)
		return numbered_take(result);
	if (result->reason == REPLY_NO_RESERVATION_OF_USER && result->object)
		printf("There is no advance_reservation registered for the following users: %s\n", result->object);
	else if (result->reason == REPLY_NO_RESERVATION && result->object)
		printf("denied: advance_reservation \"%.100s\" does not exist\n", result->object);
	else
		return false;
	return true;
}

/*
 * Add the elements of a list, because the verb expects a word for each. -ENOMEM is stored in the
 * call.
 */
static void list_add(struct call *call, const char *list)
{
	char *copy = strdup(list), *rest = copy, *word;

	call->failed |= !copy;
	while ((word = strsep(&rest, ",")) != NULL)
		if (*word)
			call_add(call, word);
	free(copy);
}

int qrdel_run(const struct client_program *program, const char *cell, int argc, char **argv)
{
	struct word_walk walk = { .program = program, .argc = argc, .argv = argv, .next = 1 };
	struct voice voice = { .program = program->name,
			       .verb = "reserve del",
			       .takes_result = deletion_take };
	struct call call, reservations = { .words = NULL };
	enum walk_what what;
	int code = 1;

	if (argc == 1)
		return nothing_asked(program);
	if (call_open(&call, "reserve del", argc) || call_open(&reservations, "--", argc)) {
		call_close(&call);
		return program_fail(program->name, "no memory", NULL);
	}
	while ((what = walk_next(&walk)) != WALK_END && what != WALK_WRONG)
		if (what == WALK_OPTION)
			call_add_all(&call, walk.words, walk.n);
		else if (what == WALK_OPERAND)
			list_add(&reservations, *walk.words);
	if (reservations.n > 1)
		call_add_all(&call, reservations.words, reservations.n);
	call.failed |= reservations.failed;
	if (what == WALK_END)
		code = call_ask(&call, reserve_del_ask, cell, &voice) ? 1 : 0;
	call_close(&call);
	call_close(&reservations);
	return code;
}
