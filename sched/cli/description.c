/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/description.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "sched/cli/server.h"

#define PATIENCE_S 2

static void missing(struct descriptions *d, const char *why)
{
	snprintf(d->missing, sizeof(d->missing), "%s: commands, directories, files, mail and environments are not shown, only what is published", why);
}

static json_t *question(const uint32_t *numbers, size_t n)
{
	json_t *jobs = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(jobs, json_integer(numbers[i]));
	return json_pack("{ss so}", "request", "describe", "jobs", jobs);
}

void descriptions_ask(struct descriptions *d, const char *cell, const uint32_t *numbers, size_t n)
{
	struct server s = { .fd = -1, .cell = cell, .patience_s = PATIENCE_S };
	json_t *answer = NULL;
	int rc = server_open_again(&s);

	if (rc == 0)
		rc = server_send(&s, question(numbers, n < DESCRIBED_MOST ? n : DESCRIBED_MOST));
	if (rc == 0) {
		answer = server_line(&s, 0);
		rc = answer ? 0 : errno == EAGAIN ? -EAGAIN : -ECONNRESET;
	}
	d->results = json_incref(json_object_get(answer, "results"));
	json_decref(answer);
	server_close(&s);
	if (rc == -EAGAIN)
		missing(d, "the scheduler has not answered within 2 seconds");
	else if (rc == -ENOENT || rc == -ECONNREFUSED)
		missing(d, "no scheduler listens");
	else if (rc)
		missing(d, strerror(-rc));
	else if (n > DESCRIBED_MOST)
		missing(d, "the scheduler is asked about the first 100 jobs only: of the others");
}

void descriptions_free(struct descriptions *d)
{
	json_decref(d->results);
	*d = (struct descriptions){ .results = NULL };
}

const json_t *description_of(const struct descriptions *d, uint32_t number)
{
	json_t *result;
	size_t i;

	json_array_foreach(d->results, i, result)
		if (json_integer_value(json_object_get(result, "job_number")) == number)
			return json_object_get(result, "description");
	return NULL;
}
