/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Permissions of users: access lists, projects, and requests that only operators may make. Limits
 * for the number and the size of jobs.
 */
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "conf/lists.h"
#include "conf/base/number.h"
#include "sched/qmaster/local/inside.h"
#include "sched/qmaster/local/request.h"

bool access_userset_has(const struct userset *set, const struct client *client)
{
	for (size_t i = 0; i < set->entries.n; i++) {
		const char *entry = set->entries.items[i];

		if (*entry == '@' ? strcmp(entry + 1, client->group) == 0 : strcmp(entry, client->owner) == 0)
			return true;
	}
	return false;
}

static bool usersets_have(const struct cell *cell, const struct strlist *names, const struct client *client)
{
	for (size_t i = 0; i < names->n; i++) {
		const struct userset *set = cell_userset(cell, names->items[i]);

		if (set && access_userset_has(set, client))
			return true;
	}
	return false;
}

const char *access_global_text(const struct cell *cell, const char *name)
{
	for (size_t i = 0; i < cell->global.typed.n; i++)
		if (strcmp(cell->global.typed.items[i].name, name) == 0)
			return cell->global.typed.items[i].text;
	return NULL;
}

static int check_user(const struct cell *cell, const struct client *client, struct error *error)
{
	const char *enforce = access_global_text(cell, "enforce_user");

	if (enforce && strcasecmp(enforce, "true") == 0 && !cell_user(cell, client->owner))
		return error_set(
			error, -EINVAL,
			"job rejected: the user \"%s\" is not defined in this cell, as enforce_user requires",
			client->owner);
	return 0;
}

static int check_project(const struct cell *cell, const struct client *client, const char *name, struct error *error)
{
	const struct project *project = cell_project(cell, name);

	if (!project)
		return error_set(error, -EINVAL, "job rejected: the requested project \"%.80s\" does not exist", name);
	if ((project->acl.n > 0 && !usersets_have(cell, &project->acl, client)) ||
	    usersets_have(cell, &project->xacl, client))
		return error_set(error, -EPERM, "job rejected: no access to project \"%.60s\" for user \"%.60s\"", name,
				 client->owner);
	return 0;
}

static int check_privileges(const struct cell *cell, const struct client *client, const struct job_request *request,
			    struct error *error)
{
	int64_t number;
	const struct userset *deadline_users = cell_userset(cell, "deadlineusers");

	if (client_is_operator(client))
		return 0;
	if (job_request_integer(request, "priority", &number) && number > 0)
		return error_set(error, -EPERM, "job rejected: a priority above 0 can be given by operators only");
	if (job_request_integer(request, "override_tickets", &number))
		return error_set(error, -EPERM, "job rejected: override tickets can be given by operators only");
	if (job_request_integer(request, "deadline", &number) && number > 0 &&
	    !(deadline_users && access_userset_has(deadline_users, client)))
		return error_set(error, -EPERM, "job rejected: the user \"%s\" is not a deadline initiation user",
				 client->owner);
	return 0;
}

int access_check(const struct cell *cell, const struct client *client, const struct job_request *request,
		 struct error *error)
{
	const char *project = request->spec.project;
	int rc = check_user(cell, client, error);

	if (rc == 0 && project && *project)
		rc = check_project(cell, client, project, error);
	return rc ? rc : check_privileges(cell, client, request, error);
}

/* New jobs */

/* Return whether a list of sge_conf(5) contains this client; *empty: it contains no user. */
static int global_list_has(const struct cell *cell, const char *name, const struct client *client, bool *has,
			   bool *empty)
{
	const char *text = access_global_text(cell, name);
	struct strlist names = { 0 };
	struct error error;
	int rc = text && strcasecmp(text, "NONE") != 0 ? strlist_parse(&names, text, &error) : 0;

	*empty = names.n == 0;
	*has = usersets_have(cell, &names, client);
	strlist_free(&names);
	return rc;
}

static int check_lists(const struct cell *cell, const struct client *client, struct error *error)
{
	bool in, out, all, none;

	if (global_list_has(cell, "user_lists", client, &in, &all) ||
	    global_list_has(cell, "xuser_lists", client, &out, &none))
		return error_set(error, -ENOMEM, "out of memory");
	if ((in || all) && !out)
		return 0;
	return error_set(error, -EPERM,
			 "job rejected: the user \"%.60s\" has no access to this cell (%s of its global_conf)",
			 client->owner, out ? "xuser_lists" : "user_lists");
}

uint32_t access_global_number(const struct cell *cell, const char *name)
{
	const char *text = access_global_text(cell, name);
	uint32_t number;

	return text && number_u32(text, &number) == 0 ? number : 0;
}

static int check_number(struct local *local, const struct client *client, struct error *error)
{
	const struct cell *cell = sched_cell(local->sched);
	uint32_t of_user = access_global_number(cell, "max_u_jobs"), of_all = access_global_number(cell, "max_jobs");
	uint64_t all, his;
	int rc = of_user || of_all ? store_jobs_count(local->store, client->uid, &all, &his, error) : 0;

	if (rc || (!of_user && !of_all))
		return rc;
	if (of_user && his >= of_user)
		return error_set(error, -EINVAL,
				 "job rejected: a user may have %u jobs (max_u_jobs), and \"%.60s\" has %llu", of_user,
				 client->owner, (unsigned long long)his);
	if (of_all && all >= of_all)
		return error_set(error, -EINVAL, "job rejected: there may be %u jobs (max_jobs), and there are %llu",
				 of_all, (unsigned long long)all);
	return 0;
}

int access_check_new(struct local *local, const struct client *client, struct error *error)
{
	int rc = check_lists(sched_cell(local->sched), client, error);

	return rc ? rc : check_number(local, client, error);
}

int access_check_request(const struct local_job *job, struct error *error)
{
	return job_request_bytes(job) <= REQUEST_BYTES ? 0 :
	       error_set(error, -EINVAL, "job rejected: its request takes more than %d bytes", REQUEST_BYTES);
}

/*
 * Check the size of a job. A user who fills the disk would stop the jobs of all users. Operators
 * could fill it anyway. A change that makes a job smaller is always permitted.
 */
int access_check_bytes(struct local *local, const struct client *client, const struct local_job *job,
		       struct error *error)
{
	uint64_t others = footprint_of_user(&local->footprints, job->uid), most = local->options.user_bytes,
		 before = footprint_of_job(&local->footprints, job->number);
	uint64_t stored = job_bytes(job), bytes = stored + job_ranges_bytes(&job->waiting, job->hold);

	if (stored == SIZE_MAX)
		return error_set(error, -ENOMEM, "out of memory");
	if (stored > JOB_BYTES && bytes > before)
		return error_set(error, -EINVAL,
				 "job rejected: it takes %llu bytes with its command and environment; allowed are %u",
				 (unsigned long long)stored, JOB_BYTES);
	others -= before;
	if (most == 0 || client_is_operator(client) || bytes <= before || others + bytes <= most)
		return 0;
	return error_set(
		error, -EINVAL,
		"job rejected: it takes %llu bytes with its command, environment and ranges of tasks. The other "
		"unfinished jobs of \"%.60s\" take %llu. The limit of a user is %llu (--user-bytes)",
		(unsigned long long)bytes, job->owner, (unsigned long long)others, (unsigned long long)most);
}
