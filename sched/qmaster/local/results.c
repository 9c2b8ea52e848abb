/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/local/results.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/array.h"
#include "conf/base/utf8.h"
#include "sched/qmaster/local/request.h"

#define TEXT_BYTES 1024
#define OBJECT_BYTES 1023	/* longest object, and longest pattern */
#define NO_MEMORY "out of memory"

static struct client_result *result_new(struct client_results *results)
{
	size_t capacity = results->capacity ? 2 * results->capacity : 4;

	if (results->n == results->capacity) {
		if (array_grow(&results->items, capacity, sizeof(*results->items))) {
			results->incomplete = results->last_is_missing = true;
			return NULL;
		}
		results->capacity = capacity;
	}
	results->last_is_missing = false;
	results->items[results->n] = (struct client_result){ 0 };
	return &results->items[results->n++];
}

/* Return the code of a reason. The reasons of a code are next to each other. */
static enum result code_of(enum reply_reason reason)
{
	static const struct { enum reply_reason last; enum result code; } classes[] = {
		{ REPLY_OTHER, RESULT_NOT_STORED }, { REPLY_VERIFIED, RESULT_DONE },
		{ REPLY_TOO_MUCH, RESULT_WRONG }, { REPLY_NOTHING_NAMED, RESULT_NO_JOB },
		{ REPLY_DENIED, RESULT_DENIED }, { REPLY_NOT_STORED, RESULT_NOT_STORED },
	};
	size_t k = 0;

	while (reason > classes[k].last)
		k++;
	return classes[k].code;
}

/* Add a result: `with`, and a text that is printed from a format. */
static void result_print(struct client *client, struct client_result with, const char *format, va_list args)
{
	struct client_results *results = &client->request.results;
	struct client_result *result = result_new(results);
	char text[TEXT_BYTES];

	if (!result)
		return;
	vsnprintf(text, sizeof(text), format, args);
	utf8_clean(text);
	*result = with;
	result->code = code_of(with.reason);
	result->text = strdup(text);
	results->incomplete |= !result->text;
}

void result_add(struct client *client, enum reply_reason reason, uint32_t job_number, uint32_t task,
		const char *format, ...)
{
	va_list args;

	va_start(args, format);
	result_print(client, (struct client_result){ .reason = reason, .job_number = job_number, .task = task }, format,
		     args);
	va_end(args);
}

/* Add a text, which the result then owns, to the last result. NULL: memory is exhausted. */
static void text_add(struct client *client, size_t offset, char *text)
{
	struct client_results *results = &client->request.results;
	bool is_there = results->n > 0 && !results->last_is_missing;
	char **to = is_there ? (char **)((char *)&results->items[results->n - 1] + offset) : NULL;

	results->incomplete |= !text;
	if (to) {
		free(*to);
		*to = text;
	} else {
		free(text);
	}
}

/* Set the object of the last result. */
static void object_set(struct client *client, const char *object)
{
	char *copy = strndup(object, OBJECT_BYTES);

	if (copy)
		utf8_clean(copy);
	text_add(client, offsetof(struct client_result, object), copy);
}

void result_add_object(struct client *client, enum reply_reason reason, const char *object, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	result_print(client, (struct client_result){ .reason = reason }, format, args);
	va_end(args);
	object_set(client, object);
}

void result_refuse(struct client *client, int rc, const struct refusal_reason *refusal, uint32_t job_number,
		   const char *text)
{
	bool special = rc == -EINVAL && refusal && refusal->reason != REPLY_OTHER;

	result_add(client,
		   special	   ? refusal->reason
		   : rc == -EPERM  ? REPLY_DENIED
		   : rc == -EINVAL ? REPLY_INVALID
				   : REPLY_NOT_STORED,
		   job_number, 0, "%s", text);
	if (special && refusal->object)
		object_set(client, refusal->object);
}

void result_note(struct client *client, const char *note)
{
	text_add(client, offsetof(struct client_result, note), strdup(note));
}

void result_lines(struct client *client, char *lines)
{
	text_add(client, offsetof(struct client_result, lines), lines);
}

void result_tasks(struct client *client, const char *tasks)
{
	text_add(client, offsetof(struct client_result, tasks), strdup(tasks));
}

void result_description(struct client *client, char *description)
{
	text_add(client, offsetof(struct client_result, description), description);
}

static void result_free(struct client_result *result)
{
	free(result->text);
	free(result->object);
	free(result->tasks);
	free(result->description);
	free(result->lines);
	free(result->note);
}

void results_cut(struct client_results *results, size_t n)
{
	while (results->n > n)
		result_free(&results->items[--results->n]);
}

void results_free(struct client_results *results)
{
	results_cut(results, 0);
	free(results->items);
	*results = (struct client_results){ 0 };
}

/* Reply */

static void lines_write(struct out *out, const char *lines)
{
	const char *before = "";

	json_write_literal(out, ",\"lines\":[");
	for (const char *end; (end = strchr(lines, '\n')) != NULL; lines = end + 1) {
		char *line = strndup(lines, (size_t)(end - lines));

		json_write_plain(out, before, line ? line : "");
		before = ",";
		free(line);
	}
	json_write_literal(out, "]");
}

static void result_write(struct out *out, const struct client_result *result)
{
	json_write_number(out, "{\"code\":", result->code);
	json_write_plain(out, ",\"text\":", result->text ? result->text : NO_MEMORY);
	json_write_plain(out, ",\"reason\":", reply_reason_word(result->reason));
	if (result->object)
		json_write_plain(out, ",\"object\":", result->object);
	if (result->job_number)
		json_write_number(out, ",\"job_number\":", result->job_number);
	if (result->task)
		json_write_number(out, ",\"task\":", result->task);
	if (result->tasks)
		json_write_plain(out, ",\"tasks\":", result->tasks);
	if (result->description) {
		json_write_literal(out, ",\"description\":");
		out_text(out, result->description);
	}
	if (result->lines)
		lines_write(out, result->lines);
	if (result->note)
		json_write_plain(out, ",\"note\":", result->note);
	json_write_literal(out, "}");
}

void results_write(struct out *out, const struct client_results *results)
{
	json_write_literal(out, "[");
	for (size_t i = 0; i < results->n; i++) {
		if (i > 0)
			json_write_literal(out, ",");
		result_write(out, &results->items[i]);
	}
	if (results->incomplete) {
		const struct client_result missing = { .reason = REPLY_NOT_STORED, .code = RESULT_NOT_STORED };

		json_write_literal(out, results->n > 0 ? "," : "");
		result_write(out, &missing);
	}
	json_write_literal(out, "]");
}
