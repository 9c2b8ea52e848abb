/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fairlead stat --watch: print the list repeatedly, in place on a terminal, otherwise one list
 * after the other. Each list attaches to the cell again, so that a restarted scheduler is followed.
 * Only shared memory is read.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "sched/cli/stat/stat.h"

#define HELD_BYTES (1u << 30)		/* bytes of one list */

/* Terminal modes while watching: no cursor, no line wrapping. */
#define WATCH_BEGIN "\033[?25l\033[?7l\033[H\033[J"
#define WATCH_END "\033[?7h\033[?25h"

struct watching {
	const char *cell;
	section_print *print;
	struct job_listing *listing;
	struct out list, frame;		/* the list as printed, the frame as drawn */
	/* end of the last list, to detect a new condition to report */
	struct section_end before;
	bool again;			/* a list was printed before */
};

static int frame_write(struct out *frame)
{
	const char *text;
	size_t bytes;
	int rc = out_held(frame, &text, &bytes);

	while (rc == 0 && bytes > 0) {
		ssize_t n = write(STDOUT_FILENO, text, bytes);

		if (n < 0 && errno != EINTR && errno != EAGAIN)
			rc = -errno;
		text += n > 0 ? n : 0;
		bytes -= n > 0 ? (size_t)n : 0;
	}
	out_rewind(frame);
	return rc ? cli_unwritten(-rc) : EXIT_OK;
}

static size_t count_lines(const char *text, size_t bytes)
{
	size_t n = 0;

	for (size_t i = 0; i < bytes; i++)
		n += text[i] == '\n';
	return n;
}

/* Draw the lines that fit, and the number of the remaining ones. */
static void draw(struct out *frame, const char *text, size_t bytes, unsigned rows)
{
	size_t lines = count_lines(text, bytes), room = rows > 1 ? rows - 1 : 1,
	       shown = lines > room ? room - 1 : lines;
	const char *end = text + bytes;

	out_text(frame, "\033[H");
	for (size_t k = 0; k < shown && text < end; k++) {
		const char *line = memchr(text, '\n', (size_t)(end - text));

		line = line ? line : end;
		out_bytes(frame, text, (size_t)(line - text));
		out_text(frame, COLOUR_END "\033[K\n");
		text = line + 1;
	}
	if (shown < lines)
		out_put(frame, "(%zu more)\033[K\n", lines - shown);
	out_text(frame, "\033[J");
}

static bool says_something_new(const struct watching *watching, const struct section_end *end)
{
	bool late = end->age.age_s > end->age.late_s,
	     was_late = watching->before.age.age_s > watching->before.age.late_s;

	return !watching->again || end->run.scheduler_alive != watching->before.run.scheduler_alive ||
	       late != was_late || end->place.state != watching->before.place.state;
}

static int show(struct watching *watching, bool in_place)
{
	struct messages messages = { .items = NULL };
	struct section_end end;
	const char *text;
	size_t bytes;
	int code = section_render(&messages, watching->cell, &watching->list, watching->print, watching->listing, &end);

	cli_print(&messages);
	if (code)
		return code;
	if (out_held(&watching->list, &text, &bytes))
		return cli_fail(EXIT_NO_DATA, "no memory for the list");
	if (in_place) {
		draw(&watching->frame, text, bytes, watching->listing->terminal.rows);
	} else {
		if (says_something_new(watching, &end))
			section_notes(&messages, watching->cell, &end);
		cli_print(&messages);
		out_text(&watching->frame, watching->again ? "\n" : "");
		out_bytes(&watching->frame, text, bytes);
	}
	watching->before = end;
	watching->again = true;
	return frame_write(&watching->frame);
}

static void terminal_write(bool in_place, const char *text)
{
	if (in_place && write(STDOUT_FILENO, text, strlen(text)) < 0)
		return;			/* no longer there: the next list reports it */
}

/* Wait until the time has passed. Return false on a signal to end. */
static bool pause_until(const sigset_t *signals, unsigned seconds, bool in_place)
{
	const struct timespec time = { .tv_sec = seconds };
	int number = sigtimedwait(signals, NULL, &time);

	if (number != SIGTSTP)
		return number < 0 || number == SIGWINCH;
	terminal_write(in_place, WATCH_END);
	raise(SIGSTOP);
	terminal_write(in_place, WATCH_BEGIN);
	return true;
}

static int watch(struct watching *watching, bool in_place, const sigset_t *signals, unsigned seconds)
{
	int code;

	do {
		terminal_look(&watching->listing->terminal, STDOUT_FILENO, watching->listing->colour);
		code = show(watching, in_place);
	} while ((code == EXIT_OK || (watching->again && code == EXIT_NO_DATA && !watching->list.error)) &&
		 pause_until(signals, seconds, in_place));
	return code;
}

int stat_watch(const char *cell, section_print *print, struct job_listing *listing, unsigned seconds)
{
	bool in_place = listing->terminal.can_draw;
	struct watching watching = { .cell = cell, .print = print, .listing = listing };
	sigset_t signals;
	int code = EXIT_OK;

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGTSTP);
	sigaddset(&signals, SIGWINCH);
	if (out_open_memory(&watching.list, HELD_BYTES) || out_open_memory(&watching.frame, HELD_BYTES))
		code = cli_fail(EXIT_NO_DATA, "no memory");
	if (!code) {
		sigprocmask(SIG_BLOCK, &signals, NULL);
		terminal_write(in_place, WATCH_BEGIN);
		code = watch(&watching, in_place, &signals, seconds);
		terminal_write(in_place, WATCH_END);
	}
	out_close(&watching.list);
	out_close(&watching.frame);
	return code;
}
