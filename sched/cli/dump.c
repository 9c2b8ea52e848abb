/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state that a run worked on, as events; and the configuration that was in force, as files.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sched/cli/dump_files.h"
#include "sched/cli/dump_loads.h"
#include "sched/cli/verbs.h"
#include "sched/qmaster/json/event_write.h"
#include "sched/reader/handle.h"
#include "sched/run/records_state.h"
#include "sched/run/retell.h"

struct dump {
	const char *file;		/* NULL: standard output */
	const char *directory;		/* for the files; NULL: none are wanted */
	struct out *out;
	uint64_t seq;
	struct cell_files files;
	bool told;			/* by a qmaster */
	int error;			/* of the last try */
	struct fl_run run;
	bool dispatches;
};

const struct argument dump_options[] = {
	{ "-o", ARGUMENT_TEXT, .field = offsetof(struct dump, file), .value = "FILE", .sentence = "write the events to FILE" },
	{ .name = NULL },
};

static int write_event(void *context, const struct event *event)
{
	struct dump *d = context;

	event_write(d->out, ++d->seq, event);
	return d->told && event->type == EVENT_HOST_LOAD ? dump_load(&d->files, &event->host) : 0;
}

static int dump_print(const struct fl_view *view, struct out *out, void *context)
{
	struct dump *d = context;
	const struct retell_calls calls = { .context = d, .event = write_event };
	const struct state_head *head = view_state(&view->view);

	d->out = out;
	d->seq = 0;
	cell_files_free(&d->files);
	fl_run(view, &d->run);
	d->dispatches = head && LOAD_ONCE(head->dispatches) != RUN_ORDERS_NOTHING;
	d->error = d->directory ? retell_files(&view->view, &d->files) : 0;
	d->told = dump_is_told(&d->files);
	if (d->error == 0)
		d->error = retell_events(&view->view, &calls);
	return d->error ? EXIT_NO_DATA : EXIT_OK;
}

static int report(const struct dump *d, const char *cell)
{
	if (d->error == -ENODATA)
		return cli_fail(EXIT_NO_DATA, "%s: the run has no state", cell);
	if (d->error == -EACCES)
		return cli_fail(EXIT_PERMISSION, "%s: not all who may read the run may read all files of the cell: they are not published", cell);
	if (d->error == -EPROTO)
		return cli_fail(EXIT_NO_DATA, "%s: the state in shared memory is damaged", cell);
	return cli_fail(EXIT_NO_DATA, "%s", strerror(-d->error));
}

static int parse(struct dump *d, int argc, char **argv)
{
	struct words words = { .table = dump_options, .argc = argc, .argv = argv, .next = 1 };
	int code = options_take(&words, d);

	if (code)
		return code;
	if (argc - words.next > 1)
		return cli_fail(EXIT_USAGE, "dump: one directory at most");
	d->directory = words.next < argc ? argv[words.next] : NULL;
	return EXIT_OK;
}

/* Standard output becomes the file. */
static int redirect(const char *file)
{
	int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	bool done = fd >= 0 && dup2(fd, STDOUT_FILENO) >= 0;
	int error = errno;

	if (fd >= 0)
		close(fd);
	errno = error;
	return done ? EXIT_OK : cli_fail(error == EACCES ? EXIT_PERMISSION : EXIT_NO_DATA, "%s: %m", file);
}

int dump_run(const char *cell, int argc, char **argv)
{
	struct dump d = { 0 };
	int directory = -1;
	int code = parse(&d, argc, argv);

	if (code == EXIT_OK && d.directory)
		code = dump_directory_make(d.directory, &directory);
	if (code == EXIT_OK && d.file)
		code = redirect(d.file);
	if (code == EXIT_OK)
		code = section_run(cell, dump_print, &d);
	if (d.error)
		code = report(&d, cell);
	dump_about(&d.files);
	if (code == EXIT_OK && d.directory)
		code = dump_files(directory, d.directory, &d.files);
	cell_files_free(&d.files);
	if (directory >= 0)
		close(directory);
	if (code == EXIT_OK)
		cli_fail(EXIT_OK, "this is run %llu; it is computed again by fairlead-schedd --once --now %lld%s", (unsigned long long)d.run.run,
			 (long long)d.run.now, d.dispatches ? "" : " --no-dispatch");
	return code;
}
