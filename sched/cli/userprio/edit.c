/* SPDX-License-Identifier: Apache-2.0 */
/* Edits of condor_userprio(1): send one edit to the scheduler of the local cell. */
#include "sched/cli/userprio/userprio.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sched/cli/jobs/requests.h"

/* Exit status of condor_userprio for any error. */
#define EXIT_REFUSED EXIT_DIFFERENCE

enum amount_kind { AMOUNT_NONE, AMOUNT_REAL, AMOUNT_WHOLE };

static const struct edit_option {
	const char *name;
	size_t least;			/* minimum letters, with the dash; 0: the whole name */
	bool has_customer, has_lease;
	enum amount_kind value;
	double low;
	const char *what, *too_low;	/* `what`: name of the edited value in messages */
} edit_options[] = {
	{ "-setfactor", 0, true, true, AMOUNT_REAL, 1.0, "priority", "Priority factors must be greater than or "
			"equal to 1." },
	{ "-setprio", 0, true, false, AMOUNT_REAL, -HUGE_VAL, "priority", "" },
	{ "-setceiling", 0, true, true, AMOUNT_WHOLE, -1.0, "ceiling", "ceiling must be greater than or equal to -1." },
	{ "-setfloor", 0, true, true, AMOUNT_WHOLE, 0.0, "floor", "floor must be greater than or equal to 0." },
	{ "-setaccum", 0, true, false, AMOUNT_REAL, 0.0, "Accumulated usage", "Usage must be greater than or "
			"equal to 0 seconds." },
	{ "-setbegin", 0, true, false, AMOUNT_WHOLE, 0.0, "begin usage time", "Time must be greater than or equal "
			"to 0 seconds." },
	{ "-setlast", 0, true, false, AMOUNT_WHOLE, 0.0, "last usage time", "Time must be greater than or equal "
			"to 0 seconds." },
	{ "-cancelfactorlease", 0, true, false, AMOUNT_NONE, 0.0, "factor lease", "" },
	{ "-cancelceilinglease", 0, true, false, AMOUNT_NONE, 0.0, "ceiling lease", "" },
	{ "-cancelfloorlease", 0, true, false, AMOUNT_NONE, 0.0, "floor lease", "" },
	{ "-resetusage", 0, true, false, AMOUNT_NONE, 0.0, "usage", "" },
	{ "-resetall", 0, false, false, AMOUNT_NONE, 0.0, "usage", "" },
	{ "-delete", 4, true, false, AMOUNT_NONE, 0.0, "record", "" },
};

struct edit_words {
	const struct edit_option *option;	/* NULL: not found */
	const char *customer, *value, *duration;
	bool json;
};

/* Find an option by its name, with one dash or two. */
static const struct edit_option *option_find(const char *word)
{
	bool whole = strncmp(word, "--", 2) == 0;
	size_t n;

	word += whole;
	n = strlen(word);

	for (size_t i = 0; i < sizeof(edit_options) / sizeof(*edit_options); i++) {
		const struct edit_option *option = &edit_options[i];

		if (strcmp(word, option->name) == 0 ||
		    (!whole && option->least > 0 && n >= option->least && strncmp(word, option->name, n) == 0))
			return option;
	}
	return NULL;
}

bool userprio_asks(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (option_find(argv[i]))
			return true;
	return false;
}

/* Command line */

static int words_fail(const char *problem, const char *word)
{
	cli_fail(EXIT_REFUSED, "userprio: %s: %s; see fairlead userprio --help", word, problem);
	return EXIT_REFUSED;
}

/* Parse the words. A value may begin with a dash, such as -1. */
static int words_take(struct edit_words *words, int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		const struct edit_option *option = option_find(argv[i]);

		if (option) {
			int more = option->has_customer + (option->value != AMOUNT_NONE);

			if (words->option)
				return words_fail("one edit at a time", argv[i]);
			if (i + more >= argc)
				return words_fail(more > 1 ? "a submitter and a value are expected"
							   : "a submitter is expected",
						  argv[i]);
			words->option = option;
			words->customer = option->has_customer ? argv[i + 1] : NULL;
			words->value = more > 1 ? argv[i + 2] : NULL;
			i += more;
		} else if (strcmp(argv[i], "-duration") == 0 || strcmp(argv[i], "--duration") == 0) {
			if (++i == argc)
				return words_fail("seconds are expected", "-duration");
			words->duration = argv[i];
		} else if (strcmp(argv[i], "--json") == 0) {
			words->json = true;
		} else {
			return words_fail("not beside an edit", argv[i]);
		}
	}
	return EXIT_OK;
}

static int refuse(const char *sentence)
{
	fprintf(stderr, "%s\n", sentence);
	return EXIT_REFUSED;
}

static int check_customer(const struct edit_words *words)
{
	if (!words->option->has_customer || strchr(words->customer, '@'))
		return EXIT_OK;
	cli_fail(
		EXIT_REFUSED,
		"userprio: the full name of the submitter is needed whose %s is meant (user@uid.domain or "
		"user@full.host.name), not \"%s\"",
		words->option->what, words->customer);
	return EXIT_REFUSED;
}

static int take_value(const struct edit_words *words, double *value)
{
	const struct edit_option *option = words->option;
	char *end;

	if (option->value == AMOUNT_NONE)
		return EXIT_OK;
	errno = 0;
	*value = option->value == AMOUNT_WHOLE ? (double)strtoll(words->value, &end, 10) : strtod(words->value, &end);
	if (end == words->value || *end || errno == ERANGE || !isfinite(*value))
		return words_fail(option->value == AMOUNT_WHOLE ? "a whole number is expected" : "a number is expected",
				  words->value);
	return *value < option->low ? refuse(option->too_low) : EXIT_OK;
}

/* Parse -duration. An edit without a lease ignores it, as in condor_userprio. */
static int take_duration(const struct edit_words *words, long *duration)
{
	char *end;

	*duration = 0;
	if (!words->duration || !words->option->has_lease)
		return EXIT_OK;
	errno = 0;
	*duration = strtol(words->duration, &end, 10);
	if (end == words->duration || *end || errno == ERANGE || *duration <= 0 || *duration >= INT_MAX)
		return words_fail("a number of seconds is expected, from 1 to 2147483646", words->duration);
	return EXIT_OK;
}

/* Request */

/* Print the only result unchanged: {"code":...,"text":...}. */
static int result_print_json(const struct reply *reply)
{
	char *text = reply_json(reply);
	size_t length = text ? strlen(text) : 0;

	if (length > 2)
		printf("%.*s\n", (int)length - 2, text + 1);
	free(text);
	return reply_code(reply);
}

static int edit_send_json(const struct caller *caller, const struct scheduler_request *request)
{
	struct messages unsaid = { .items = NULL };
	struct reply reply = { .n = 0 };
	struct connection connection;
	int code = connection_open(&connection, caller->cell, caller->messages);

	if (!code && request_ask(&connection, request, &reply, &unsaid))
		code = message_add(caller->messages, EXIT_REFUSED, "userprio",
				   "the scheduler has not answered; fairlead userprio shows whether the request was "
				   "carried out");
	else if (!code)
		code = result_print_json(&reply);
	connection_close(&connection);
	messages_free(&unsaid);
	reply_free(&reply);
	return code;
}

int userprio_ask(const char *cell, int argc, char **argv)
{
	struct messages messages = CLI_MESSAGES;
	struct edit_words words = { .option = NULL };
	struct priority_edit edit = { .name = NULL };
	const struct scheduler_request request = { .kind = REQUEST_USERPRIO, .edit = &edit };
	const struct caller caller = { .cell = cell, .messages = &messages, .print = reply_print };
	int code = words_take(&words, argc, argv);

	if (!code)
		code = check_customer(&words);
	if (!code)
		code = take_value(&words, &edit.value);
	if (!code)
		code = take_duration(&words, &edit.duration_s);
	if (!code) {
		edit.name = words.option->name + 1;
		edit.customer = words.customer;
		edit.has_value = words.option->value != AMOUNT_NONE;
		code = words.json ? edit_send_json(&caller, &request)
				  : caller_ask_cell(&caller, &request, &(const struct reply_format){ .json = false });
	}
	messages_flush(&messages);
	return code ? EXIT_REFUSED : EXIT_OK;
}
