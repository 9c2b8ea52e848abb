/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/client/description.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "sched/client/line.h"

#define PATIENCE_S 2

static void missing(struct descriptions *descriptions, const char *why)
{
	snprintf(descriptions->missing, sizeof(descriptions->missing),
		 "%s: commands, directories, files, mail and environments are not shown, only what is published", why);
}

static json_t *question(const uint32_t *numbers, size_t n)
{
	json_t *jobs = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(jobs, json_integer(numbers[i]));
	return json_pack("{ss so}", "request", "describe", "jobs", jobs);
}

void descriptions_ask(struct descriptions *descriptions, const char *cell, const uint32_t *numbers, size_t n,
		      struct messages *messages)
{
	struct connection connection = { .fd = -1, .cell = cell, .patience_s = PATIENCE_S };
	json_t *answer = NULL;
	int rc = connection_open_again(&connection, messages);

	if (rc == 0)
		rc = line_send(&connection, question(numbers, n < DESCRIBED_MOST ? n : DESCRIBED_MOST));
	if (rc == 0) {
		rc = line_receive(&connection, 0, &answer);
		rc = rc && rc != -EAGAIN ? -ECONNRESET : rc;
	}
	descriptions->results = json_incref(json_object_get(answer, "results"));
	json_decref(answer);
	connection_close(&connection);
	if (rc == -EAGAIN)
		missing(descriptions, "the scheduler has not answered within 2 seconds");
	else if (rc == -ENOENT || rc == -ECONNREFUSED)
		missing(descriptions, "no scheduler listens");
	else if (rc)
		missing(descriptions, strerror(-rc));
	else if (n > DESCRIBED_MOST)
		missing(descriptions, "the scheduler is asked about the first 100 jobs only: of the others");
}

void descriptions_free(struct descriptions *descriptions)
{
	json_decref(descriptions->results);
	*descriptions = (struct descriptions){ .results = NULL };
}

const json_t *description_of(const struct descriptions *descriptions, uint32_t number)
{
	json_t *result;
	size_t i;

	json_array_foreach(descriptions->results, i, result)
		if (json_integer_value(json_object_get(result, "job_number")) == number)
			return json_object_get(result, "description");
	return NULL;
}
