/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/process/log.h"

#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "conf/base/utf8.h"
#include "sched/process/log_journal.h"

#define TEXT_BYTES 1200			/* longest text of a line; it is cut */
/* longest line with all its parts: PIPE_BUF, which a pipe takes as a whole */
#define LINE_BYTES 4096

static struct {
	const char *program;
	bool details, journal, stamp, json;
	int journal_fd;			/* socket for messages with fields; < 0: there is none */
	_Atomic uint64_t run;		/* last run; 0: none */
	_Atomic uint64_t lost;		/* lost lines; threads of a qmaster write, too */
} log_to = { .journal_fd = -1 };

struct log_text {
	char text[LINE_BYTES];
	size_t used;
};

void log_open(const char *program, bool details)
{
	log_to.program = program;
	log_to.details = details;
	log_to.journal = getenv("JOURNAL_STREAM") && !isatty(STDERR_FILENO);
	if (log_to.journal_fd >= 0)
		close(log_to.journal_fd);
	log_to.journal_fd = log_journal_is_stderr() ? log_journal_open(LOG_JOURNAL_SOCKET) : -1;
	tzset();
}

void log_run(uint64_t run)
{
	log_to.run = run;
}

void log_stamp(void)
{
	log_to.stamp = true;
}

void log_json(void)
{
	log_to.json = true;
}

/* The line */

static void put(struct log_text *line, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(struct log_text *line, const char *format, ...)
{
	size_t room = sizeof(line->text) - line->used;
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(line->text + line->used, room, format, args);
	va_end(args);
	line->used += n < 0 ? 0 : (size_t)n < room ? (size_t)n : room - 1;
}

/* 2026-11-24T15:30:12.123+01:00 */
static void put_time(struct log_text *line)
{
	struct timespec now;
	struct tm tm;
	char date[40], zone[8];

	clock_gettime(CLOCK_REALTIME, &now);
	if (!localtime_r(&now.tv_sec, &tm) || !strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", &tm) ||
	    strftime(zone, sizeof(zone), "%z", &tm) != 5)
		return;
	put(line, "%s.%03ld%.3s:%s", date, now.tv_nsec / 1000000, zone, zone + 3);
}

/* Append a JSON string; its text is printable. */
static void put_string(struct log_text *line, const char *key, const char *text)
{
	put(line, "%s\"", key);
	for (; *text; text++)
		put(line, *text == '"' || *text == '\\' ? "\\%c" : *text == '\t' ? "\\t" : "%c", *text);
	put(line, "\"");
}

static void put_json(struct log_text *line, enum log_level level, const struct log_event *event, const char *text)
{
	static const char *const levels[] = {
		[LOG_FAILURE] = "error", [LOG_ODD] = "warning", [LOG_NOTE] = "notice", [LOG_DETAIL] = "info"
	};
	char user[260], host[260];

	put(line, "{\"time\":\"");
	put_time(line);
	put(line, "\",\"level\":\"%s\"", levels[level]);
	if (event) {
		if (event->name)
			put(line, ",\"event\":\"%s\"", event->name);
		if (event->job_number)
			put(line, ",\"job\":%u", event->job_number);
		if (event->task)
			put(line, ",\"task\":%u", event->task);
		if (event->user) {
			snprintf(user, sizeof(user), "%s", event->user);
			utf8_clean(user);
			put_string(line, ",\"user\":", user);
		}
		if (event->host) {
			snprintf(host, sizeof(host), "%s", event->host);
			utf8_clean(host);
			put_string(line, ",\"host\":", host);
		}
		if (event->uid >= 0)
			put(line, ",\"uid\":%lld,\"refused\":%s", (long long)event->uid,
			    event->refused ? "true" : "false");
	}
	put_string(line, ",\"text\":", text);
	put(line, "}");
}

static void put_plain(struct log_text *line, const struct log_event *event, const char *text)
{
	char who[300] = "";

	if (event && event->uid >= 0)
		snprintf(who, sizeof(who), " by %s (%lld)", event->user ? event->user : "?", (long long)event->uid);
	utf8_clean(who);
	if (event && event->name)
		put(line, "%s%s%s: ", event->name, who, event->refused ? " refused" : "");
	put(line, "%s", text);
}

/* Output */

/*
 * Return whether standard error accepts a line. A pipe or a socket without a reader would block the
 * writer.
 */
static bool there_is_room(void)
{
	struct pollfd fd = { .fd = STDERR_FILENO, .events = POLLOUT };

	return poll(&fd, 1, 0) == 1 && (fd.revents & POLLOUT);
}

/* Append the beginning of a line: the level for the journal, else time and program. */
static void put_beginning(struct log_text *line, enum log_level level)
{
	if (log_to.journal) {
		put(line, "<%d>", level);
	} else if (!log_to.json) {
		if (log_to.stamp) {
			put_time(line);
			put(line, " ");
		}
		put(line, "%s: ", log_to.program);
	}
}

static void put_text(struct log_text *line, enum log_level level, const struct log_event *event, const char *text)
{
	if (log_to.json)
		put_json(line, level, event, text);
	else
		put_plain(line, event, text);
	if (line->used > sizeof(line->text) - 2)
		line->used = sizeof(line->text) - 2;
	line->text[line->used++] = '\n';
}

/* Append the fields of systemd.journal-fields(7) and those of fairlead-log(5). */
static void put_fields(struct log_text *line, enum log_level level, const struct log_event *event)
{
	char host[260];

	put(line, "PRIORITY=%d\nSYSLOG_IDENTIFIER=%s\n", level, log_to.program);
	if (log_to.run)
		put(line, "FAIRLEAD_RUN=%llu\n", (unsigned long long)log_to.run);
	if (event && event->job_number)
		put(line, "FAIRLEAD_JOB=%u\n", event->job_number);
	if (event && event->task)
		put(line, "FAIRLEAD_TASK=%u\n", event->task);
	if (event && event->host) {
		snprintf(host, sizeof(host), "%s", event->host);
		utf8_clean(host);
		put(line, "FAIRLEAD_HOST=%s\n", host);
	}
}

/*
 * Send a message with fields to the journal. Returns 0 if it was sent or is lost. Otherwise, the
 * journal does not answer at its socket, and standard error is used, which it may still read.
 */
static int journal_write(enum log_level level, const struct log_event *event, const char *text)
{
	struct log_text line = { .used = 0 };
	int rc;

	if (log_to.journal_fd < 0)
		return -ENOTCONN;
	put_fields(&line, level, event);
	put(&line, "MESSAGE=");
	put_text(&line, level, event, text);
	rc = log_journal_send(log_to.journal_fd, line.text, line.used);
	if (rc == -ECONNREFUSED || rc == -ENOTCONN) {	/* another journald has begun */
		close(log_to.journal_fd);
		log_to.journal_fd = log_journal_open(LOG_JOURNAL_SOCKET);
		rc = log_to.journal_fd < 0 ? -ENOTCONN : log_journal_send(log_to.journal_fd, line.text, line.used);
	}
	if (rc == -EAGAIN) {
		log_to.lost++;
		return 0;
	}
	return rc;
}

static void line_write(enum log_level level, const struct log_event *event, const char *text)
{
	struct log_text line = { .used = 0 };

	if (journal_write(level, event, text) == 0)
		return;
	put_beginning(&line, level);
	put_text(&line, level, event, text);
	if (write(STDERR_FILENO, line.text, line.used) < 0)
		log_to.lost++;
}

static void line_put(enum log_level level, const struct log_event *event, char *text)
{
	char note[80];

	utf8_clean(text);
	if (!there_is_room()) {
		log_to.lost++;
		return;
	}
	if (log_to.lost > 0) {
		snprintf(note, sizeof(note), "the log was not read for a while: %llu lines are lost",
			 (unsigned long long)log_to.lost);
		log_to.lost = 0;
		line_write(LOG_ODD, NULL, note);
		if (!there_is_room()) {
			log_to.lost++;
			return;
		}
	}
	line_write(level, event, text);
}

void log_line(enum log_level level, const char *format, ...)
{
	char text[TEXT_BYTES];
	va_list args;

	if (level == LOG_DETAIL && !log_to.details)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	line_put(level, NULL, text);
}

void log_event(enum log_level level, const struct log_event *event, const char *format, ...)
{
	char text[TEXT_BYTES];
	va_list args;

	if (level == LOG_DETAIL && !log_to.details)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	line_put(level, event, text);
}

void log_report(const struct report *report)
{
	for (size_t i = 0; i < report->n; i++) {
		const struct finding *finding = &report->findings[i];
		bool fault = finding->severity == FAULT;
		char place[512];

		finding_place(finding, place, sizeof(place));
		log_line(fault ? LOG_FAILURE : LOG_ODD, "%s: %s: %s", place, fault ? "fault" : "warning",
			 finding->text);
	}
	if (report->faults > report->n)
		log_line(LOG_FAILURE, "%zu faults in all", report->faults);
}
