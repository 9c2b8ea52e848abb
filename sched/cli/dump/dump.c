/* SPDX-License-Identifier: Apache-2.0 */
/* fairlead dump: print the input of a run as events, and its configuration as files. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sched/cli/dump/files.h"
#include "sched/cli/dump/loads.h"
#include "sched/cli/verbs.h"
#include "sched/qmaster/json/event_write.h"
#include "sched/reader/handle.h"
#include "sched/run/records_state.h"
#include "sched/run/resend.h"

struct dump {
	const char *file;		/* NULL: standard output */
	const char *directory;		/* directory for the files, NULL: not requested */
	struct out *out;
	uint64_t seq;
	struct cell_files files;
	bool reported;			/* the configuration comes from a qmaster */
	int error;			/* result of the last attempt */
	struct fl_run run;
	bool dispatches;
};

const struct argument dump_options[] = {
	{ "-o", ARGUMENT_TEXT, .field = offsetof(struct dump, file), .value = "FILE",
	  .sentence = "write the events to FILE" },
	{ .name = NULL },
};

static int write_event(void *context, const struct event *event)
{
	struct dump *dump = context;

	event_write(dump->out, ++dump->seq, event);
	return dump->reported && event->type == EVENT_HOST_LOAD ? dump_load(&dump->files, &event->host) : 0;
}

static int dump_print(const struct fl_view *view, struct out *out, void *context)
{
	struct dump *dump = context;
	const struct resend_calls calls = { .context = dump, .event = write_event };
	const struct state_head *head = view_state(&view->view);

	dump->out = out;
	dump->seq = 0;
	cell_files_free(&dump->files);
	fl_run(view, &dump->run);
	dump->dispatches = head && LOAD_ONCE(head->dispatches) != RUN_ORDERS_NOTHING;
	dump->error = dump->directory ? resend_files(&view->view, &dump->files) : 0;
	dump->reported = dump_is_reported(&dump->files);
	if (dump->error == 0)
		dump->error = resend_events(&view->view, &calls);
	return dump->error ? EXIT_NO_DATA : EXIT_OK;
}

static int report(const struct dump *dump, const char *cell)
{
	if (dump->error == -ENODATA)
		return cli_fail(EXIT_NO_DATA, "%s: the run has no state", cell);
	if (dump->error == -EACCES)
		return cli_fail(
			EXIT_PERMISSION,
			"%s: some files of the cell are not readable for all readers of the run, so they are not "
			"published",
			cell);
	if (dump->error == -EPROTO)
		return cli_fail(EXIT_NO_DATA, "%s: the state in shared memory is damaged", cell);
	return cli_fail(EXIT_NO_DATA, "%s", strerror(-dump->error));
}

static int parse(struct dump *dump, int argc, char **argv)
{
	struct words words = { .table = dump_options, .argc = argc, .argv = argv, .next = 1 };
	int code = options_take(&words, dump);

	if (code)
		return code;
	if (argc - words.next > 1)
		return cli_fail(EXIT_USAGE, "dump: one directory at most");
	dump->directory = words.next < argc ? argv[words.next] : NULL;
	return EXIT_OK;
}

/* Redirect standard output to the file. */
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
	struct dump dump = { 0 };
	int directory = -1;
	int code = parse(&dump, argc, argv);

	if (code == EXIT_OK && dump.directory)
		code = dump_directory_make(dump.directory, &directory);
	if (code == EXIT_OK && dump.file)
		code = redirect(dump.file);
	if (code == EXIT_OK)
		code = section_run(cell, dump_print, &dump);
	if (dump.error)
		code = report(&dump, cell);
	dump_about(&dump.files);
	if (code == EXIT_OK && dump.directory)
		code = dump_files(directory, dump.directory, &dump.files);
	cell_files_free(&dump.files);
	if (directory >= 0)
		close(directory);
	if (code == EXIT_OK)
		cli_fail(EXIT_OK, "this is run %llu; to compute it again, use fairlead-schedd --once --now %lld%s",
			 (unsigned long long)dump.run.run, (long long)dump.run.now,
			 dump.dispatches ? "" : " --no-dispatch");
	return code;
}
