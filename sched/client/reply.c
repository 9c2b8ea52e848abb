/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/client/reply.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "conf/base/array.h"
#include "sched/client/line.h"
#include "sched/client/parse.h"

/* Members of a JSON object */

static int64_t number_of(const json_t *object, const char *member)
{
	return json_integer_value(json_object_get(object, member));
}

/* Copy a text. *text stays NULL if the member is absent. Return 0 or -ENOMEM. */
static int text_copy(const json_t *object, const char *member, char **text)
{
	const char *value = json_string_value(json_object_get(object, member));

	*text = value ? strdup(value) : NULL;
	return value && !*text ? -ENOMEM : 0;
}

/* Results */

static void result_free(struct reply_result *result)
{
	for (size_t i = 0; i < result->nlines; i++)
		free(result->lines[i]);
	free(result->lines);
	free(result->object);
	free(result->text);
	free(result->note);
	free(result->tasks);
}

/* Return the exit code for a code of the scheduler. A later scheduler may have more codes. */
static enum exit_code code_of(int64_t code)
{
	return code >= 0 && code < EXIT_NOT_STORED ? (enum exit_code)code : EXIT_NOT_STORED;
}

static int lines_copy(const json_t *lines, struct reply_result *result)
{
	const json_t *line;
	size_t i;

	result->lines = calloc(json_array_size(lines) + 1, sizeof(*result->lines));
	if (!result->lines)
		return -ENOMEM;
	json_array_foreach(lines, i, line) {
		const char *text = json_string_value(line);

		result->lines[i] = strdup(text ? text : "");
		if (!result->lines[i])
			return -ENOMEM;
		result->nlines++;
	}
	return 0;
}

static int result_parse(const json_t *object, struct reply_result *result)
{
	int rc = text_copy(object, "text", &result->text);

	result->code = code_of(number_of(object, "code"));
	result->job_number = number_of(object, "job_number");
	result->reason = reply_reason_find(json_string_value(json_object_get(object, "reason")));
	if (rc == 0)
		rc = text_copy(object, "object", &result->object);
	if (rc == 0)
		rc = text_copy(object, "note", &result->note);
	if (rc == 0)
		rc = text_copy(object, "tasks", &result->tasks);
	if (rc == 0)
		rc = lines_copy(json_object_get(object, "lines"), result);
	if (rc == 0 && !result->text) {
		result->text = strdup(result->code ? "refused" : "done");
		rc = result->text ? 0 : -ENOMEM;
	}
	return rc;
}

int reply_parse(const json_t *line, struct reply *reply)
{
	json_t *results = json_object_get(line, "results");
	const json_t *result;
	size_t i;
	int rc = 0;

	*reply = (struct reply){ .n = 0 };
	if (json_array_size(results) == 0)
		return -EPROTO;
	reply->items = calloc(json_array_size(results), sizeof(*reply->items));
	if (!reply->items)
		return -ENOMEM;
	reply->source = json_incref(results);
	json_array_foreach(results, i, result) {
		if (rc == 0)
			rc = result_parse(result, &reply->items[i]);
		reply->n++;
	}
	if (rc)
		reply_free(reply);
	return rc;
}

int reply_append(struct reply *to, struct reply *from)
{
	if (from->n == 0)
		return 0;
	if (array_grow(&to->items, to->n + from->n, sizeof(*to->items)))
		return -ENOMEM;
	if (!to->source)
		to->source = json_array();
	if (!to->source || json_array_extend(to->source, from->source))
		return -ENOMEM;
	memcpy(to->items + to->n, from->items, from->n * sizeof(*from->items));
	to->n += from->n;
	from->n = 0;
	reply_free(from);
	return 0;
}

char *reply_json(const struct reply *reply)
{
	return json_dumps(reply->source, JSON_COMPACT | JSON_ENSURE_ASCII);
}

int reply_code(const struct reply *reply)
{
	int code = EXIT_OK;

	for (size_t i = 0; i < reply->n; i++)
		code = (int)reply->items[i].code > code ? (int)reply->items[i].code : code;
	return code;
}

int64_t reply_job(const struct reply *reply)
{
	int64_t number = 0;

	for (size_t i = 0; i < reply->n; i++)
		number = reply->items[i].code ? number : reply->items[i].job_number;
	return number;
}

void reply_free(struct reply *reply)
{
	for (size_t i = 0; i < reply->n; i++)
		result_free(&reply->items[i]);
	free(reply->items);
	json_decref(reply->source);
	*reply = (struct reply){ .n = 0 };
}

/* News */

static enum news_kind kind_of(const char *word)
{
	static const struct { const char *word; enum news_kind kind; } kinds[] = {
		{ "started", NEWS_STARTED }, { "ended", NEWS_ENDED }, { "error", NEWS_ERROR }, { "gone", NEWS_GONE },
	};

	for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++)
		if (strcmp(kinds[k].word, word) == 0)
			return kinds[k].kind;
	return NEWS_UNKNOWN;
}

static int news_parse(const json_t *line, struct news *news)
{
	const char *word = json_string_value(json_object_get(line, "news"));
	int rc;

	*news = (struct news){ .kind = word ? kind_of(word) : NEWS_REPLY };
	if (!word) {
		rc = reply_parse(line, &news->reply);
		return rc == -EPROTO ? 0 : rc;
	}
	news->job_number = number_of(line, "job_number");
	news->task = number_of(line, "task");
	news->failed = number_of(line, "failed");
	news->signal = (int)number_of(line, "signal");
	news->exit_status = (int)number_of(line, "exit_status");
	news->requeue = json_is_true(json_object_get(line, "requeue"));
	return text_copy(line, "text", &news->text);
}

int news_receive(struct connection *connection, bool wait, struct news *news)
{
	json_t *line;
	int rc = line_receive(connection, wait ? 0 : MSG_DONTWAIT, &line);

	*news = (struct news){ .kind = NEWS_UNKNOWN };
	if (rc == 0)
		rc = news_parse(line, news);
	json_decref(line);
	return rc;
}

void news_free(struct news *news)
{
	free(news->text);
	reply_free(&news->reply);
	*news = (struct news){ .kind = NEWS_UNKNOWN };
}
