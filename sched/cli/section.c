/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sched/cli/cli.h"
#include "sched/client/trouble.h"
#include "sched/process/json.h"
#include "sched/process/process_state.h"

/*
 * Attempts to read one run. A section is evicted only by a run that takes longer than formatting,
 * so more than a few attempts mean a fault.
 */
#define TRIES 100

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
	fprintf(stderr, "fairlead: %s\n", text);
	return (int)code;
}

void cli_messages_print(void *context, const struct messages *messages)
{
	(void)context;
	for (size_t i = 0; i < messages->n; i++)
		if (messages->items[i].reason == REASON_PROGRESS)
			fprintf(stderr, "%s\n", messages->items[i].text);
		else if (messages->items[i].reason == REASON_NO_READER)
			cli_end_by_signal();
		else
			fprintf(stderr, "fairlead: %s\n", messages->items[i].text);
	if (messages->lost)
		fprintf(stderr, "fairlead: no memory\n");
}

void cli_print(struct messages *messages)
{
	cli_messages_print(NULL, messages);
	messages_free(messages);
}

int verb_print(verb_show *show, const char *cell, int argc, char **argv)
{
	struct messages messages = CLI_MESSAGES;
	int code = show(&messages, cell, argc, argv);

	cli_print(&messages);
	return code;
}

void cli_warn_ended(struct messages *messages, const char *cell, uint32_t pid)
{
	message_add(messages, EXIT_OK, NULL, "%s: the scheduler (process %u) has ended; this is its last run", cell,
		    pid);
}

int cli_no_cell(const char *otherwise)
{
	struct messages messages = { .items = NULL };
	int code = cell_missing(&messages, otherwise);

	cli_print(&messages);
	return code;
}

int cli_cell_check(const char *cell)
{
	struct messages messages = { .items = NULL };
	int code = cell_check(&messages, cell);

	cli_print(&messages);
	return code;
}

int cli_attach_failed(const char *cell, int error)
{
	struct messages messages = { .items = NULL };
	int code = cell_attach_failed(&messages, cell, error);

	cli_print(&messages);
	return code;
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
	return cli_fail(EXIT_NO_DATA,
			"%s: no factors, as the scheduler works by Grid Engine's policies; for Slurm's, write "
			"\"algorithm multifactor\" into sched_conf and a slurm.conf beside it: fairlead-multifactor(5)",
			cell);
}

static void write_health(struct out *out, const struct fl_view *view)
{
	struct fl_health health;
	struct fl_phase phase;

	if (fl_health(view, &health))
		return;
	json_write_number(out, ",\"starts\":", (int64_t)health.starts);
	json_write_number(out, ",\"reservations\":", (int64_t)health.reservations);
	json_write_number(out, ",\"unbooked\":", (int64_t)health.unbooked);
	json_write_number(out, ",\"withheld\":", (int64_t)health.withheld);
	json_write_number(out, ",\"orders_refused\":", (int64_t)health.refused);
	json_write_number(out, ",\"orders_kept\":", (int64_t)health.orders_kept);
	json_write_number(out, ",\"hosts_up\":", (int64_t)health.hosts_up);
	json_write_number(out, ",\"store_failures\":", (int64_t)health.store_failures);
	json_write_literal(out, ",\"phase_ns\":{");
	for (size_t k = 0; fl_phase(view, k, &phase) == 0; k++) {
		json_write_string(out, k ? "," : "", phase.name);
		json_write_number(out, ":", (int64_t)phase.ns);
	}
	json_write_literal(out, "}");
}

static void source_write(struct out *out, const struct fl_view *view)
{
	static const char *const names[] = {
		[FL_SOURCE_THERE] = "there", [FL_SOURCE_AWAITED] = "awaited", [FL_SOURCE_ENDED] = "ended"
	};
	struct fl_source source;

	if (fl_source(view, &source))
		return;
	json_write_string(out, ",\"source\":", names[source.state]);
	json_write_number(out, ",\"events_refused\":", (int64_t)source.refused);
	json_write_number(out, ",\"events_unknown\":", (int64_t)source.unknown);
}

static void place_write(struct out *out, const struct fl_view *view)
{
	static const char *const names[] = {
		[FL_PLACE_WATCHING] = "watching", [FL_PLACE_TAKING] = "taking", [FL_PLACE_OURS] = "ours",
		[FL_PLACE_DOUBTFUL] = "doubtful", [FL_PLACE_HANDING_BACK] = "handing back",
	};
	struct fl_place place;

	if (fl_place(view, &place))
		return;
	json_write_string(out, ",\"place\":{\"state\":", names[place.state]);
	json_write_number(out, ",\"since\":", place.since);
	json_write_bool(out, ",\"shadow\":", place.shadow);
	json_write_bool(out, ",\"known\":", place.known);
	json_write_bool(out, ",\"living\":", place.living);
	json_write_bool(out, ",\"builtin\":", place.builtin);
	json_write_bool(out, ",\"us\":", place.us);
	json_write_string(out, ",\"host\":", place.host);
	json_write_string(out, ",\"name\":", place.name);
	json_write_string(out, ",\"reason\":", place.reason);
	json_write_literal(out, "}");
}

/* The output contains the age of the run, so programs need no note about it. */
static bool age_reported;

void cli_json_run(struct out *out, const struct fl_view *view)
{
	struct run_age age;
	struct fl_run run;

	fl_run(view, &run);
	age_look(&age, view);
	age_reported = true;
	json_write_number(out, "\"run\":{\"generation\":", (int64_t)run.generation);
	json_write_number(out, ",\"run\":", (int64_t)run.run);
	json_write_number(out, ",\"now\":", run.now);
	json_write_number(out, ",\"run_ns\":", (int64_t)run.run_ns);
	json_write_number(out, ",\"pending\":", (int64_t)run.pending);
	json_write_number(out, ",\"started\":", (int64_t)run.started);
	json_write_number(out, ",\"free_slots\":", (int64_t)run.free_slots);
	json_write_number(out, ",\"event\":", (int64_t)run.event);
	json_write_number(out, ",\"bytes\":", (int64_t)run.bytes);
	json_write_number(out, ",\"scheduler_pid\":", run.scheduler_pid);
	json_write_bool(out, ",\"scheduler_alive\":", run.scheduler_alive);
	json_write_number(out, ",\"age_s\":", age.age_s);
	json_write_number(out, ",\"schedule_interval_s\":", age.interval_s);
	write_health(out, view);
	source_write(out, view);
	place_write(out, view);
	json_write_literal(out, "}");
}

/*
 * Print one run. Return 0, or -ESTALE if `out` has, and may have written, parts of different runs.
 */
static int print_once(struct fl_cell *handle, struct out *out, section_print *print, void *context,
		      struct section_end *end)
{
	const struct fl_view *view = fl_begin(handle);

	*end = (struct section_end){ .place.state = FL_PLACE_OURS };
	fl_run(view, &end->run);
	age_look(&end->age, view);
	(void)fl_place(view, &end->place);
	age_reported = false;
	end->code = print(view, out, context);
	end->age_reported = age_reported;
	return fl_end(handle);
}

/* Report that this scheduler computes decisions for the cell but does not send them. */
static void warn_displaced(struct messages *messages, const char *cell, const struct fl_place *place)
{
	if (place->state == FL_PLACE_WATCHING && place->shadow && !isatty(STDERR_FILENO))
		/* a shadow is intended, so scripts need no note each time */
		return;
	if (place->state == FL_PLACE_WATCHING)
		message_add(messages, EXIT_OK, NULL, "%s: %s; the output is what this scheduler would do", cell,
			    place->reason);
	else if (place->state == FL_PLACE_DOUBTFUL)
		message_add(messages, EXIT_OK, NULL, "%s: %s; no decisions are sent until this is resolved", cell,
			    place->reason);
}

static void warn_late(struct messages *messages, const char *cell, const struct section_end *end)
{
	char age[AGE_BYTES], state = process_state(end->run.scheduler_pid);

	age_text(end->age.age_s, age);
	if (state == 'T' || state == 't')
		message_add(messages, EXIT_OK, NULL,
			    "%s: the output is %s old: the scheduler (process %u) is stopped%s", cell, age,
			    end->run.scheduler_pid, state == 't' ? " by a debugger" : "");
	else
		message_add(
			messages, EXIT_OK, NULL,
			"%s: the output is %s old, with a schedule_interval of %lld s; for more, use fairlead doctor",
			cell, age, (long long)end->age.interval_s);
}

void section_notes(struct messages *messages, const char *cell, const struct section_end *end)
{
	if (!end->run.scheduler_alive) {
		cli_warn_ended(messages, cell, end->run.scheduler_pid);
		return;
	}
	warn_displaced(messages, cell, &end->place);
	if (!end->age_reported && end->age.age_s > end->age.late_s)
		warn_late(messages, cell, end);
}

static int written(struct messages *messages, const char *cell, struct out *out, bool stale)
{
	int error = out_flush(out);

	if (error)
		return cli_add_unwritten(messages, -error);
	if (stale)
		return message_add(messages, EXIT_NO_DATA, NULL,
				   "%s: newer runs replaced this one while it was being written: "
				   "the output is wrong; write to a file, which is faster",
				   cell);
	return EXIT_OK;
}

static int print_run(struct messages *messages, const char *cell, struct fl_cell *handle, struct out *out,
		     section_print *print, void *context, struct section_end *end)
{
	for (int k = 0; k < TRIES; k++) {
		bool stale = print_once(handle, out, print, context, end) != 0;

		if (!stale || out->written)
			return out->most ? EXIT_OK : written(messages, cell, out, stale);
		out_rewind(out);
	}
	return message_add(messages, EXIT_NO_DATA, NULL, "%s: no run stayed published long enough to be printed", cell);
}

int section_render(struct messages *messages, const char *cell, struct out *memory, section_print *print, void *context,
		   struct section_end *end)
{
	struct fl_cell *handle;
	int code, error = fl_attach(&handle, cell);

	if (error)
		return cell_attach_failed(messages, cell, error);
	out_rewind(memory);
	code = print_run(messages, cell, handle, memory, print, context, end);
	fl_detach(handle);
	return code ? code : end->code;
}

int section_show(struct messages *messages, const char *cell, section_print *print, void *context)
{
	struct section_end end;
	struct fl_cell *handle;
	struct out out;
	int error = fl_attach(&handle, cell);

	if (error)
		return cell_attach_failed(messages, cell, error);
	error = out_open(&out, STDOUT_FILENO);
	int code = error ? message_no_memory(messages) : print_run(messages, cell, handle, &out, print, context, &end);

	if (!code)
		section_notes(messages, cell, &end);
	out_close(&out);
	fl_detach(handle);
	return code ? code : end.code;
}

int section_run(const char *cell, section_print *print, void *context)
{
	struct messages messages = { .items = NULL };
	int code = section_show(&messages, cell, print, context);

	cli_print(&messages);
	return code;
}
