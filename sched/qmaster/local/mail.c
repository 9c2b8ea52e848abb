/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/local/mail.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "sched/process/log.h"
#include "sched/qmaster/local/inside.h"
#include "sched/qmaster/local/request.h"

#define ADDRESSES_MOST 16
#define WORDS_MOST (8 + ADDRESSES_MOST)

/*
 * Find the sending program. `mailer` of sge_conf(5) is usually mail(1), whose treatment of
 * addresses cannot be controlled. Therefore only sendmail is used.
 */
const char *mail_program(const struct local *local)
{
	const char *asked = access_global_text(sched_cell(local->sched), "mailer"),
		   *slash = asked ? strrchr(asked, '/') : NULL;
	const char *const places[] = { slash && strcmp(slash, "/sendmail") == 0 ? asked : NULL, "/usr/sbin/sendmail",
				       "/usr/lib/sendmail" };

	if (asked && strcasecmp(asked, "none") == 0)
		return NULL;
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
		if (places[i] && *places[i] == '/' && access(places[i], X_OK) == 0)
			return places[i];
	return NULL;
}

static const char *letters_of(const struct local_job *job)
{
	const char *letters = job->execution.mail_options;

	return letters && !strchr(letters, 'n') ? letters : "";
}

bool mail_is_wanted(const struct local_job *job)
{
	return *letters_of(job);
}

void mail_of_job(struct local_task *task, const struct local_job *job)
{
	snprintf(task->mail, sizeof(task->mail), "%s%s%s%s", strchr(letters_of(job), 'b') ? "b" : "",
		 strchr(letters_of(job), 'e') ? "e" : "", strchr(letters_of(job), 'a') ? "a" : "",
		 strchr(letters_of(job), 's') ? "s" : "");
}

/* Message */

struct letter {
	const struct local *l;
	const struct local_task *t;
	const struct local_job *job;
	const char *what;		/* title of the event */
	FILE *file;
};

/*
 * Write a job name. It has no control characters; characters outside ASCII would have to be encoded
 * in a header.
 */
static void header_name(FILE *file, const char *name)
{
	for (; *name; name++)
		fputc(*name >= ' ' && *name <= '~' ? *name : '?', file);
}

static void title(const struct letter *letter, void (*name)(FILE *file, const char *name))
{
	fprintf(letter->file, letter->t->is_array ? "Job-array task %u.%u (" : "Job %u (", letter->t->job_number,
		letter->t->id);
	name(letter->file, job_name(letter->job));
	fprintf(letter->file, ") %s\n", letter->what);
}

static void body_name(FILE *file, const char *name)
{
	fputs(name, file);
}

static void head_write(const struct letter *letter)
{
	const struct text_list *addresses = &letter->job->execution.mail_list;

	fputs("To: ", letter->file);
	if (addresses->n == 0)
		fputs(letter->job->owner, letter->file);
	for (size_t i = 0; i < addresses->n; i++)
		fprintf(letter->file, "%s%s", i ? ",\n " : "", addresses->items[i]);
	fputs("\nSubject: ", letter->file);
	title(letter, header_name);
	fputs("Auto-Submitted: auto-generated\nMIME-Version: 1.0\nContent-Type: text/plain; "
	      "charset=UTF-8\nContent-Transfer-Encoding: 8bit\n\n",
	      letter->file);
	title(letter, body_name);
}

static void line_text(const struct letter *letter, const char *name, const char *value)
{
	fprintf(letter->file, " %-16s = %s\n", name, value);
}

static void line_date(const struct letter *letter, const char *name, double date)
{
	time_t seconds = (time_t)date;
	char text[32] = "-";
	struct tm tm;

	if (date > 0 && localtime_r(&seconds, &tm))
		strftime(text, sizeof(text), "%m/%d/%Y %H:%M:%S", &tm);
	line_text(letter, name, text);
}

static void line_span(const struct letter *letter, const char *name, double seconds)
{
	unsigned long long whole = seconds > 0 && seconds < 0x1p53 ? (unsigned long long)seconds : 0;
	char text[40];

	snprintf(text, sizeof(text), "%02llu:%02llu:%02llu", whole / 3600, whole / 60 % 60, whole % 60);
	line_text(letter, name, text);
}

static void line_bytes(const struct letter *letter, const char *name, double bytes)
{
	static const char units[] = "KMGT";
	char text[40];
	int unit = -1;

	while (bytes >= 1024 && unit < 3) {
		bytes /= 1024;
		unit++;
	}
	snprintf(text, sizeof(text), unit < 0 ? "%.0f" : "%.3f%c", bytes, unit < 0 ? ' ' : units[unit]);
	line_text(letter, name, text);
}

static void place_write(const struct letter *letter)
{
	line_text(letter, "User", letter->job->owner);
	line_text(letter, "Queue", local_task_queue(letter->t));
	line_text(letter, "Host", letter->l->machine.host);
	line_date(letter, "Start Time",
		  letter->t->ending.start_time > 0 ? letter->t->ending.start_time : (double)letter->t->start_time);
}

static bool is_in_error(const struct letter *letter)
{
	return letter->t->ending.requeue && letter->job->error && job_is_in_error(letter->job, letter->t->id);
}

static void end_write(const struct letter *letter)
{
	const struct task_ending *end = &letter->t->ending;
	char text[64];

	line_date(letter, "End Time", end->end_time);
	line_span(letter, "User Time", end->utime_s);
	line_span(letter, "System Time", end->stime_s);
	line_span(letter, "Wallclock Time", end->wallclock_s);
	line_span(letter, "CPU", letter->t->usage.cpu_s);
	line_bytes(letter, "Max vmem", end->maxvmem_bytes);
	snprintf(text, sizeof(text), "%d", end->exit_status);
	line_text(letter, "Exit Status", text);
	if (end->signal) {
		snprintf(text, sizeof(text), "SIG%s", sigabbrev_np(end->signal) ? sigabbrev_np(end->signal) : "?");
		line_text(letter, "Signal", text);
	}
	if (end->failed) {
		snprintf(text, sizeof(text), "%d", end->failed);
		line_text(letter, "Failed", text);
	}
	if (*end->text && !is_in_error(letter))
		line_text(letter, "Reason", end->text);
	if (!end->requeue && letter->t->removal != REMOVAL_NONE)
		fputs("\nIt was deleted.\n", letter->file);
	else if (is_in_error(letter))
		fprintf(letter->file,
			"\nIt is in the error state: %s\n\"fairlead mod -cj %u\" clears it after the cause is "
			"repaired.\n",
			letter->job->error, letter->job->number);
	else if (end->requeue)
		fputs("\nIt is pending and will run again.\n", letter->file);
}

/* Sending */

static void letter_post(struct local *local, const struct letter *letter, const char *text)
{
	const struct text_list *addresses = &letter->job->execution.mail_list;
	const char *program = mail_program(local), *words[WORDS_MOST + 1];
	char uid[16], gid[16];
	size_t n = 0;
	int rc;

	if (!program) {
		if (!local->mail_missed)
			log_line(
				LOG_ODD,
				"jobs request mail, but it cannot be sent: this machine has no sendmail, or mailer of "
				"global_conf is none");
		local->mail_missed = true;
		return;
	}
	snprintf(uid, sizeof(uid), "%u", letter->job->uid);
	snprintf(gid, sizeof(gid), "%u", letter->job->gid);
	for (size_t i = 0; i < 7; i++)
		words[n++] = ((const char *const[]){ local->shepherd, "--mail", letter->job->owner, uid, gid, program,
						     "-i" })[i];
	if (addresses->n == 0)
		words[n++] = letter->job->owner;
	for (size_t i = 0; i < addresses->n && n < WORDS_MOST; i++)
		words[n++] = addresses->items[i];
	words[n] = NULL;
	rc = errand_send(local, ERRAND_MAIL, letter->job->uid, words, text);
	if (rc && !local->mail_crowded)
		log_event(LOG_ODD, LOG_JOB(letter->job->number),
			  "job %u: mail is dropped until fewer messages are pending: %s",
			  letter->job->number, rc == -EAGAIN ? "too many are pending" : strerror(-rc));
	local->mail_crowded = rc != 0;
}

static void letter_send(struct local *local, const struct local_task *task, const char *what, bool has_ended)
{
	struct local_job job = { 0 };
	struct letter letter = { .l = local, .t = task, .job = &job, .what = what };
	struct error error;
	char *text = NULL;
	size_t length;

	if (job_load(local, task->job_number, &job, &error) == 0 && *job.owner != '-')
		letter.file = open_memstream(&text, &length);
	if (letter.file) {
		if (has_ended && is_in_error(&letter))
			letter.what = "Set in error state";
		head_write(&letter);
		place_write(&letter);
		if (has_ended)
			end_write(&letter);
		if (fclose(letter.file) == 0)
			letter_post(local, &letter, text);
	}
	free(text);
	job_free(&job);
}

void mail_begun(struct local *local, const struct local_task *task)
{
	if (strchr(task->mail, 'b'))
		letter_send(local, task, "Started", false);
}

/*
 * Send mail about an end. `e` selects final ends. `a` selects ends with a problem, including those
 * after which the task is pending again.
 */
void mail_ended(struct local *local, const struct local_task *task)
{
	const struct task_ending *end = &task->ending;
	bool aborted = end->failed || end->signal || end->requeue || task->removal != REMOVAL_NONE;

	if (aborted && strpbrk(task->mail, end->requeue ? "a" : "ae"))
		letter_send(local, task, end->requeue ? "Rescheduled" : "Aborted", true);
	else if (!aborted && strchr(task->mail, 'e'))
		letter_send(local, task, "Complete", true);
}

void mail_suspended(struct local *local, const struct local_task *task, bool stops)
{
	if (strchr(task->mail, 's'))
		letter_send(local, task, stops ? "Suspended" : "Continued", false);
}
