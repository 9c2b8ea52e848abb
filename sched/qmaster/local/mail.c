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
 * mailer of sge_conf(5) is mail(1) as a rule, which has no way to say what it makes of an address.
 */
const char *mail_program(const struct local *l)
{
	const char *asked = access_global_text(sched_cell(l->sched), "mailer"), *slash = asked ? strrchr(asked, '/') : NULL;
	const char *const places[] = { slash && strcmp(slash, "/sendmail") == 0 ? asked : NULL, "/usr/sbin/sendmail", "/usr/lib/sendmail" };

	if (asked && strcasecmp(asked, "none") == 0)
		return NULL;
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
		if (places[i] && *places[i] == '/' && access(places[i], X_OK) == 0)
			return places[i];
	return NULL;
}

static const char *letters_of(const struct local_job *job)
{
	const char *letters = json_string_value(json_object_get(job->execution, "mail_options"));

	return letters && !strchr(letters, 'n') ? letters : "";
}

bool mail_is_wanted(const struct local_job *job)
{
	return *letters_of(job);
}

void mail_of_job(struct local_task *t, const struct local_job *job)
{
	snprintf(t->mail, sizeof(t->mail), "%s%s%s%s", strchr(letters_of(job), 'b') ? "b" : "", strchr(letters_of(job), 'e') ? "e" : "",
		 strchr(letters_of(job), 'a') ? "a" : "", strchr(letters_of(job), 's') ? "s" : "");
}

/* The letter */

struct letter {
	const struct local *l;
	const struct local_task *t;
	const struct local_job *job;
	const char *what;		/* has become of it */
	FILE *file;
};

/* Names of jobs have no control characters; what is no ASCII would have to be wrapped up here. */
static void header_name(FILE *file, const char *name)
{
	for (; *name; name++)
		fputc(*name >= ' ' && *name <= '~' ? *name : '?', file);
}

static void title(const struct letter *m, void (*name)(FILE *file, const char *name))
{
	fprintf(m->file, m->t->is_array ? "Job-array task %u.%u (" : "Job %u (", m->t->job_number, m->t->id);
	name(m->file, job_name(m->job));
	fprintf(m->file, ") %s\n", m->what);
}

static void body_name(FILE *file, const char *name)
{
	fputs(name, file);
}

static const json_t *addresses_of(const struct local_job *job)
{
	return json_object_get(job->execution, "mail_list");
}

static void head_write(const struct letter *m)
{
	const json_t *addresses = addresses_of(m->job), *address;
	size_t i;

	fputs("To: ", m->file);
	if (!addresses)
		fputs(m->job->owner, m->file);
	json_array_foreach(addresses, i, address)
		fprintf(m->file, "%s%s", i ? ",\n " : "", json_string_value(address));
	fputs("\nSubject: ", m->file);
	title(m, header_name);
	fputs("Auto-Submitted: auto-generated\nMIME-Version: 1.0\nContent-Type: text/plain; charset=UTF-8\nContent-Transfer-Encoding: 8bit\n\n", m->file);
	title(m, body_name);
}

static void line_text(const struct letter *m, const char *name, const char *value)
{
	fprintf(m->file, " %-16s = %s\n", name, value);
}

static void line_date(const struct letter *m, const char *name, double date)
{
	time_t seconds = (time_t)date;
	char text[32] = "-";
	struct tm tm;

	if (date > 0 && localtime_r(&seconds, &tm))
		strftime(text, sizeof(text), "%m/%d/%Y %H:%M:%S", &tm);
	line_text(m, name, text);
}

static void line_span(const struct letter *m, const char *name, double seconds)
{
	unsigned long long whole = seconds > 0 && seconds < 0x1p53 ? (unsigned long long)seconds : 0;
	char text[40];

	snprintf(text, sizeof(text), "%02llu:%02llu:%02llu", whole / 3600, whole / 60 % 60, whole % 60);
	line_text(m, name, text);
}

static void line_bytes(const struct letter *m, const char *name, double bytes)
{
	static const char units[] = "KMGT";
	char text[40];
	int unit = -1;

	while (bytes >= 1024 && unit < 3) {
		bytes /= 1024;
		unit++;
	}
	snprintf(text, sizeof(text), unit < 0 ? "%.0f" : "%.3f%c", bytes, unit < 0 ? ' ' : units[unit]);
	line_text(m, name, text);
}

static void place_write(const struct letter *m)
{
	line_text(m, "User", m->job->owner);
	line_text(m, "Queue", local_task_queue(m->t));
	line_text(m, "Host", m->l->machine.host);
	line_date(m, "Start Time", m->t->ending.start_time > 0 ? m->t->ending.start_time : (double)m->t->start_time);
}

static bool is_in_error(const struct letter *m)
{
	return m->t->ending.requeue && m->job->error && job_is_in_error(m->job, m->t->id);
}

static void end_write(const struct letter *m)
{
	const struct task_ending *end = &m->t->ending;
	char text[64];

	line_date(m, "End Time", end->end_time);
	line_span(m, "User Time", end->utime_s);
	line_span(m, "System Time", end->stime_s);
	line_span(m, "Wallclock Time", end->wallclock_s);
	line_span(m, "CPU", m->t->usage.cpu_s);
	line_bytes(m, "Max vmem", end->maxvmem_bytes);
	snprintf(text, sizeof(text), "%d", end->exit_status);
	line_text(m, "Exit Status", text);
	if (end->signal) {
		snprintf(text, sizeof(text), "SIG%s", sigabbrev_np(end->signal) ? sigabbrev_np(end->signal) : "?");
		line_text(m, "Signal", text);
	}
	if (end->failed) {
		snprintf(text, sizeof(text), "%d", end->failed);
		line_text(m, "Failed", text);
	}
	if (*end->text && !is_in_error(m))
		line_text(m, "Reason", end->text);
	if (!end->requeue && m->t->removal != REMOVAL_NONE)
		fputs("\nIt was deleted.\n", m->file);
	else if (is_in_error(m))
		fprintf(m->file, "\nIt is in the error state: %s\n\"fairlead mod -cj %u\" clears that when it is mended.\n", m->job->error, m->job->number);
	else if (end->requeue)
		fputs("\nIt waits, and is to run again.\n", m->file);
}

/* Sending */

static void letter_post(struct local *l, const struct letter *m, const char *text)
{
	const json_t *addresses = addresses_of(m->job), *address;
	const char *program = mail_program(l), *words[WORDS_MOST + 1];
	char uid[16], gid[16];
	size_t n = 0, i;
	int rc;

	if (!program) {
		if (!l->mail_missed)
			log_line(LOG_ODD, "jobs want mail, and it can't be sent: this machine has no sendmail, or mailer of global_conf is none");
		l->mail_missed = true;
		return;
	}
	snprintf(uid, sizeof(uid), "%u", m->job->uid);
	snprintf(gid, sizeof(gid), "%u", m->job->gid);
	for (i = 0; i < 7; i++)
		words[n++] = ((const char *const[]){ l->shepherd, "--mail", m->job->owner, uid, gid, program, "-i" })[i];
	if (!addresses)
		words[n++] = m->job->owner;
	json_array_foreach(addresses, i, address)
		if (n < WORDS_MOST)
			words[n++] = json_string_value(address);
	words[n] = NULL;
	rc = errand_send(l, ERRAND_MAIL, m->job->uid, words, text);
	if (rc && !l->mail_crowded)
		log_line(LOG_ODD, "job %u: mail is not sent, and neither is what follows until there is room: %s", m->job->number,
			 rc == -EAGAIN ? "too many are waiting" : strerror(-rc));
	l->mail_crowded = rc != 0;
}

static void letter_send(struct local *l, const struct local_task *t, const char *what, bool has_ended)
{
	struct local_job job = { 0 };
	struct letter m = { .l = l, .t = t, .job = &job, .what = what };
	struct error error;
	char *text = NULL;
	size_t length;

	if (job_load(l, t->job_number, &job, &error) == 0 && *job.owner != '-')
		m.file = open_memstream(&text, &length);
	if (m.file) {
		if (has_ended && is_in_error(&m))
			m.what = "Set in error state";
		head_write(&m);
		place_write(&m);
		if (has_ended)
			end_write(&m);
		if (fclose(m.file) == 0)
			letter_post(l, &m, text);
	}
	free(text);
	job_free(&job);
}

void mail_begun(struct local *l, const struct local_task *t)
{
	if (strchr(t->mail, 'b'))
		letter_send(l, t, "Started", false);
}

/*
 * Who wants to know of the end alone is told of each; who wants to know of trouble, only of that.
 */
void mail_ended(struct local *l, const struct local_task *t)
{
	const struct task_ending *end = &t->ending;
	bool aborted = end->failed || end->signal || end->requeue || t->removal != REMOVAL_NONE;

	if (aborted && strpbrk(t->mail, end->requeue ? "a" : "ae"))
		letter_send(l, t, end->requeue ? "Rescheduled" : "Aborted", true);
	else if (!aborted && strchr(t->mail, 'e'))
		letter_send(l, t, "Complete", true);
}

void mail_suspended(struct local *l, const struct local_task *t, bool stops)
{
	if (strchr(t->mail, 's'))
		letter_send(l, t, stops ? "Suspended" : "Continued", false);
}
