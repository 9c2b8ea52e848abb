/* SPDX-License-Identifier: Apache-2.0 */
/* Handling the lines of a journal. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/array.h"
#include "conf/base/columns.h"
#include "sched/detach.h"
#include "sched/parts.h"
#include "sched/qmaster/journal/line.h"
#include "sched/qmaster/journal/rerun_inside.h"
#include "sched/qmaster/json/order.h"

#define TASKS_MOST (64u << 20)		/* limit of places of started tasks */
#define FILES_MOST 100000u
#define FILES_BYTES_MOST ((size_t)256 << 20)

/* Files */

/* Convert characters up to U+00FF back to bytes. false: there are other characters. */
static bool bytes_of(char *text)
{
	char *to = text;

	for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
		if (*p < 0x80)
			*to++ = (char)*p;
		else if ((*p == 0xc2 || *p == 0xc3) && p[1])
			*to++ = (char)((*p & 3) << 6 | (p[1] & 0x3f)), p++;
		else
			return false;
	}
	*to = '\0';
	return true;
}

static struct cell_file *file_get(struct rerunning *rerunning, const char *name)
{
	struct cell_files *files = &rerunning->files;

	if (files->n > 0 && strcmp(files->items[files->n - 1].name, name) == 0)
		return &files->items[files->n - 1];
	if (array_reserve(&rerunning->files_capacity, files->n + 1, COLUMN(files->items)))
		return NULL;
	files->items[files->n] = (struct cell_file){ .name = strdup(name), .text = strdup("") };
	if (!files->items[files->n].name || !files->items[files->n].text) {
		free(files->items[files->n].name);
		free(files->items[files->n].text);
		return NULL;
	}
	return &files->items[files->n++];
}

static int take_file(struct rerunning *rerunning, const struct value *object, struct error *error)
{
	const struct value *bytes = value_member(object, "bytes");
	const char *piece = line_text(object, bytes ? "bytes" : "text");
	struct cell_file *file;
	size_t had;
	char *text;

	rerunning->files_bytes += strlen(piece) + 1;
	if (rerunning->files.n >= FILES_MOST || rerunning->files_bytes > FILES_BYTES_MOST)
		return error_set(error, -EINVAL, "files: more than a cell may have");
	file = file_get(rerunning, line_text(object, "file"));
	if (!file)
		return error_set(error, -ENOMEM, "out of memory");
	had = strlen(file->text);
	text = realloc(file->text, had + strlen(piece) + 1);
	if (!text)
		return error_set(error, -ENOMEM, "out of memory");
	file->text = text;
	strcpy(text + had, piece);
	return bytes && !bytes_of(text + had)
		       ? error_set(error, -EINVAL, "file: bytes: characters up to U+00FF are expected")
		       : 0;
}

static void forget_files(struct rerunning *rerunning)
{
	cell_files_free(&rerunning->files);
	rerunning->files = (struct cell_files){ 0 };
	rerunning->files_capacity = rerunning->files_bytes = 0;
}

/* The scheduler */

void rerun_drop(struct rerunning *rerunning)
{
	if (rerunning->attached)
		attach_close(&rerunning->attachment);
	rerunning->attached = false;
	sched_destroy(rerunning->s);
	rerunning->s = NULL;
	ledger_answers_free(&rerunning->answers);
	forget_files(rerunning);
	rerunning->nkept = 0;
	for (unsigned k = 0; k < PLACES_POOLS; k++)
		rerunning->places.of[k].n = rerunning->places.of[k].nfree = 0;
	rerunning->last_run = 0;
}

static int no_reload(void *context, struct error *error)
{
	(void)context;
	return error_set(error, -EINVAL, "config_changed: the files themselves are expected");
}

static int edit_customer(void *context, const struct submitter_edit_event *edit, struct error *error)
{
	struct rerunning *rerunning = context;

	return sched_edit_customer(rerunning->s, rerunning->clock, edit->customer ? edit->customer : "", &edit->edit,
				   error);
}

static int fault(const struct report *report, int rc, struct error *error)
{
	for (size_t i = 0; i < report->n; i++)
		if (report->findings[i].severity == FAULT)
			return error_set(error, rc, "%.200s:%d: %s", report->findings[i].file, report->findings[i].line,
					 report->findings[i].text);
	return *error->text ? rc : error_set(error, rc, "the cell: %s", strerror(-rc));
}

static int load(struct rerunning *rerunning, struct error *error)
{
	struct report report = { 0 };
	int rc = sched_reload_texts(rerunning->s, &rerunning->files, &report, error);

	if (rc)
		fault(&report, rc, error);
	report_free(&report);
	forget_files(rerunning);
	return rc;
}

static int create(struct rerunning *rerunning, struct error *error)
{
	const struct segment_options options = { .group = -1 };
	struct report report = { 0 };
	int rc;

	if (rerunning->options->as) {
		rc = sched_create_empty(&rerunning->s, rerunning->options->as, &options, error);
		return rc ? rc : load(rerunning, error);
	}
	rc = sched_create_detached(&rerunning->s, "(journal)", &rerunning->files, 0, &report, error);
	if (rc)
		fault(&report, rc, error);
	report_free(&report);
	forget_files(rerunning);
	return rc;
}

static int begin(struct rerunning *rerunning, struct error *error)
{
	int rc;

	*error->text = '\0';
	rc = create(rerunning, error);
	if (rc)
		return rc;
	if (rerunning->options->workers > 1)
		rc = sched_workers(rerunning->s, rerunning->options->workers);
	if (rc == 0 && rerunning->head.ledger)
		rc = ledger_answers_serve(&rerunning->answers, &rerunning->s->mirror, rerunning->head.ends_asked);
	if (rc == 0)
		rc = places_arrange(&rerunning->places, rerunning->s);
	if (rc)
		return error_set(error, rc, rc == -EINVAL ? "places: these places are not possible" : "%s",
				 strerror(-rc));
	rerunning->intake = (struct intake){ .mirror = &rerunning->s->mirror,
					     .orders = &rerunning->s->orders,
					     .silent = true,
					     .context = rerunning,
					     .reload = no_reload,
					     .edit = edit_customer };
	if (rerunning->head.line_limits)
		rerunning->s->orders.limits = order_line_limits;
	rerunning->outcome->parts++;
	return 0;
}

/* Complete the state, and restore the orders that were kept. */
static int take_state(struct rerunning *rerunning, struct error *error)
{
	int rc = rerunning->s ? 0 : begin(rerunning, error);

	if (rc)
		return rc;
	rc = orders_restore(&rerunning->s->orders, rerunning->kept, rerunning->nkept, rerunning->head.last_order);
	if (rc)
		return error_set(error, rc, "keeps: these orders are not possible");
	rerunning->s->orders.refused = rerunning->head.orders_refused;
	rerunning->nkept = 0;
	values_kept_forget(rerunning->values);
	rerunning->mode = RERUN_RUNNING;
	return 0;
}

static int take_keeps(struct rerunning *rerunning, const struct value *object, struct error *error)
{
	const struct value *list = value_member(object, "keeps");

	value_each(one, list) {
		const struct value *v = one + 1;

		if (one->type != VALUE_ARRAY || one->n != 4 || one->span != 5 || v[0].type != VALUE_INTEGER ||
		    v[1].type != VALUE_INTEGER || v[2].type != VALUE_INTEGER || v[3].type != VALUE_INTEGER ||
		    rerunning->nkept >= ORDERS_KEPT)
			return error_set(error, -EINVAL,
					 "keeps: [number, job, task, bytes] is expected, %u times at most",
					 ORDERS_KEPT);
		if (rerunning->nkept == rerunning->kept_capacity) {
			if (array_grow(&rerunning->kept, 2 * rerunning->kept_capacity + 64, sizeof(*rerunning->kept)))
				return error_set(error, -ENOMEM, "out of memory");
			rerunning->kept_capacity = 2 * rerunning->kept_capacity + 64;
		}
		rerunning->kept[rerunning->nkept++] = (struct order){ .number = (uint64_t)v[0].integer,
								      .job_number = (uint32_t)v[1].integer,
								      .task = (uint32_t)v[2].integer,
								      .bytes = (uint32_t)v[3].integer };
	}
	return 0;
}

/* Take free places. They come in several lines, and each line has their total number. */
static int take_places(struct rerunning *rerunning, const struct value *object, struct error *error)
{
	struct pool_places *pool_places = &rerunning->places.of[line_whole(object, "of", 0, PLACES_POOLS - 1)];
	const struct value *list = value_member(object, "free");

	pool_places->n = (size_t)line_whole(object, "places", 0, TASKS_MOST);
	if (!list || list->type != VALUE_ARRAY || list->span != list->n + 1 ||
	    list->n > TASKS_MOST - pool_places->nfree)
		return error_set(error, -EINVAL, "places: \"free\" is expected, a list of numbers");
	if (pool_places->nfree + list->n > pool_places->capacity) {
		if (array_grow(&pool_places->free_ids, 2 * (pool_places->nfree + list->n),
			       sizeof(*pool_places->free_ids)))
			return error_set(error, -ENOMEM, "out of memory");
		pool_places->capacity = 2 * (pool_places->nfree + list->n);
	}
	value_each(one, list) pool_places->free_ids[pool_places->nfree++] =
		one->type == VALUE_INTEGER && one->integer >= 0 && one->integer < TASKS_MOST ? (uint32_t)one->integer
											     : TASKS_MOST;
	return 0;
}

/* Take a line {"kept":[3,7,9,9]}: orders 3 to 7, and 9, are kept. All others are gone. */
static int take_kept(struct rerunning *rerunning, const struct value *object, struct error *error)
{
	struct orders *orders = &rerunning->s->orders;
	const struct value *value = value_member(object, "kept");
	const struct value *end = value + value->span;
	uint64_t number = 0;
	const struct order *order;

	if (value->type != VALUE_ARRAY || value->span != value->n + 1 || value->n % 2)
		return error_set(error, -EINVAL, "kept: pairs of numbers are expected");
	value++;
	while ((order = orders_after(orders, number))) {
		number = order->number;
		while (value < end && (uint64_t)value[1].integer < number)
			value += 2;
		if (value >= end || (uint64_t)value[0].integer > number)
			orders_carried_out(orders, number);
	}
	return 0;
}

/* Parts */

static int take_head(struct rerunning *rerunning, const struct value *object, struct error *error)
{
	const char *gap = line_text(object, "gap");
	uint64_t run = (uint64_t)line_whole(object, "run", 0, INT64_MAX);

	if (line_whole(object, "journal", 0, INT64_MAX) != JOURNAL_FORM)
		return error_set(error, -EPROTO, "journal: form %lld is not known; form %d is expected",
				 (long long)line_whole(object, "journal", 0, INT64_MAX), JOURNAL_FORM);
	if (rerunning->s && !*gap && rerunning->last_run && run == rerunning->last_run) {
		rerunning->mode = RERUN_SKIPPING;
		rerunning->head.run = run;
		return 0;
	}
	if (rerunning->s || rerunning->outcome->parts) {
		rerunning->outcome->gaps++;
		snprintf(rerunning->outcome->gap, sizeof(rerunning->outcome->gap), "%s",
			 *gap ? gap : "the part before it breaks off");
	}
	rerun_drop(rerunning);
	out_rewind(&rerunning->orders);
	rerunning->head =
		(struct part_head){ .run = run,
				    .last_order = (uint64_t)line_whole(object, "last_order", 0, INT64_MAX),
				    .orders_refused = (uint64_t)line_whole(object, "orders_refused", 0, INT64_MAX),
				    .line_limits = line_is(object, "line_limits"),
				    .ledger = line_is(object, "ledger"),
				    .ends_asked = line_is(object, "ends_asked") };
	rerunning->cycle_before = 0;
	rerunning->mode = RERUN_BEGINNING;
	return 0;
}

/* Events */

static int take_event(struct rerunning *rerunning, const struct value *object, struct error *error)
{
	const struct event_form *form = event_form(line_text(object, "event"));
	struct taking taking = { 0 };
	struct event event;
	int rc;

	if (!form)
		return error_set(error, -EINVAL, "event: \"%.60s\" is unknown", line_text(object, "event"));
	if (rerunning->mode == RERUN_BEGINNING && !rerunning->s && (rc = begin(rerunning, error)))
		return rc;
	rc = event_read(form, object, &taking, &event);
	if (rc)
		*error = taking.error;
	else if (rerunning->answers.wants_debited && form->type == EVENT_DEBITED_USAGE)
		rc = ledger_answers_take_debited(&rerunning->answers, &event.debited, error);
	else
		rc = intake_event(&rerunning->intake, &event, error);
	if (rc == 0 && rerunning->mode == RERUN_BEGINNING && form->type == EVENT_SCHEDULER_STATE)
		rerunning->cycle_before = (uint64_t)event.scheduler.cycle;
	rerunning->outcome->events += rc == 0 && rerunning->mode == RERUN_RUNNING;
	event_clear(&event, &taking);
	return rc;
}

/* Lines */

/*
 * Skip the beginning and the first run of a part that continues the previous one. They are
 * known already.
 */
static int skip(struct rerunning *rerunning, const struct value *object)
{
	if (value_member(object, "run") && !value_member(object, "journal") &&
	    (uint64_t)line_whole(object, "run", 0, INT64_MAX) == rerunning->head.run)
		rerunning->mode = RERUN_RUNNING;
	return 0;
}

static int take_beginning(struct rerunning *rerunning, const struct value *object, struct error *error)
{
	if (value_member(object, "event"))
		return take_event(rerunning, object, error);
	if (value_member(object, "file"))
		return take_file(rerunning, object, error);
	if (value_member(object, "keeps") && value_member(object, "keeps")->type == VALUE_ARRAY)
		return take_keeps(rerunning, object, error);
	if (value_member(object, "places"))
		return take_places(rerunning, object, error);
	return value_member(object, "state") ? take_state(rerunning, error) : 0;
}

static int take_order(struct rerunning *rerunning, const char *line, size_t bytes)
{
	out_bytes(&rerunning->orders, line, bytes);
	out_bytes(&rerunning->orders, "\n", 1);
	return 0;
}

static int take_running(struct rerunning *rerunning, const struct value *object, const char *line, size_t bytes,
			struct error *error)
{
	if (value_member(object, "event") && !value_member(object, "run"))
		return take_event(rerunning, object, error);
	if (value_member(object, "order"))
		return take_order(rerunning, line, bytes);
	if (value_member(object, "run"))
		return rerun_run(rerunning, object, error);
	if (value_member(object, "kept"))
		return take_kept(rerunning, object, error);
	if (value_member(object, "values"))
		return values_kept_take(rerunning->values, object, error);
	if (value_member(object, "answer"))
		return ledger_answers_take(&rerunning->answers, object, error);
	if (value_member(object, "file"))
		return take_file(rerunning, object, error);
	if (value_member(object, "reload"))
		return load(rerunning, error);
	if (value_member(object, "clock"))
		rerunning->clock = line_whole(object, "clock", 0, TIME_MAX_S);
	else if (value_member(object, "edits"))
		sched_unedit_customers(rerunning->s);
	else if (value_member(object, "snapshot"))
		mirror_snapshot_abort(&rerunning->s->mirror);
	return 0;
}

int rerun_take(struct rerunning *rerunning, const char *line, size_t bytes, struct error *error)
{
	const struct value *object = values_read(&rerunning->parsed, line, bytes, error);

	if (!object)
		return -EPROTO;
	if (value_member(object, "journal"))
		return take_head(rerunning, object, error);
	if (value_member(object, "gap")) {
		snprintf(rerunning->outcome->gap, sizeof(rerunning->outcome->gap), "%s", line_text(object, "gap"));
		rerun_drop(rerunning);
		rerunning->mode = RERUN_WAITING;
		return 0;
	}
	switch (rerunning->mode) {
	case RERUN_BEGINNING:
		return take_beginning(rerunning, object, error);
	case RERUN_SKIPPING:
		return skip(rerunning, object);
	case RERUN_RUNNING:
		return take_running(rerunning, object, line, bytes, error);
	default:
		return 0;
	}
}
