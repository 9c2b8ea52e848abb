/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deliveries as a qmaster could make them:
 *
 *     struct forge f = { 0 };
 *
 *     forge_begin(&f, 15);
 *     forge_event(&f, GDI_EV_JOB_ADD, 17, 0, "", "");
 *     forge_one(&f.w, VALUES(NUMBER(JB_job_number, 17), TEXT(JB_owner, "ann")));
 *     forge_event(&f, GDI_EV_JOB_DEL, 17, 0, "", "");
 *     gdi_write_null(&f.w);
 *     forge_end(&f);
 *     ... f.w.bytes, f.w.n ...
 *     gdi_writer_free(&f.w);
 */
#ifndef TESTS_GRIDENGINE_FORGE_H
#define TESTS_GRIDENGINE_FORGE_H

#include "sched/qmaster/gdi/element.h"
#include "sched/qmaster/gdi/events.h"
#include "sched/qmaster/gdi/writer.h"

struct forge {
	struct gdi_writer w;
	size_t events;
	uint32_t number;		/* number of the next event */
};

struct forge_value {
	uint32_t field;			/* field of the intended type */
	uint32_t number;
	const char *text;
	double real;
	const struct gdi_writer *list;	/* packed already; NULL: none */
};

#define NUMBER(name, value) { .field = (name), .number = (value) }
#define TEXT(name, value) { .field = (name), .text = (value) }
#define LIST(name, value) { .field = (name), .list = (value) }
#define VALUES(...) (struct forge_value[]){ __VA_ARGS__ }, sizeof((struct forge_value[]){ __VA_ARGS__ }) / sizeof(struct forge_value)

static inline size_t forge_type(struct gdi_writer *writer, const char *type, const char *name)
{
	const struct gdi_type *t = gdi_type(type);
	struct gdi_word words[GDI_FIELDS_MOST];

	for (size_t i = 0; i < t->n; i++)
		words[i] = (struct gdi_word){ t->fields[i].number, t->fields[i].mt };
	return gdi_list_begin(writer, name, words, t->n);
}

static inline void forge_begin(struct forge *forge, uint32_t number)
{
	size_t reports;

	forge->w.n = 0;
	forge->number = number;
	gdi_write_header(&forge->w);
	reports = forge_type(&forge->w, "REP", "report list");
	gdi_element_begin(&forge->w, reports);
	gdi_write_u32(&forge->w, 2);
	gdi_write_text(&forge->w, "sgehost");
	forge->events = forge_type(&forge->w, "ET", "Events");
}

/* Begin an event. Its list follows. */
static inline void forge_event(struct forge *forge, enum gdi_event type, uint32_t intkey, uint32_t intkey2,
			       const char *strkey, const char *strkey2)
{
	gdi_element_begin(&forge->w, forge->events);
	gdi_write_u32(&forge->w, forge->number++);
	gdi_write_u32(&forge->w, 1700000000);
	gdi_write_u32(&forge->w, type);
	gdi_write_u32(&forge->w, intkey);
	gdi_write_u32(&forge->w, intkey2);
	gdi_write_text(&forge->w, strkey);
	gdi_write_text(&forge->w, strkey2);
}

static inline void forge_end(struct forge *forge)
{
	gdi_list_end(&forge->w, forge->events);
	gdi_write_u32(&forge->w, 0x10003001);
	gdi_write_u32(&forge->w, 1);
}

/* Write a list of elements with only these fields. */
static inline size_t forge_list(struct gdi_writer *writer, const struct forge_value *values, size_t n)
{
	struct gdi_word words[GDI_FIELDS_MOST];

	for (size_t i = 0; i < n; i++)
		words[i] = (struct gdi_word){ values[i].field, gdi_field(values[i].field)->mt | GDI_REDUCED };
	return gdi_list_begin(writer, "", words, n);
}

static inline void forge_element(struct gdi_writer *writer, size_t list, const struct forge_value *values, size_t n)
{
	gdi_element_begin(writer, list);
	for (size_t i = 0; i < n; i++)
		switch (gdi_field(values[i].field)->mt & 0xff) {
		case GDI_DOUBLE:
			gdi_write_double(writer, values[i].real);
			break;
		case GDI_STRING:
		case GDI_HOST:
			gdi_write_text(writer, values[i].text);
			break;
		case GDI_LIST:
		case GDI_OBJECT:
			if (values[i].list)
				gdi_write_bytes(writer, values[i].list->bytes, values[i].list->n);
			else
				gdi_write_null(writer);
			break;
		case GDI_REFERENCE:
			break;
		default:
			gdi_write_u32(writer, values[i].number);
		}
}

static inline void forge_one(struct gdi_writer *writer, const struct forge_value *values, size_t n)
{
	size_t list = forge_list(writer, values, n);

	forge_element(writer, list, values, n);
	gdi_list_end(writer, list);
}

#endif
