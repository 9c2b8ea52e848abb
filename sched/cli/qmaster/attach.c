/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fairlead attach: take the scheduler role of a real qmaster, and hand it back. The process that
 * serves the cell gets a signal, which the kernel permits to its user and to root. The result is
 * read from the published state, like all readers do.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "sched/cli/verbs.h"
#include "shm/place.h"

#define LOOK_NS 20000000
#define BEGINS_S 5			/* seconds to wait for a scheduler that serves the cell */

struct attach_wish {
	const char *cell;
	bool back;
	unsigned long wait_s;
	struct fl_cell *reader;
	struct fl_run run;
	struct fl_place place;		/* last state read */
	uint32_t asked;			/* answered requests before this one */
};

static int wait_take(void *wait, struct words *words);

const struct argument attach_options[] = {
	{ "--wait", ARGUMENT_CALL, .field = offsetof(struct attach_wish, wait_s), .call = wait_take, .value = "SECONDS",
	  .sentence = "wait at most this long (default: 120)" },
	{ .name = NULL },
};

static int wait_take(void *wait, struct words *words)
{
	return options_number(words->messages, "--wait", NULL, words->value, 1, 86400, wait) ? EXIT_USAGE : EXIT_OK;
}

/* Published state */

/* Read the state. Return false if the last run has none. */
static bool place_read(struct attach_wish *wish)
{
	bool there;

	do {
		const struct fl_view *view = fl_begin(wish->reader);

		fl_run(view, &wish->run);
		there = fl_place(view, &wish->place) == 0;
	} while (fl_end(wish->reader) == -ESTALE);
	return there;
}

static void look_again(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = LOOK_NS }, NULL);
}

static int no_scheduler_serves(const struct attach_wish *wish)
{
	return cli_fail(
		EXIT_NO_DATA,
		"no fairlead-schedd serves %s; one is started by: fairlead-schedd --qmaster=%s, or systemctl start "
		"fairlead-qmaster@...; see fairlead-qmaster(7)",
		wish->cell, wish->cell);
}

static int no_place(const struct attach_wish *wish)
{
	return cli_fail(
		EXIT_NO_DATA,
		"%s: this scheduler does not work for the qmaster of a Grid Engine: it has no scheduler role to "
		"take or to hand back",
		wish->cell);
}

/*
 * Open the published run. A scheduler that was just started publishes once it has received all
 * data.
 */
static int reader_open(struct attach_wish *wish)
{
	time_t end = time(NULL) + BEGINS_S;
	bool there = false;
	int rc;

	for (;;) {
		rc = wish->reader ? 0 : fl_attach(&wish->reader, wish->cell);
		if (rc && rc != -ENOENT)
			return cli_attach_failed(wish->cell, rc);
		there = rc == 0 && place_read(wish);
		if (rc == 0 && wish->run.scheduler_alive)
			break;
		if (time(NULL) >= end)
			return no_scheduler_serves(wish);
		look_again();
	}
	wish->asked = wish->place.asked;
	return there ? EXIT_OK : no_place(wish);
}

/* Signal */

/*
 * Open the process. Its number comes from shared memory. Only a process of the user that owns the
 * memory gets the signal. Otherwise that user could make root send signals to any process.
 */
static int process_open(const struct attach_wish *wish, int *process)
{
	struct segment_paths paths;
	struct stat memory, own;
	char path[40];
	int rc = segment_paths(&paths, wish->cell);

	snprintf(path, sizeof(path), "/proc/%u", wish->run.scheduler_pid);
	*process = pidfd_open((pid_t)wish->run.scheduler_pid, 0);
	if (*process < 0 && (errno == ESRCH || errno == EINVAL))
		return no_scheduler_serves(wish);
	if (rc || *process < 0 || stat(paths.state, &memory) || stat(path, &own))
		return cli_fail(EXIT_NO_DATA, "%s: process %u: %m", wish->cell, wish->run.scheduler_pid);
	if (memory.st_uid != own.st_uid)
		return cli_fail(
			EXIT_PERMISSION,
			"%s: process %u is of user %u and its memory of user %u: this process is not the scheduler",
			wish->cell, wish->run.scheduler_pid, (unsigned)own.st_uid, (unsigned)memory.st_uid);
	return EXIT_OK;
}

static int ask(const struct attach_wish *wish)
{
	int process = -1, code = process_open(wish, &process);

	if (!code && pidfd_send_signal(process, wish->back ? SIGUSR2 : SIGUSR1, NULL, 0))
		code = errno == EPERM
			       ? cli_fail(EXIT_PERMISSION,
					  "%s: only the user that the scheduler runs as may do this, or root",
					  wish->cell)
			       : cli_fail(EXIT_NO_DATA, "%s: process %u: %m", wish->cell, wish->run.scheduler_pid);
	if (process >= 0)
		close(process);
	return code;
}

/* Result */

static const char *who(const struct fl_place *place, char *text, size_t size)
{
	if (place->builtin)
		return "the built-in scheduler";
	if (!place->known || !*place->host)
		return place->known ? "no scheduler" : "an unknown scheduler";
	snprintf(text, size, "%s on %s", place->name, place->host);
	return text;
}

static int attach_report(const struct attach_wish *wish)
{
	if (wish->place.state != FL_PLACE_OURS)
		return cli_fail(EXIT_DIFFERENCE, "%s: not taken: %s", wish->cell, wish->place.reason);
	printf("%s: fairlead is the scheduler, process %u on %s; its first run is over\n", wish->cell,
	       wish->run.scheduler_pid, wish->place.host);
	return EXIT_OK;
}

static int hand_back_report(const struct attach_wish *wish)
{
	char text[400];

	if (wish->place.state != FL_PLACE_WATCHING)
		return cli_fail(EXIT_DIFFERENCE, "%s: not handed back: %s", wish->cell, wish->place.reason);
	printf("%s: %s has the scheduler role\n", wish->cell, who(&wish->place, text, sizeof(text)));
	return wish->place.builtin ? EXIT_OK : EXIT_DIFFERENCE;
}

/* Wait for the result, and print each change of the reason for waiting. */
static int follow(struct attach_wish *wish)
{
	char reported[sizeof(wish->place.reason)] = "";
	time_t end = time(NULL) + (time_t)wish->wait_s;

	for (;;) {
		if (!place_read(wish))
			return no_place(wish);
		if (!wish->run.scheduler_alive)
			return no_scheduler_serves(wish);
		if (wish->place.asked != wish->asked && wish->place.done == wish->place.asked)
			return wish->back ? hand_back_report(wish) : attach_report(wish);
		if (wish->place.asked != wish->asked && *wish->place.reason && strcmp(reported, wish->place.reason) != 0) {
			snprintf(reported, sizeof(reported), "%s", wish->place.reason);
			cli_fail(EXIT_OK, "%s: %s", wish->cell, reported);
		}
		if (time(NULL) >= end)
			return cli_fail(
				EXIT_DIFFERENCE,
				"%s: not done within %lu s; the scheduler continues to try, and fairlead stat "
				"shows what is",
				wish->cell, wish->wait_s);
		look_again();
	}
}

static int run(struct attach_wish *wish, int argc, char **argv)
{
	struct words words = { .table = attach_options, .argc = argc, .argv = argv, .next = 1 };
	int code = options_take(&words, wish);

	if (!code && words.next < argc)
		code = cli_fail(EXIT_USAGE, "%s: %s: no operand is expected", argv[0], argv[words.next]);
	if (!code)
		code = reader_open(wish);
	if (!code)
		code = ask(wish);
	if (!code)
		code = follow(wish);
	if (wish->reader)
		fl_detach(wish->reader);
	return code;
}

int attach_run(const char *cell, int argc, char **argv)
{
	struct attach_wish wish = { .cell = cell, .back = strcmp(argv[0], "hand-back") == 0, .wait_s = 120 };

	return run(&wish, argc, argv);
}
