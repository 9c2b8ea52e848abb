/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sched/cli/cli.h"
#include "sched/process/json.h"

/*
 * a section is evicted by a run that takes longer than formatting does: more than a few is a fault
 */
#define TRIES 100

static const struct cli_listener *heard_by;

void cli_listen(const struct cli_listener *listener)
{
	heard_by = listener;
}

bool cli_heard(long long job_number, const char *text, bool terse)
{
	if (heard_by)
		heard_by->done(heard_by->context, job_number, text, terse);
	return heard_by != NULL;
}

int cli_fail(enum exit_code code, const char *format, ...)
{
	char text[1024];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	for (char *p = text; *p; p++)
		if ((unsigned char)*p < 0x20 || *p == 0x7f)
			*p = '?';
	if (heard_by)
		heard_by->failed(heard_by->context, code, text);
	else
		fprintf(stderr, "fairlead: %s\n", text);
	return (int)code;
}

void cli_warn_ended(const char *cell, uint32_t pid)
{
	cli_fail(EXIT_OK, "%s: the scheduler (process %u) has ended; this is its last run", cell, pid);
}

char *cli_cell_name(const char *cell)
{
	size_t end = strlen(cell), start;

	while (end > 1 && cell[end - 1] == '/')
		end--;
	for (start = end; start > 0 && cell[start - 1] != '/'; start--)
		;
	return strndup(cell + start, end - start);
}

int cli_no_multifactor(const char *cell)
{
	return cli_fail(EXIT_NO_DATA, "%s: no factors, as the scheduler works by Grid Engine's policies; for Slurm's, write "
			"\"algorithm multifactor\" into sched_conf and a slurm.conf beside it: fairlead-multifactor(5)", cell);
}

static void write_health(struct out *o, const struct fl_view *view)
{
	struct fl_health h;
	struct fl_phase phase;

	if (fl_health(view, &h))
		return;
	json_write_number(o, ",\"starts\":", (int64_t)h.starts);
	json_write_number(o, ",\"reservations\":", (int64_t)h.reservations);
	json_write_number(o, ",\"unbooked\":", (int64_t)h.unbooked);
	json_write_number(o, ",\"withheld\":", (int64_t)h.withheld);
	json_write_number(o, ",\"orders_refused\":", (int64_t)h.refused);
	json_write_number(o, ",\"orders_kept\":", (int64_t)h.orders_kept);
	json_write_number(o, ",\"hosts_up\":", (int64_t)h.hosts_up);
	json_write_number(o, ",\"store_failures\":", (int64_t)h.store_failures);
	json_write_literal(o, ",\"phase_ns\":{");
	for (size_t k = 0; fl_phase(view, k, &phase) == 0; k++) {
		json_write_string(o, k ? "," : "", phase.name);
		json_write_number(o, ":", (int64_t)phase.ns);
	}
	json_write_literal(o, "}");
}

static void place_write(struct out *o, const struct fl_view *view)
{
	static const char *const names[] = {
		[FL_PLACE_WATCHING] = "watching", [FL_PLACE_TAKING] = "taking", [FL_PLACE_OURS] = "ours",
		[FL_PLACE_DOUBTFUL] = "doubtful", [FL_PLACE_HANDING_BACK] = "handing back",
	};
	struct fl_place p;

	if (fl_place(view, &p))
		return;
	json_write_string(o, ",\"place\":{\"state\":", names[p.state]);
	json_write_number(o, ",\"since\":", p.since);
	json_write_bool(o, ",\"shadow\":", p.shadow);
	json_write_bool(o, ",\"known\":", p.known);
	json_write_bool(o, ",\"living\":", p.living);
	json_write_bool(o, ",\"builtin\":", p.builtin);
	json_write_bool(o, ",\"us\":", p.us);
	json_write_string(o, ",\"host\":", p.host);
	json_write_string(o, ",\"name\":", p.name);
	json_write_string(o, ",\"reason\":", p.reason);
	json_write_literal(o, "}");
}

void cli_json_run(struct out *o, const struct fl_view *view)
{
	struct fl_run run;

	fl_run(view, &run);
	json_write_number(o, "\"run\":{\"generation\":", (int64_t)run.generation);
	json_write_number(o, ",\"run\":", (int64_t)run.run);
	json_write_number(o, ",\"now\":", run.now);
	json_write_number(o, ",\"run_ns\":", (int64_t)run.run_ns);
	json_write_number(o, ",\"pending\":", (int64_t)run.pending);
	json_write_number(o, ",\"started\":", (int64_t)run.started);
	json_write_number(o, ",\"free_slots\":", (int64_t)run.free_slots);
	json_write_number(o, ",\"event\":", (int64_t)run.event);
	json_write_number(o, ",\"bytes\":", (int64_t)run.bytes);
	json_write_number(o, ",\"scheduler_pid\":", run.scheduler_pid);
	json_write_bool(o, ",\"scheduler_alive\":", run.scheduler_alive);
	write_health(o, view);
	place_write(o, view);
	json_write_literal(o, "}");
}

/*
 * 0, or -ESTALE: what is in `out`, and partly written perhaps, is of no single run. `place` as
 * fl_place().
 */
static int print_once(struct fl_cell *handle, struct out *out, section_print *print, void *context, int *code, struct fl_run *run,
		      struct fl_place *place)
{
	const struct fl_view *view = fl_begin(handle);

	fl_run(view, run);
	*place = (struct fl_place){ .state = FL_PLACE_OURS };
	(void)fl_place(view, place);
	*code = print(view, out, context);
	return fl_end(handle);
}

/* What is shown is what this scheduler makes of the cell, and no order follows from it. */
static void warn_displaced(const char *cell, const struct fl_place *place)
{
	if (place->state == FL_PLACE_WATCHING)
		cli_fail(EXIT_OK, "%s: %s; shown is what this scheduler would do", cell, place->reason);
	else if (place->state == FL_PLACE_DOUBTFUL)
		cli_fail(EXIT_OK, "%s: %s; nothing is ordered until that is clear", cell, place->reason);
}

static int print_run(const char *cell, struct fl_cell *handle, struct out *out, section_print *print, void *context)
{
	struct fl_place place;
	struct fl_run run;
	int code;

	for (int k = 0; k < TRIES; k++) {
		int stale = print_once(handle, out, print, context, &code, &run, &place);

		if (!stale || out->written) {
			int error = out_flush(out);

			errno = -error;
			if (error)
				return cli_fail(EXIT_NO_DATA, "writing the output: %m");
			if (stale)
				return cli_fail(EXIT_NO_DATA, "%s: newer runs replaced this one while it was being written: "
						"the output is wrong; write to a file, it is faster", cell);
			if (!run.scheduler_alive)
				cli_warn_ended(cell, run.scheduler_pid);
			else
				warn_displaced(cell, &place);
			return code;
		}
		out_rewind(out);
	}
	return cli_fail(EXIT_NO_DATA, "%s: no run stayed long enough to be printed", cell);
}

int section_run(const char *cell, section_print *print, void *context)
{
	struct fl_cell *handle;
	struct out out;
	int error = fl_attach(&handle, cell);

	if (error)
		return cli_attach_failed(cell, error);
	error = out_open(&out, STDOUT_FILENO);
	int code = error ? cli_fail(EXIT_NO_DATA, "no memory") : print_run(cell, handle, &out, print, context);

	out_close(&out);
	fl_detach(handle);
	return code;
}
