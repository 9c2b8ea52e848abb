/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks of a job's request before it is reported to the scheduler. A job that requests names
 * unknown to the cell would wait forever. Grid Engine refuses such a job, too. Types and ranges of
 * members are checked where the event is read.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf/base/number.h"
#include "conf/base/utf8.h"
#include "conf/base/wildcard.h"
#include "sched/dispatch/search/pattern.h"
#include "sched/process/signal_name.h"
#include "sched/qmaster/local/ids.h"
#include "sched/qmaster/local/inside.h"
#include "sched/qmaster/local/request.h"
#include "sched/qmaster/members/named.h"

#define LIST_BYTES 16384	/* longest list of -q, -l, ... */

/* Return the bytes of the longest name or pattern between the operators of an expression. */
static size_t longest_word(const char *entry, size_t n)
{
	size_t longest = 0, word;

	for (size_t at = 0; at < n; at += word + 1) {
		word = strcspn(entry + at, ",!&|() \t");
		longest = word > longest ? word : longest;
	}
	return longest;
}

/*
 * Check the length of a list that each run reads. Each word must be short enough for pattern
 * matching, and all patterns together must be within the limit of dispatch.
 */
static int check_length(const char *member, const char *list, struct error *error)
{
	size_t patterns = 0, length = strlen(list);

	if (length > LIST_BYTES)
		return error_set(error, -EINVAL, "job rejected: %s: %zu bytes; at most %d are allowed", member, length,
				 LIST_BYTES);
	while (*list) {
		size_t entry = strcspn(list, ",");

		if (strcspn(list, "*?[\\!&|()") < entry)
			patterns += entry;
		if (longest_word(list, entry) >= WILDCARD_BYTES || patterns > PATTERN_BYTES_MOST)
			return error_set(
				error, -EINVAL,
				"job rejected: %s: a name or pattern of %d bytes or more, or more than %d bytes of "
				"patterns",
				member, WILDCARD_BYTES, PATTERN_BYTES_MOST);
		list += entry + (list[entry] == ',');
	}
	return 0;
}

/* Keep the kind of a refusal for programs. Without memory the kind is not special. */
static void refusal_keep(struct taking *taking, const struct named_fault *fault)
{
	char *object = taking_array(taking, strlen(fault->object) + 1, 1);

	if (object)
		taking->refusal = (struct refusal_reason){ fault->reason, strcpy(object, fault->object) };
}

static int check_lists(const struct cell *cell, const struct job_request *request, struct taking *taking,
		       struct error *error)
{
	struct named_fault fault;
	int rc = 0;

	for (size_t i = 0; rc == 0 && named_members[i]; i++) {
		const char *text = job_request_text(request, named_members[i]);

		if (!text || !*text)
			continue;
		rc = check_length(named_members[i], text, error);
		if (rc == 0 && (rc = named_check(cell, named_members[i], text, &fault)) != 0) {
			error_set(error, rc, "job rejected: %s", fault.error.text);
			refusal_keep(taking, &fault);
		}
	}
	return rc;
}

/* Job */

int check_name(const char *name, struct error *error)
{
	static const char forbidden[] = "/:@\\*?,'\"";
	size_t length = strlen(name);

	if (length == 0 || length > 255 || strpbrk(name, forbidden) || (*name >= '0' && *name <= '9'))
		return error_set(
			error, -EINVAL,
			"job rejected: \"%.60s\" is not a valid job name: it must have 1 to 255 bytes, none of %s, "
			"and no digit at the beginning",
			name, forbidden);
	for (size_t i = 0; i < length; i += utf8_length(name + i))
		if (utf8_length(name + i) == 0 || strchr(" \t", name[i]))
			return error_set(error, -EINVAL,
					 "job rejected: a job name must not contain blanks or control characters");
	return 0;
}

static int check_tasks(const struct cell *cell, const struct job_request *request, struct error *error)
{
	const char *text = request->tasks;
	uint32_t limit =
		cell->global.max_aj_tasks && cell->global.max_aj_tasks < IDS_MAX ? cell->global.max_aj_tasks : IDS_MAX;
	struct ranges tasks = { 0 };
	int rc = 0;

	if (!text)
		return 0;
	if (ranges_parse_most(&tasks, text, IDS_MAX) || tasks.n == 0)
		rc = error_set(
			error, -EINVAL,
			"job rejected: tasks: \"%.40s\" is not a list n[-m[:s]][,...] of ids from 1, each at most once",
			text);
	else if (ranges_count(&tasks) > limit)
		rc = error_set(error, -EINVAL, "job rejected: it has %llu tasks; allowed are %u (max_aj_tasks)",
			       (unsigned long long)ranges_count(&tasks), limit);
	ranges_free(&tasks);
	return rc;
}

int check_task_concurrency(struct local_job *job, const struct job_request *request, struct error *error)
{
	int64_t number;

	if (job->is_array || !job_request_integer(request, "task_concurrency", &number) || number == 0)
		return 0;
	job->memory.taking.refusal.reason = REPLY_TASK_CONCURRENCY;
	return error_set(error, -EINVAL, "task_concurrency: the job is not an array");
}

static int check_members(const struct job_request *request, struct error *error)
{
	static const char *const members[] = {
		"job_name",
		"project",
		"priority",
		"jobshare",
		"override_tickets",
		"deadline",
		"execution_time",
		"hold_jid",
		"hold_jid_ad",
		"after_ok",
		"hard_resource_list",
		"soft_resource_list",
		"hard_queue_list",
		"soft_queue_list",
		"master_queue_list",
		"pe",
		"pe_range",
		"checkpoint",
		"reserve",
		"now",
		"tasks",
		"task_concurrency",
		"hold",
		"account",
		"ar",
		"accounting_group",
		"accounting_group_user",
		"nice_user",
		"job_prio",
		"pre_job_prio1",
		"pre_job_prio2",
		"post_job_prio1",
		"post_job_prio2",
		"requirements",
		"rank",
		"concurrency_limits",
		"kill_sig",
		"remove_kill_sig",
		"hold_kill_sig",
		"job_max_vacate_time",
		"max_job_retirement_time",
		"ad",
	};
	for (size_t k = 0; k < request->members.n; k++) {
		const char *name = request->members.items[k].name;
		size_t i = 0;

		while (i < sizeof(members) / sizeof(*members) && strcmp(members[i], name) != 0)
			i++;
		if (i == sizeof(members) / sizeof(*members))
			return error_set(error, -EINVAL, "job rejected: \"%.60s\" cannot be requested", name);
	}
	return 0;
}

static int check_texts(const struct job_request *request, struct error *error)
{
	static const char *const texts[] = {
		"job_name", "project",	       "tasks",		"pe", "pe_range", "account",
		"kill_sig", "remove_kill_sig", "hold_kill_sig",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		const struct value *kept = member_list_kept(&request->members, texts[i]);

		if (kept && kept->type != VALUE_STRING && kept->type != VALUE_NULL)
			return error_set(error, -EINVAL, "job rejected: %s: a string is expected", texts[i]);
	}
	return 0;
}

/* Check an account: it becomes a field of accounting(5), and is named on command lines. */
static int check_account(const struct job_request *request, struct error *error)
{
	const char *account = request->spec.account;

	for (const char *c = account ? account : ""; *c; c++) {
		if (strchr(":/@\\*?", *c))
			return error_set(
				error, -EINVAL,
				"job rejected: account: \"%.60s\": '%c' is not allowed; an account must not contain "
				"any of : / @ \\ * ?",
				account, *c);
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			return error_set(
				error, -EINVAL,
				"job rejected: account: tabs, newlines and other control characters are not allowed");
	}
	return 0;
}

/* Check signals. SIGSTOP is refused, because it neither ends a program nor asks it to end. */
static int check_signals(const struct job_request *request, struct error *error)
{
	const struct condor_spec *condor = &request->spec.condor;
	const struct { const char *member, *text; } signals[] = {
		{ "kill_sig", condor->kill_sig }, { "remove_kill_sig", condor->remove_kill_sig },
		{ "hold_kill_sig", condor->hold_kill_sig },
	};

	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++) {
		const char *text = signals[i].text;
		int number = text && *text ? signal_number(text) : SIGTERM;

		if (number == 0 || number == SIGSTOP)
			return error_set(
				error, -EINVAL,
				"job rejected: %s: \"%.40s\": the name or number of a signal other than SIGSTOP is "
				"expected",
				signals[i].member, text);
	}
	return 0;
}

int check_request(struct local *local, const struct client *client, struct job_request *request, struct taking *taking,
		  struct error *error)
{
	const struct cell *cell = sched_cell(local->sched);
	int rc = check_members(request, error);

	if (rc == 0)
		rc = check_texts(request, error);
	if (rc == 0)
		rc = check_signals(request, error);
	if (rc == 0)
		rc = check_account(request, error);
	if (rc == 0)
		rc = access_check(cell, client, request, error);
	if (rc == 0 && request->spec.name)
		rc = check_name(request->spec.name, error);
	if (rc == 0)
		rc = resources_settle(local, cell, request, taking, error);
	if (rc == 0)
		rc = check_lists(cell, request, taking, error);
	if (rc == 0)
		rc = local_advance_check_job(local, client, request, error);
	return rc ? rc : check_tasks(cell, request, error);
}
