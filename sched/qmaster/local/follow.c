/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clients that follow a job, for qsub -now y and -sync y.
 *
 * A follower gets a line for each task that starts, that ends for good or that waits in the error
 * state. It gets a last line when nothing of the job is left. After a restart of the scheduler it
 * asks again. Then it first gets earlier events, which it may have missed or not.
 */
#include <errno.h>
#include <string.h>

#include "sched/process/log.h"
#include "sched/qmaster/local/ending.h"
#include "sched/qmaster/local/inside.h"
#include "sched/qmaster/local/request.h"

#define FOLLOWERS_MAX 1024
#define FOLLOWERS_OF_USER_MAX 256

/* Requests */

static size_t followers_of(const struct clients *clients, uid_t uid)
{
	size_t n = 0;

	for (const struct client *client = clients->first; client; client = client->next)
		n += client->uid == uid && (client->following.wished || client->following.job);
	return n;
}

int follow_admit(const struct local *local, const struct client *client, struct error *error)
{
	if (client->uid == 0 || (local->clients.nfollowing < FOLLOWERS_MAX &&
				 followers_of(&local->clients, client->uid) < FOLLOWERS_OF_USER_MAX))
		return 0;
	return error_set(error, -EINVAL, "denied: at most %d clients of a user, and %d in all, can wait for jobs",
			 FOLLOWERS_OF_USER_MAX, FOLLOWERS_MAX);
}

void follow_forget(struct local *local, struct client *client)
{
	local->clients.nfollowing -= client->following.wished && !client->following.job;
	client->following.wished = 0;
}

void follow_wish(struct local *local, struct client *client, uint32_t job_number)
{
	local->clients.nfollowing += !client->following.wished && !client->following.job;
	client->following.wished = job_number;
}

/* Check a request. A job that no longer exists may be followed: it has ended. */
static enum reply_reason follow_check(struct local *local, const struct client *client, int64_t number,
				      struct error *error)
{
	struct stored_job stored;
	int rc;

	if (number < 1 || number > STORE_JOB_NUMBER_MAX) {
		error_set(error, -EINVAL, "job_number: 1 to %u is expected", STORE_JOB_NUMBER_MAX);
		return REPLY_INVALID;
	}
	rc = store_job_find(local->store, (uint32_t)number, &stored, error);
	if (rc && rc != -ENOENT)
		return REPLY_NOT_STORED;
	if (rc == 0 && !client_is_operator(client) && client->uid != stored.uid) {
		error_set(error, -EPERM, "%s - you do not have the necessary privileges to follow the job \"%lld\"",
			  client->owner, (long long)number);
		return REPLY_DENIED;
	}
	return follow_admit(local, client, error) ? REPLY_TOO_MUCH : REPLY_DONE;
}

void request_follow(struct local *local, struct client *client, const struct value *request)
{
	int64_t number = member_integer(request, "job_number");
	struct error error = { "" };
	enum reply_reason reason = follow_check(local, client, number, &error);

	if (reason == REPLY_DONE)
		follow_wish(local, client, (uint32_t)number);
	client->following.resumes = reason == REPLY_DONE;
	result_add(client, reason, 0, 0, "%s", reason == REPLY_DONE ? "it is followed" : error.text);
}

/* News */

/* Send the line of news that was begun. Returns false if the client has gone. */
static bool news_send(struct local *local, struct client *client)
{
	size_t n = local->clients.n;

	json_write_literal(&local->clients.line, "}");
	client_line_send(local, client);
	return local->clients.n == n;
}

static struct out *news_begin(struct local *local, const char *what, uint32_t job_number)
{
	struct out *line = client_line_begin(local);

	json_write_plain(line, "{\"news\":", what);
	json_write_number(line, ",\"job_number\":", job_number);
	return line;
}

/* Write the id of a task. `task` 0: the job is not an array, or several tasks are meant. */
static void task_write(struct out *line, uint32_t task)
{
	if (task)
		json_write_number(line, ",\"task\":", task);
}

static void end_write(struct out *line, int failed, int exit_status, int signal)
{
	json_write_number(line, ",\"failed\":", failed);
	json_write_number(line, ",\"exit_status\":", exit_status);
	json_write_number(line, ",\"signal\":", signal);
}

/* Report the start or the end of a task. */
static bool task_send(struct local *local, struct client *client, const struct local_task *task)
{
	const struct task_ending *ending = &task->ending;
	bool has_ended = local_task_has_ended(task);
	struct out *line = news_begin(local, has_ended ? "ended" : "started", task->job_number);

	task_write(line, task->is_array ? task->id : 0);
	if (has_ended) {
		end_write(line, ending->failed, ending->exit_status, ending->signal);
		json_write_bool(line, ",\"requeue\":", ending->requeue);
	}
	return news_send(local, client);
}

static bool error_send(struct local *local, struct client *client, uint32_t task, const char *why)
{
	struct out *line = news_begin(local, "error", client->following.job);

	json_write_plain(line, ",\"text\":", why);
	task_write(line, task);
	return news_send(local, client);
}

/*
 * Report the error state of a task that is pending again, because it does not run until a user
 * acts.
 */
static bool requeued_send(struct local *local, struct client *client, const struct local_task *task)
{
	struct local_job job = { 0 };
	struct error error;
	bool is_there = true;

	if (job_load(local, task->job_number, &job, &error) == 0 && job.error && job_is_in_error(&job, task->id))
		is_there = error_send(local, client, task->is_array ? task->id : 0, job.error);
	job_free(&job);
	return is_there;
}

/* Report the error state of a job at the beginning: it may have been in error for a long time. */
static bool state_send(struct local *local, struct client *client)
{
	struct stored_job stored;
	struct error error;

	if (store_job_find(local->store, client->following.job, &stored, &error) || !stored.error)
		return true;
	return error_send(local, client, 0, stored.error);
}

/* Report all tasks, or those that have begun or ended in this turn. */
static bool tasks_send(struct local *local, struct client *client, bool all)
{
	uint32_t number = client->following.job;

	for (size_t i = local_task_first(local, number);
	     i < local->tasks.n && local->tasks.items[i]->job_number == number; i++) {
		const struct local_task *task = local->tasks.items[i];

		if (!all && (!task->commit.due || local_task_runs(task)))
			continue;
		if (task->ending.requeue ? !all && !requeued_send(local, client, task)
					 : !task_send(local, client, task))
			return false;
	}
	return !all || state_send(local, client);
}

struct past_news {
	struct local *l;
	struct client *c;	/* NULL: the client has gone */
};

/* Report an earlier end, unless the task was to run again. */
static void past_take(void *context, const struct ended_line *ended)
{
	struct past_news *past = context;
	const struct person *person = past->c ? person_of(&past->l->people, past->c->uid) : NULL;
	bool by_signal = ended->failed == FAILED_AFTER_JOB || ended->failed == FAILED_LIMIT;
	int signal = by_signal && ended->exit_status > 128 ? ended->exit_status - 128 : 0;
	struct out *line;

	if (!person || (!client_is_operator(past->c) && strcmp(person->name, ended->owner) != 0) ||
	    ending_is_void(ended->failed, ended->exit_status))
		return;
	line = news_begin(past->l, "ended", past->c->following.job);
	end_write(line, (int)ended->failed, ended->exit_status, signal);
	task_write(line, ended->task);
	if (!news_send(past->l, past->c))
		past->c = NULL;
}

static bool past_send(struct local *local, struct client *client)
{
	struct past_news past = { local, client };
	uint32_t number = client->following.job;
	int rc = client->following.resumes ? accounting_find(local, number, past_take, &past) : 0;

	if (rc)
		log_line(LOG_ODD,
			 "accounting cannot be read: %s; followers of job %u do not get earlier ends",
			 strerror(-rc), number);
	if (past.c)
		client->following.resumes = false;
	return past.c != NULL;
}

static bool is_gone(struct local *local, uint32_t job_number)
{
	struct stored_job stored;
	struct error error;
	int rc = store_job_find(local->store, job_number, &stored, &error);

	if (rc || (stored.waiting && *stored.waiting))
		return rc == -ENOENT;
	for (size_t i = local_task_first(local, job_number);
	     i < local->tasks.n && local->tasks.items[i]->job_number == job_number; i++)
		if (!local_task_has_ended(local->tasks.items[i]))
			return false;
	return true;
}

static void follower_settle(struct local *local, struct client *client)
{
	bool begins = client->following.wished;

	client->following.job = begins ? client->following.wished : client->following.job;
	client->following.wished = 0;
	if (!client->following.job || (!begins && !local->turn.changed) || !past_send(local, client) ||
	    !tasks_send(local, client, begins) || !is_gone(local, client->following.job))
		return;
	news_begin(local, "gone", client->following.job);
	local->clients.nfollowing--;
	client->following.job = 0;
	news_send(local, client);
}

void follow_settle(struct local *local)
{
	struct client *next;

	for (struct client *client = local->clients.nfollowing ? local->clients.first : NULL; client; client = next) {
		next = client->next;
		follower_settle(local, client);
	}
}
