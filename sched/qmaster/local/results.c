/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/local/results.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/array.h"
#include "conf/base/utf8.h"
#include "sched/qmaster/local/request.h"

#define TEXT_BYTES 1024
#define NO_MEMORY "out of memory"

static struct client_result *result_new(struct client_results *results)
{
	size_t capacity = results->capacity ? 2 * results->capacity : 4;

	if (results->n == results->capacity) {
		if (array_grow(&results->items, capacity, sizeof(*results->items))) {
			results->incomplete = true;
			return NULL;
		}
		results->capacity = capacity;
	}
	results->items[results->n] = (struct client_result){ 0 };
	return &results->items[results->n++];
}

void result_add(struct client *client, enum result code, uint32_t job_number, uint32_t task, const char *format, ...)
{
	struct client_results *results = &client->request.results;
	struct client_result *result = result_new(results);
	char text[TEXT_BYTES];
	va_list args;

	if (!result)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	utf8_clean(text);
	*result = (struct client_result){ .code = code, .job_number = job_number, .task = task, .text = strdup(text) };
	results->incomplete |= !result->text;
}

/* Add a text, which the result then owns, to the last result. NULL: memory is exhausted. */
static void text_add(struct client *client, size_t offset, char *text)
{
	struct client_results *results = &client->request.results;
	char **to = results->n > 0 ? (char **)((char *)&results->items[results->n - 1] + offset) : NULL;

	results->incomplete |= !text;
	if (to) {
		free(*to);
		*to = text;
	} else {
		free(text);
	}
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
		const struct client_result missing = { .code = RESULT_NOT_STORED };

		json_write_literal(out, results->n > 0 ? "," : "");
		result_write(out, &missing);
	}
	json_write_literal(out, "]");
}
