/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A message as a Grid Engine qmaster sends it: a byte that is its tag (2 a GDI packet, 3 an
 * acknowledgement, 4 a report; any other a condition and an enumeration), and its data.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sched/qmaster/gdi/packet.h"
#include "tests/fuzz/support.h"
#include "tests/gdi/rewrite.h"

enum { PACKET = 2, ACKNOWLEDGEMENT = 3, REPORT = 4 };

static const unsigned char *begin, *end;	/* limits of the message */

static void is_inside(const void *at)
{
	MUST((const unsigned char *)at >= begin && (const unsigned char *)at < end);
}

static void elements_look(struct gdi_list list, unsigned depth);

static void fields_look(const struct gdi_element *element, unsigned depth)
{
	struct gdi_word words[GDI_FIELDS_MOST];
	struct gdi_element object;
	size_t n = words_of(element->descriptor, words);

	MUST(n <= GDI_FIELDS_MOST && depth <= GDI_DEPTH_MOST);
	for (size_t i = 0; i < n; i++) {
		uint32_t number = words[i].number;
		const struct gdi_type *type = gdi_type_of(number);
		const char *text = gdi_text(element, number);

		MUST(!type || (type->fields[number - type->first].mt & 0xff) == (words[i].mt & 0xff));
		MUST(isfinite(gdi_double(element, number)));
		if (*text) {
			is_inside(text);
			is_inside(text + strlen(text));
		}
		elements_look(gdi_list(element, number), depth + 1);
		if (gdi_object(element, number, &object)) {
			MUST(gdi_has(element, number));
			fields_look(&object, depth + 1);
		}
	}
}

static void elements_look(struct gdi_list list, unsigned depth)
{
	uint32_t n = list.left, seen = 0;
	struct gdi_element element;

	while (gdi_next(&list, &element)) {
		fields_look(&element, depth);
		seen++;
	}
	MUST(seen == n && list.left == 0);
}

/* Check that a list that was read and written again is read as the same list. */
static void list_look(struct gdi_list list)
{
	struct gdi_writer once = { 0 }, twice = { 0 };
	struct gdi_buffer buffer;
	struct error error = { "" };

	elements_look(list, 1);
	list_rewrite(&once, list);
	MUST(once.rc == 0);
	buffer = (struct gdi_buffer) { once.bytes, once.bytes + once.n };
	MUST(gdi_take_list(&buffer, &list, &error) == 0 && gdi_take_end(&buffer, &error) == 0);
	list_rewrite(&twice, list);
	buffer = (struct gdi_buffer) { twice.bytes, twice.bytes + twice.n };
	MUST(gdi_take_list(&buffer, &list, &error) == 0);
	MUST(once.n == twice.n && memcmp(once.bytes, twice.bytes, once.n) == 0);
	gdi_writer_free(&once);
	gdi_writer_free(&twice);
}

static int packet_take(struct gdi_buffer buffer, struct error *error)
{
	struct gdi_answer answer = { .more = true };
	int rc = 0;

	while (rc == 0 && answer.more) {
		rc = gdi_take_answer(&buffer, &answer, error);
		if (rc == 0) {
			MUST((answer.status == GDI_OK) <= !answer.text[0]);
			list_look(answer.data);
		}
	}
	return rc;
}

static int message_take(unsigned tag, struct gdi_buffer buffer, struct error *error)
{
	struct gdi_element element;
	struct gdi_list list;
	int rc = gdi_take_header(&buffer, error);

	if (rc != 0)
		return rc;
	switch (tag) {
	case PACKET:
		return packet_take(buffer, error);
	case ACKNOWLEDGEMENT:
		rc = gdi_take_element(&buffer, &element, error);
		if (rc == 0)
			fields_look(&element, 1);
		break;
	case REPORT:
		rc = gdi_take_list(&buffer, &list, error);
		if (rc == 0)
			list_look(list);
		break;
	default:
		rc = gdi_take_condition(&buffer, error);
		if (rc == 0)
			rc = gdi_take_enumeration(&buffer, error);
	}
	return rc != 0 ? rc : gdi_take_end(&buffer, error);
}

#ifdef BROKEN			/* the expected fields are unknown */
const struct gdi_field *__wrap_gdi_field(uint32_t number);

const struct gdi_field *__wrap_gdi_field(uint32_t number)
{
	(void)number;
	return NULL;
}
#endif

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct error error = { "" };
	unsigned char *bytes;
	int rc;

	if (size == 0)
		return 0;
	bytes = malloc(size - 1 + (size == 1));	/* exact size; the check writes into it */
	MUST(bytes != NULL);
	memcpy(bytes, data + 1, size - 1);
	begin = bytes;
	end = bytes + size - 1;
	rc = message_take(data[0], (struct gdi_buffer) { bytes, bytes + size - 1 }, &error);
	MUST((rc == 0) == !error.text[0]);
	fuzz_taken(rc == 0);
	free(bytes);
	return 0;
}
