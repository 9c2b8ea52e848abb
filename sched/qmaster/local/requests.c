/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "sched/qmaster/local/inside.h"
#include "sched/qmaster/local/request.h"

#define DEPTH_MAX 8		/* {"jobs":[{...}]} has 3 */
#define VALUES_MAX 100000	/* more than a list of jobs may have */

static const struct {
	const char *name;
	void (*handle)(struct local *local, struct client *client, const struct value *request);
} kinds[] = {
	{ "submit", request_submit },
	{ "resubmit", request_resubmit },
	{ "alter", request_alter },
	{ "delete", request_delete },
	{ "hold", request_hold },
	{ "release", request_hold },
	{ "clear", request_clear },
	{ "suspend", request_suspend },
	{ "unsuspend", request_suspend },
	{ "reschedule", request_reschedule },
	{ "reschedule_queue", request_reschedule_queue },
	{ "disable", request_queue },
	{ "enable", request_queue },
	{ "suspend_queue", request_queue },
	{ "unsuspend_queue", request_queue },
	{ "clear_queue", request_queue },
	{ "follow", request_follow },
	{ "describe", request_describe },
	{ "session", request_session },
	{ "reserve", request_reserve },
	{ "unreserve", request_unreserve },
	{ "userprio", request_userprio },
	{ "jobprio", request_jobprio },
};

static void request_dispatch(struct local *local, struct client *client, const struct value *request)
{
	const char *name = member_text(request, "request");
	char names[600] = "";

	for (size_t i = 0; name && i < sizeof(kinds) / sizeof(*kinds); i++)
		if (strcmp(name, kinds[i].name) == 0) {
			client->request.kind = kinds[i].name;
			kinds[i].handle(local, client, request);
			return;
		}
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s%s", i ? ", " : "", kinds[i].name);
	result_add(client, REPLY_UNKNOWN_REQUEST, 0, 0, "request: \"%.60s\" is unknown; allowed are %s",
		   name ? name : "", names);
}

/*
 * Check the depth and the number of values before memory is allocated for them. Input that is not
 * JSON is counted somehow, and refused by the JSON reader.
 */
static bool is_bounded(const char *line, size_t length)
{
	unsigned depth = 0, values = 1;
	bool inside = false;		/* in a string */

	for (size_t i = 0; i < length; i++) {
		char c = line[i];

		if (inside && c == '\\')
			i++;
		else if (c == '"')
			inside = !inside;
		else if (!inside && (c == '{' || c == '['))
			depth++;
		else if (!inside && (c == '}' || c == ']'))
			depth -= depth > 0;
		values += !inside && (c == ',' || c == '{' || c == '[');
		if (depth > DEPTH_MAX || values > VALUES_MAX)
			return false;
	}
	return true;
}

/* Handle a request. While the store accepts no data, every request is refused at once. */
void request_handle(struct local *local, struct client *client, const char *line, size_t length)
{
	struct error why = { "out of memory" };
	bool bounded = is_bounded(line, length);
	const struct value *request = bounded ? values_read(&local->values, line, length, &why) : NULL;

	values_destroy(&client->request.values);
	request = request ? values_copy(&local->values, &client->request.values) : NULL;

	if (!bounded)
		result_add(client, REPLY_TOO_MUCH, 0, 0,
			   "the request is nested deeper than %d, or has more than %d values", DEPTH_MAX, VALUES_MAX);
	else if (!request)
		result_add(client, REPLY_INVALID, 0, 0, "not a JSON object: %s", why.text);
	else if (local->turn.failure.text[0] || !trouble_is_over(local))
		result_add(client, REPLY_NOT_STORED, 0, 0, "%s",
			   local->turn.failure.text[0] ? local->turn.failure.text : local->trouble.refusing.text);
	else
		request_dispatch(local, client, request);
	if (!results_any(&client->request.results) && !client->request.selecting)
		result_add(client, REPLY_NOTHING_NAMED, 0, 0, "no job is named");
}
