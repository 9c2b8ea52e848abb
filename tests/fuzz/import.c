/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Output of another system's command, which fairlead import converts. The first line is the
 * command: condor_status, squeue or sge_share_mon. Each event must be readable, a scheduler receives
 * the events, and the queues of a pool must have no faults.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/cell.h"
#include "sched/cli/cell/import.h"
#include "tests/fuzz/support.h"

static void file_put(const struct cell_file *file, const char *cell)
{
	char name[400];

	MUST(snprintf(name, sizeof(name), "%s/%s", cell, file->name) < (int)sizeof(name));
	scratch_put(name, file->text, strlen(file->text));
}

/* Send the lines of a file to a scheduler of a new cell, and make a run. */
static void events_send(const char *text, const char *cell)
{
	struct piece rest = { text, strlen(text) }, line;
	struct values values = { .items = NULL };
	struct error error = { "" };
	struct fuzz_sched scheduler;
	char path[256];

	scratch_path(path, cell);
	MUST(fuzz_sched_open(&scheduler, path));
	for (; piece_line(&rest, &line); piece_free(&line)) {
		MUST(import_event_check(&values, line.text, line.length, &error) == 0);
		scheduler.refused = false;
		events_line(&scheduler.events, line.text, line.length);
		fuzz_taken(!scheduler.refused);
	}
	values_destroy(&values);
	fuzz_sched_run(&scheduler);
	fuzz_sched_close(&scheduler);
}

static void result_look(const struct import *import, const char *cell)
{
	const char *events = NULL;

	for (size_t i = 0; i < import->new.files.n; i++) {
		const struct cell_file *file = &import->new.files.items[i];

		if (strstr(file->name, ".jsonl"))
			events = file->text;
		else
			file_put(file, cell);
	}
	MUST(events != NULL);
	events_send(events, cell);
}

static void text_import(const char *command, char *text, size_t bytes)
{
	struct import import = { .gridengine = strcmp(command, "sge_share_mon") == 0,
				 .slurm = strcmp(command, "squeue") == 0,
				 .condor = strcmp(command, "condor_status") == 0 };
	const char *cell = import.condor ? "conf/userprio" : import.slurm ? "conf/multifactor" : "conf/default";
	char path[256];
	int code = -1;

	scratch_path(path, "text");
	scratch_put("text", text, bytes);
	if (import.condor) {
		import.status = path;
		code = import_slots(&import);
	} else if (import.slurm) {
		import.squeue = path;
		code = import_squeue(&import);
	} else if (import.gridengine) {
		code = import_usage(&import, text, "sge_share_mon");
	}
	if (code == 0) {
		scratch_copy(cell, "cell");
		result_look(&import, "cell");
		scratch_remove("cell");
	}
	cell_files_free(&import.new.files);
}

#ifdef BROKEN			/* names of machines become parts of a queue without a check */
int __wrap_name_check(const char *name, struct error *error);

int __wrap_name_check(const char *name, struct error *error)
{
	(void)name, (void)error;
	return 0;
}
#endif

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct piece rest = { (const char *)data, size }, command;
	char *text;

	if (!piece_line(&rest, &command))
		return 0;
	text = strndup(rest.text, rest.length);
	MUST(text != NULL);
	text_import(command.text, text, strlen(text));
	free(text);
	piece_free(&command);
	return 0;
}
