/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cost of reading a Grid Engine qmaster's messages. `gdi [--objects N]` builds deliveries from
 * recorded events (tests/reference/gdi, relative to the current directory), each repeated until
 * there are N objects. There are jobs of a total update with the fields that the built-in scheduler
 * requests, complete jobs, usage of running jobs, and load reports of hosts. It prints a JSON line
 * for each, the best of some repeats: the check as a whole, and the check with every field of every
 * element read.
 */
#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/measure.h"
#include "sched/qmaster/gdi/element.h"
#include "sched/qmaster/gdi/events.h"
#include "sched/qmaster/gdi/writer.h"
#include "tests/gdi/vectors.h"

#define MOST 10000000
#define REPEATS 7

static const struct content {
	const char *name, *file;	/* file whose first event of this type is used */
	enum gdi_event recorded, sent;
	bool in_one_event;		/* true: a list of N objects; false: N events */
} contents[] = {
	{ "jobs", "s10-", GDI_EV_JOB_ADD, GDI_EV_JOB_LIST, true },
	{ "complete jobs", "c1-", GDI_EV_JOB_ADD, GDI_EV_JOB_LIST, true },
	{ "usage", "s9-", GDI_EV_JOB_USAGE, GDI_EV_JOB_USAGE, false },
	{ "load", "s11-", GDI_EV_EXECHOST_MOD, GDI_EV_EXECHOST_MOD, false },
};

/* The recorded event */

static const struct content *wanted;
static struct {
	unsigned char *bytes;		/* list of objects, as it was received */
	size_t n, head;			/* bytes of the list before the first element */
} found;

static void event_find(const struct vector_message *message)
{
	struct gdi_buffer buffer = { message->data, message->data + message->n };
	struct gdi_list reports, events, objects;
	struct gdi_element report, event;
	struct error why;

	if (found.bytes || !vector_packed(message) || message->tag != TAG_REPORT ||
	    gdi_take_header(&buffer, &why) != 0 || gdi_take_list(&buffer, &reports, &why) != 0)
		return;
	gdi_next(&reports, &report);
	events = gdi_list(&report, REP_list);
	while (!found.bytes && gdi_next(&events, &event)) {
		/* objects are the last field */
		const unsigned char *begin = event.values[event.descriptor->n - 1];

		if (gdi_u32(&event, ET_type) != wanted->recorded)
			continue;
		objects = gdi_list(&event, ET_new_version);
		found.n = (size_t)(events.at - begin);
		found.head = (size_t)(objects.at - begin);
		found.bytes = malloc(found.n);
		vector_need(found.bytes != NULL, message->file);
		memcpy(found.bytes, begin, found.n);
	}
}

/* Delivery of many events */

static size_t list_begin(struct gdi_writer *writer, const char *type, const char *name)
{
	const struct gdi_type *t = gdi_type(type);
	struct gdi_word words[GDI_FIELDS_MOST];

	for (size_t i = 0; i < t->n; i++)
		words[i] = (struct gdi_word) { t->fields[i].number, t->fields[i].mt };
	return gdi_list_begin(writer, name, words, t->n);
}

static void event_begin(struct gdi_writer *writer, size_t events, uint32_t number)
{
	gdi_element_begin(writer, events);
	gdi_write_u32(writer, number);
	gdi_write_u32(writer, 1700000000);
	gdi_write_u32(writer, wanted->sent);
	gdi_write_u32(writer, number);
	gdi_write_u32(writer, 0);
	gdi_write_text(writer, "");
	gdi_write_text(writer, "");
}

static void delivery_write(struct gdi_writer *writer, uint32_t n)
{
	gdi_write_header(writer);
	size_t reports = list_begin(writer, "REP", "report list");

	gdi_element_begin(writer, reports);
	gdi_write_u32(writer, 2);
	gdi_write_text(writer, "sgehost");
	size_t events = list_begin(writer, "ET", "Events");

	if (wanted->in_one_event) {
		event_begin(writer, events, 1);
		size_t list = writer->n;

		gdi_write_bytes(writer, found.bytes, found.head);
		for (uint32_t i = 0; i < n; i++)
			gdi_write_bytes(writer, found.bytes + found.head, found.n - found.head);
		if (writer->rc == 0)
			memcpy(writer->bytes + list + 4,
			       (unsigned char[]){ (unsigned char)(n >> 24), (unsigned char)(n >> 16),
						  (unsigned char)(n >> 8), (unsigned char)n },
			       4);
	} else {
		for (uint32_t i = 0; i < n; i++) {
			event_begin(writer, events, i + 1);
			gdi_write_bytes(writer, found.bytes, found.n);
		}
	}
	gdi_write_u32(writer, 0x10003001);
	gdi_write_u32(writer, 1);
}

/* Reading everything */

static double sum;			/* sum of all values, so that no read is optimized away */

static void list_read(struct gdi_list list);

static void element_read(const struct gdi_element *element)
{
	const struct gdi_descriptor *descriptor = element->descriptor;
	struct gdi_element object;

	for (uint32_t i = 0; i < descriptor->n; i++) {
		const unsigned char *word = descriptor->words + 8 * i;
		uint32_t field = (uint32_t)word[0] << 24 | (uint32_t)word[1] << 16 | (uint32_t)word[2] << 8 | word[3];

		switch (word[7]) {
		case GDI_U32:
		case GDI_BOOL:
			sum += gdi_u32(element, field);
			break;
		case GDI_DOUBLE:
			sum += gdi_double(element, field);
			break;
		case GDI_STRING:
		case GDI_HOST:
			sum += gdi_text(element, field)[0];
			break;
		case GDI_LIST:
			list_read(gdi_list(element, field));
			break;
		case GDI_OBJECT:
			if (gdi_object(element, field, &object))
				element_read(&object);
			break;
		default:
			break;
		}
	}
}

static void list_read(struct gdi_list list)
{
	struct gdi_element element;

	while (gdi_next(&list, &element))
		element_read(&element);
}

static int delivery_read(const struct gdi_writer *writer, double *check_ns, double *all_ns)
{
	struct gdi_buffer buffer = { writer->bytes, writer->bytes + writer->n };
	struct gdi_list list;
	struct error why;
	double begin = now_ns();

	if (gdi_take_header(&buffer, &why) != 0 || gdi_take_list(&buffer, &list, &why) != 0 ||
	    gdi_take_end(&buffer, &why) != 0) {
		fprintf(stderr, "gdi: %s\n", why.text);
		return -EPROTO;
	}
	*check_ns = now_ns() - begin;
	list_read(list);
	*all_ns = now_ns() - begin;
	return 0;
}

static int content_measure(uint32_t n)
{
	double check_ns[REPEATS], all_ns[REPEATS];
	struct gdi_writer writer = { 0 };
	int rc;

	free(found.bytes);
	found.bytes = NULL;
	vectors_all(wanted->file, event_find);
	vector_need(found.bytes != NULL, wanted->file);
	delivery_write(&writer, n);
	rc = writer.rc;
	for (int i = 0; rc == 0 && i < REPEATS; i++)
		rc = delivery_read(&writer, &check_ns[i], &all_ns[i]);
	if (rc == 0) {
		double check = figure_of(check_ns, REPEATS, n).best, all = figure_of(all_ns, REPEATS, n).best,
		       bytes = (double)writer.n / n;

		printf("{\"what\":\"gdi\",\"content\":\"%s\",\"objects\":%u,\"bytes_each\":%.1f,"
		       "\"check_ns_each\":%.1f,\"ns_each\":%.1f,\"per_second\":%.0f,"
		       "\"mb_per_s\":%.1f}\n",
		       wanted->name, n, bytes, check, all, 1e9 / all, 1e3 * bytes / all);
	}
	gdi_writer_free(&writer);
	return rc;
}

int main(int argc, char **argv)
{
	static const struct option names[] = { { "objects", 1, 0, 'o' }, { 0 } };
	unsigned long n = 100000;
	int c, rc = 0;

	while ((c = getopt_long(argc, argv, "", names, NULL)) == 'o')
		n = strtoul(optarg, NULL, 10);
	if (c != -1 || optind != argc || n == 0 || n > MOST) {
		fprintf(stderr, "usage: gdi [--objects N]\n");
		return 2;
	}
	for (size_t i = 0; rc == 0 && i < sizeof(contents) / sizeof(contents[0]); i++) {
		wanted = &contents[i];
		rc = content_measure((uint32_t)n);
	}
	free(found.bytes);
	if (rc != 0)
		fprintf(stderr, "gdi: %s\n", strerror(-rc));
	return rc == 0 && sum > 0 && fflush(stdout) == 0 ? 0 : 1;
}
