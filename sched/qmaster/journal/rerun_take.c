/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of a journal, and what becomes of them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/array.h"
#include "sched/detach.h"
#include "sched/parts.h"
#include "sched/qmaster/journal/line.h"
#include "sched/qmaster/journal/rerun_inside.h"
#include "sched/qmaster/json/order.h"

#define TASKS_MOST (64u << 20)		/* places of started tasks */
#define FILES_MOST 100000u
#define FILES_BYTES_MOST ((size_t)256 << 20)

/* Files */

/* The other way round than it was written: characters up to U+00FF are bytes. false: others. */
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

static struct cell_file *file_get(struct rerunning *r, const char *name)
{
	struct cell_files *f = &r->files;

	if (f->n > 0 && strcmp(f->items[f->n - 1].name, name) == 0)
		return &f->items[f->n - 1];
	if (f->n == r->files_capacity) {
		if (array_grow(&f->items, 2 * r->files_capacity + 16, sizeof(*f->items)))
			return NULL;
		r->files_capacity = 2 * r->files_capacity + 16;
	}
	f->items[f->n] = (struct cell_file){ .name = strdup(name), .text = strdup("") };
	if (!f->items[f->n].name || !f->items[f->n].text) {
		free(f->items[f->n].name);
		free(f->items[f->n].text);
		return NULL;
	}
	return &f->items[f->n++];
}

static int take_file(struct rerunning *r, const struct value *object, struct error *error)
{
	const struct value *bytes = value_member(object, "bytes");
	const char *piece = line_text(object, bytes ? "bytes" : "text");
	struct cell_file *file;
	size_t had;
	char *text;

	r->files_bytes += strlen(piece) + 1;
	if (r->files.n >= FILES_MOST || r->files_bytes > FILES_BYTES_MOST)
		return error_set(error, -EINVAL, "files: more than a cell may have");
	file = file_get(r, line_text(object, "file"));
	if (!file)
		return error_set(error, -ENOMEM, "out of memory");
	had = strlen(file->text);
	text = realloc(file->text, had + strlen(piece) + 1);
	if (!text)
		return error_set(error, -ENOMEM, "out of memory");
	file->text = text;
	strcpy(text + had, piece);
	return bytes && !bytes_of(text + had) ? error_set(error, -EINVAL, "file: bytes: characters up to U+00FF are expected") : 0;
}

static void forget_files(struct rerunning *r)
{
	cell_files_free(&r->files);
	r->files = (struct cell_files){ 0 };
	r->files_capacity = r->files_bytes = 0;
}

/* The scheduler */

void rerun_drop(struct rerunning *r)
{
	if (r->attached)
		attach_close(&r->attachment);
	r->attached = false;
	sched_destroy(r->s);
	r->s = NULL;
	ledger_answers_free(&r->answers);
	forget_files(r);
	r->nkept = 0;
	for (unsigned k = 0; k < PLACES_POOLS; k++)
		r->places.of[k].n = r->places.of[k].nfree = 0;
	r->last_run = 0;
}

static int no_reload(void *context, struct error *error)
{
	(void)context;
	return error_set(error, -EINVAL, "config_changed: the files are expected, not that there are others");
}

static int edit_customer(void *context, const struct submitter_edit_event *edit, struct error *error)
{
	struct rerunning *r = context;

	return sched_edit_customer(r->s, r->clock, edit->customer ? edit->customer : "", &edit->edit, error);
}

static int fault(const struct report *report, int rc, struct error *error)
{
	for (size_t i = 0; i < report->n; i++)
		if (report->findings[i].severity == FAULT)
			return error_set(error, rc, "%.200s:%d: %s", report->findings[i].file, report->findings[i].line, report->findings[i].text);
	return *error->text ? rc : error_set(error, rc, "the cell: %s", strerror(-rc));
}

static int load(struct rerunning *r, struct error *error)
{
	struct report report = { 0 };
	int rc = sched_reload_texts(r->s, &r->files, &report, error);

	if (rc)
		fault(&report, rc, error);
	report_free(&report);
	forget_files(r);
	return rc;
}

static int create(struct rerunning *r, struct error *error)
{
	const struct segment_options options = { .group = -1 };
	struct report report = { 0 };
	int rc;

	if (r->options->as) {
		rc = sched_create_empty(&r->s, r->options->as, &options, error);
		return rc ? rc : load(r, error);
	}
	rc = sched_create_detached(&r->s, "(journal)", &r->files, 0, &report, error);
	if (rc)
		fault(&report, rc, error);
	report_free(&report);
	forget_files(r);
	return rc;
}

static int begin(struct rerunning *r, struct error *error)
{
	int rc;

	*error->text = '\0';
	rc = create(r, error);
	if (rc)
		return rc;
	if (r->options->workers > 1)
		rc = sched_workers(r->s, r->options->workers);
	if (rc == 0 && r->head.ledger)
		rc = ledger_answers_serve(&r->answers, &r->s->mirror, r->head.ends_asked);
	if (rc == 0)
		rc = places_arrange(&r->places, r->s);
	if (rc)
		return error_set(error, rc, rc == -EINVAL ? "places: these can't be" : "%s", strerror(-rc));
	r->intake = (struct intake){ .mirror = &r->s->mirror, .orders = &r->s->orders, .silent = true, .context = r, .reload = no_reload, .edit = edit_customer };
	if (r->head.line_limits)
		r->s->orders.limits = order_line_limits;
	r->outcome->parts++;
	return 0;
}

/* The state is complete: so are the orders that were kept. */
static int take_state(struct rerunning *r, struct error *error)
{
	int rc = r->s ? 0 : begin(r, error);

	if (rc)
		return rc;
	rc = orders_restore(&r->s->orders, r->kept, r->nkept, r->head.last_order);
	if (rc)
		return error_set(error, rc, "keeps: these orders can't be kept");
	r->s->orders.refused = r->head.orders_refused;
	r->nkept = 0;
	values_kept_forget(r->values);
	r->mode = RERUN_RUNNING;
	return 0;
}

static int take_keeps(struct rerunning *r, const struct value *object, struct error *error)
{
	const struct value *list = value_member(object, "keeps");

	value_each(one, list) {
		const struct value *v = one + 1;

		if (one->type != VALUE_ARRAY || one->n != 4 || one->span != 5 || v[0].type != VALUE_INTEGER || v[1].type != VALUE_INTEGER ||
		    v[2].type != VALUE_INTEGER || v[3].type != VALUE_INTEGER || r->nkept >= ORDERS_KEPT)
			return error_set(error, -EINVAL, "keeps: [number, job, task, bytes] is expected, %u times at most", ORDERS_KEPT);
		if (r->nkept == r->kept_capacity) {
			if (array_grow(&r->kept, 2 * r->kept_capacity + 64, sizeof(*r->kept)))
				return error_set(error, -ENOMEM, "out of memory");
			r->kept_capacity = 2 * r->kept_capacity + 64;
		}
		r->kept[r->nkept++] = (struct order){ .number = (uint64_t)v[0].integer, .job_number = (uint32_t)v[1].integer,
						      .task = (uint32_t)v[2].integer, .bytes = (uint32_t)v[3].integer };
	}
	return 0;
}

/* In some lines, of which each says how many there are in all. */
static int take_places(struct rerunning *r, const struct value *object, struct error *error)
{
	struct pool_places *p = &r->places.of[line_whole(object, "of", 0, PLACES_POOLS - 1)];
	const struct value *list = value_member(object, "free");

	p->n = (size_t)line_whole(object, "places", 0, TASKS_MOST);
	if (!list || list->type != VALUE_ARRAY || list->span != list->n + 1 || list->n > TASKS_MOST - p->nfree)
		return error_set(error, -EINVAL, "places: \"free\" is expected, a list of numbers");
	if (p->nfree + list->n > p->capacity) {
		if (array_grow(&p->free_ids, 2 * (p->nfree + list->n), sizeof(*p->free_ids)))
			return error_set(error, -ENOMEM, "out of memory");
		p->capacity = 2 * (p->nfree + list->n);
	}
	value_each(one, list)
		p->free_ids[p->nfree++] = one->type == VALUE_INTEGER && one->integer >= 0 && one->integer < TASKS_MOST ? (uint32_t)one->integer : TASKS_MOST;
	return 0;
}

/* {"kept":[3,7,9,9]}: 3 to 7, and 9; all others are gone. */
static int take_kept(struct rerunning *r, const struct value *object, struct error *error)
{
	struct orders *orders = &r->s->orders;
	const struct value *v = value_member(object, "kept");
	const struct value *end = v + v->span;
	uint64_t number = 0;
	const struct order *order;

	if (v->type != VALUE_ARRAY || v->span != v->n + 1 || v->n % 2)
		return error_set(error, -EINVAL, "kept: pairs of numbers are expected");
	v++;
	while ((order = orders_after(orders, number))) {
		number = order->number;
		while (v < end && (uint64_t)v[1].integer < number)
			v += 2;
		if (v >= end || (uint64_t)v[0].integer > number)
			orders_carried_out(orders, number);
	}
	return 0;
}

/* Parts */

static int take_head(struct rerunning *r, const struct value *object, struct error *error)
{
	const char *gap = line_text(object, "gap");
	uint64_t run = (uint64_t)line_whole(object, "run", 0, INT64_MAX);

	if (line_whole(object, "journal", 0, INT64_MAX) != JOURNAL_FORM)
		return error_set(error, -EPROTO, "journal: form %lld is not known; it is %d", (long long)line_whole(object, "journal", 0, INT64_MAX), JOURNAL_FORM);
	if (r->s && !*gap && r->last_run && run == r->last_run) {
		r->mode = RERUN_SKIPPING;
		r->head.run = run;
		return 0;
	}
	if (r->s || r->outcome->parts) {
		r->outcome->gaps++;
		snprintf(r->outcome->gap, sizeof(r->outcome->gap), "%s", *gap ? gap : "the part before it breaks off");
	}
	rerun_drop(r);
	out_rewind(&r->orders);
	r->head = (struct part_head){ .run = run, .last_order = (uint64_t)line_whole(object, "last_order", 0, INT64_MAX),
				      .orders_refused = (uint64_t)line_whole(object, "orders_refused", 0, INT64_MAX),
				      .line_limits = line_is(object, "line_limits"), .ledger = line_is(object, "ledger"),
				      .ends_asked = line_is(object, "ends_asked") };
	r->cycle_before = 0;
	r->mode = RERUN_BEGINNING;
	return 0;
}

/* Events */

static int take_event(struct rerunning *r, const struct value *object, struct error *error)
{
	const struct event_form *form = event_form(line_text(object, "event"));
	struct taking taking = { 0 };
	struct event event;
	int rc;

	if (!form)
		return error_set(error, -EINVAL, "event: \"%.60s\" is unknown", line_text(object, "event"));
	if (r->mode == RERUN_BEGINNING && !r->s && (rc = begin(r, error)))
		return rc;
	rc = event_read(form, object, &taking, &event);
	if (rc)
		*error = taking.error;
	else if (r->answers.wants_debited && form->type == EVENT_DEBITED_USAGE)
		rc = ledger_answers_take_debited(&r->answers, &event.debited, error);
	else
		rc = intake_event(&r->intake, &event, error);
	if (rc == 0 && r->mode == RERUN_BEGINNING && form->type == EVENT_SCHEDULER_STATE)
		r->cycle_before = (uint64_t)event.scheduler.cycle;
	r->outcome->events += rc == 0 && r->mode == RERUN_RUNNING;
	event_clear(&event, &taking);
	return rc;
}

/* Lines */

/* What a part that goes on begins with is there already; its first run, too. */
static int skip(struct rerunning *r, const struct value *object)
{
	if (value_member(object, "run") && !value_member(object, "journal") && (uint64_t)line_whole(object, "run", 0, INT64_MAX) == r->head.run)
		r->mode = RERUN_RUNNING;
	return 0;
}

static int take_beginning(struct rerunning *r, const struct value *object, struct error *error)
{
	if (value_member(object, "event"))
		return take_event(r, object, error);
	if (value_member(object, "file"))
		return take_file(r, object, error);
	if (value_member(object, "keeps") && value_member(object, "keeps")->type == VALUE_ARRAY)
		return take_keeps(r, object, error);
	if (value_member(object, "places"))
		return take_places(r, object, error);
	return value_member(object, "state") ? take_state(r, error) : 0;
}

static int take_order(struct rerunning *r, const char *line, size_t bytes)
{
	out_bytes(&r->orders, line, bytes);
	out_bytes(&r->orders, "\n", 1);
	return 0;
}

static int take_running(struct rerunning *r, const struct value *object, const char *line, size_t bytes, struct error *error)
{
	if (value_member(object, "event") && !value_member(object, "run"))
		return take_event(r, object, error);
	if (value_member(object, "order"))
		return take_order(r, line, bytes);
	if (value_member(object, "run"))
		return rerun_run(r, object, error);
	if (value_member(object, "kept"))
		return take_kept(r, object, error);
	if (value_member(object, "values"))
		return values_kept_take(r->values, object, error);
	if (value_member(object, "answer"))
		return ledger_answers_take(&r->answers, object, error);
	if (value_member(object, "file"))
		return take_file(r, object, error);
	if (value_member(object, "reload"))
		return load(r, error);
	if (value_member(object, "clock"))
		r->clock = line_whole(object, "clock", 0, TIME_MAX_S);
	else if (value_member(object, "edits"))
		sched_unedit_customers(r->s);
	else if (value_member(object, "snapshot"))
		mirror_snapshot_abort(&r->s->mirror);
	return 0;
}

int rerun_take(struct rerunning *r, const char *line, size_t bytes, struct error *error)
{
	const struct value *object = values_read(&r->parsed, line, bytes, error);

	if (!object)
		return -EPROTO;
	if (value_member(object, "journal"))
		return take_head(r, object, error);
	if (value_member(object, "gap")) {
		snprintf(r->outcome->gap, sizeof(r->outcome->gap), "%s", line_text(object, "gap"));
		rerun_drop(r);
		r->mode = RERUN_WAITING;
		return 0;
	}
	switch (r->mode) {
	case RERUN_BEGINNING:
		return take_beginning(r, object, error);
	case RERUN_SKIPPING:
		return skip(r, object);
	case RERUN_RUNNING:
		return take_running(r, object, line, bytes, error);
	default:
		return 0;
	}
}
