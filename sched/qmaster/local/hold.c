/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>

#include "sched/qmaster/local/ids.h"
#include "sched/qmaster/local/inside.h"
#include "sched/qmaster/local/request.h"
#include "sched/qmaster/local/tell.h"

struct hold_change {
	bool release, kinds[HOLD_KINDS];
};

/* Only what waits can be held. A release of what is not held is none, and no error. */
static int hold_kind(struct local_job *job, int kind, bool release, const struct ranges *tasks, struct error *error)
{
	struct ranges meant = { 0 };
	int rc = tasks->n > 0 ? ids_intersect(&meant, &job->waiting, tasks) : ranges_copy(&meant, &job->waiting);

	if (rc == 0)
		rc = release ? ids_subtract(&job->hold[kind], &job->hold[kind], tasks->n > 0 ? tasks : &job->hold[kind]) :
			       ids_unite(&job->hold[kind], &job->hold[kind], &meant);
	ranges_free(&meant);
	if (rc == -E2BIG)
		return error_set(error, -EINVAL, "what is held would be too scattered: more than %d ranges of tasks", IDS_RANGES_MAX);
	return rc ? error_set(error, rc, "out of memory") : 0;
}

static void hold_job(struct local *l, struct client *c, struct selected_job *s, void *context)
{
	const struct hold_change *change = context;
	struct error error = { "" };
	int rc = 0;

	for (int k = 0; rc == 0 && k < HOLD_KINDS; k++)
		if (change->kinds[k])
			rc = hold_kind(&s->job, k, change->release, &s->tasks, &error);
	if (rc == 0)
		rc = tell_holds(l, &s->job, &error);
	if (rc) {
		result_add(c, rc == -EINVAL ? RESULT_WRONG : RESULT_NOT_STORED, s->job.number, 0, "%s", error.text);
		return;
	}
	local_changed(l);
	if (job_save(l, &s->job, &error))
		local_fail(l, &error);
	result_add(c, RESULT_DONE, s->job.number, 0, "modified hold of job %u", s->job.number);
}

void request_hold(struct local *l, struct client *c, json_t *request)
{
	const char *kinds = json_string_value(json_object_get(request, "kind")), *letters = "uos", *found;
	struct hold_change change = { .release = strcmp(json_string_value(json_object_get(request, "request")), "release") == 0 };

	kinds = kinds ? kinds : "u";
	for (const char *letter = kinds; *letter; letter++) {
		found = strchr(letters, *letter);
		if (!found) {
			result_add(c, RESULT_WRONG, 0, 0, "kind: \"%.10s\": letters of u, o, s are expected", kinds);
			return;
		}
		if (*letter != 'u' && !client_is_operator(c)) {
			result_add(c, RESULT_DENIED, 0, 0, "%s - a hold \"%c\" can be changed by operators only", c->owner, *letter);
			return;
		}
		change.kinds[found - letters] = true;
	}
	select_jobs(l, c, request, hold_job, &change, sizeof(change));
}
