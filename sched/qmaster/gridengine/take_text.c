/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts of elements may contain any bytes. An event with a name or request that cannot be printed
 * is refused. Texts that are only displayed are cleaned.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/entries.h"
#include "conf/gridengine/resource_list.h"
#include "conf/lists.h"
#include "conf/base/utf8.h"
#include "sched/mirror/slots.h"
#include "sched/qmaster/gridengine/take.h"

#define BLOCK_BYTES 65536

struct take_block {
	struct take_block *next;
	size_t used, bytes;
	max_align_t memory[];
};

void *take_space(struct take *take, size_t bytes, struct error *error)
{
	size_t whole = (bytes + sizeof(max_align_t) - 1) & ~(sizeof(max_align_t) - 1);
	struct take_block *block = take->blocks;

	if (!block || block->bytes - block->used < whole) {
		size_t room = whole > BLOCK_BYTES ? whole : BLOCK_BYTES;

		block = malloc(sizeof(*block) + room);
		if (!block) {
			error_set(error, -ENOMEM, "out of memory");
			return NULL;
		}
		*block = (struct take_block){ .next = take->blocks, .bytes = room };
		take->blocks = block;
	}
	block->used += whole;
	return (char *)block->memory + block->used - whole;
}

static void blocks_free(struct take_block *block)
{
	while (block) {
		struct take_block *next = block->next;

		free(block);
		block = next;
	}
}

void take_clear(struct take *take)
{
	if (!take->blocks)
		return;
	blocks_free(take->blocks->next);
	take->blocks->next = NULL;
	take->blocks->used = 0;
	if (take->blocks->bytes > BLOCK_BYTES)
		take_free(take);
}

void take_free(struct take *take)
{
	blocks_free(take->blocks);
	take->blocks = NULL;
}

/* One text */

/* Return whether a text is printable. Optimised for short ASCII texts. */
static bool is_printable(const char *s)
{
	size_t n;

	while (*s >= ' ' && *s < 0x7f)
		s++;
	while (*s) {
		n = *s == '\t' ? 0 : utf8_length(s);
		if (n == 0)
			return false;
		s += n;
	}
	return true;
}

static int refuse(const char *what, const char *text, struct error *error)
{
	char shown[80];

	snprintf(shown, sizeof(shown), "%.60s", text);
	utf8_clean(shown);
	return error_set(error, -EINVAL, "%s: \"%s\" has characters that cannot be printed, or is too long", what,
			 shown);
}

static const char *field_name(uint32_t field)
{
	const struct gdi_field *f = gdi_field(field);

	return f ? f->name : "a text";
}

bool said_is_name(const char *text)
{
	return *text && strlen(text) <= TAKE_NAME_BYTES && is_printable(text);
}

int said_name(const struct gdi_element *element, uint32_t field, const char **name, struct error *error)
{
	*name = gdi_text(element, field);
	return **name == '\0' || said_is_name(*name) ? 0 : refuse(field_name(field), *name, error);
}

int said_key(const struct gdi_element *element, uint32_t field, const char **name, struct error *error)
{
	int rc = said_name(element, field, name, error);

	return rc == 0 && **name == '\0' ? error_set(error, -EINVAL, "%s is missing", field_name(field)) : rc;
}

int said_shown(struct take *take, const struct gdi_element *element, uint32_t field, const char **text,
	       struct error *error)
{
	char *copy;
	size_t n;

	*text = gdi_text(element, field);
	if (**text == '\0' || said_is_name(*text))
		return 0;
	n = strnlen(*text, TAKE_NAME_BYTES);
	copy = take_space(take, n + 1, error);
	if (!copy)
		return -ENOMEM;
	memcpy(copy, *text, n);
	copy[n] = '\0';
	utf8_clean(copy);
	for (char *tab = copy; (tab = strchr(tab, '\t')); )
		*tab = '?';
	*text = copy;
	return 0;
}

/* Lists as texts */

static char *text_begin(struct take *take, size_t bytes, const char **text, struct error *error)
{
	char *to = take_space(take, bytes + 1, error);

	*text = to;
	return to;
}

/* Return the size of "name=value" entries; "name" if there is no value, which means TRUE. */
static int requests_bytes(const struct gdi_element *element, uint32_t field, size_t *bytes, struct error *error)
{
	struct gdi_list list = gdi_list(element, field);
	struct gdi_element one;

	for (*bytes = 0; gdi_next(&list, &one);) {
		const char *name, *value = gdi_text(&one, CE_stringval);
		int rc = said_key(&one, CE_name, &name, error);

		if (rc)
			return rc;
		if (!is_printable(value) || strchr(name, '='))
			return refuse(name, value, error);
		*bytes += resource_most(&(struct resource){ NULL, name, value }) + 1;
	}
	return 0;
}

int said_requests(struct take *take, const struct gdi_element *element, uint32_t field, const char **text,
		  struct error *error)
{
	struct gdi_list list = gdi_list(element, field);
	struct gdi_element one;
	size_t bytes;
	char *to;
	int rc;

	*text = NULL;
	if (list.left == 0)
		return 0;
	rc = requests_bytes(element, field, &bytes, error);
	if (rc)
		return rc;
	to = text_begin(take, bytes, text, error);
	if (!to)
		return -ENOMEM;
	while (gdi_next(&list, &one)) {
		const char *value = gdi_text(&one, CE_stringval);

		if (to != *text)
			*to++ = ',';
		to = resource_write(to, &(struct resource){ NULL, gdi_text(&one, CE_name), *value ? value : NULL });
	}
	*to = '\0';
	return 0;
}

static int names_text(struct take *take, const struct gdi_element *element, uint32_t field, uint32_t name_field,
		      const char **text, struct error *error)
{
	struct gdi_list list = gdi_list(element, field), again = list;
	struct gdi_element one;
	size_t bytes = 0;
	const char *name;
	char *to;
	int rc;

	*text = NULL;
	if (list.left == 0)
		return 0;
	for (; gdi_next(&again, &one); bytes += entry_most(strlen(name)) + 1) {
		rc = said_key(&one, name_field, &name, error);
		if (rc)
			return rc;
	}
	to = text_begin(take, bytes, text, error);
	if (!to)
		return -ENOMEM;
	while (gdi_next(&list, &one)) {
		if (to != *text)
			*to++ = ',';
		to = entry_write(to, gdi_text(&one, name_field), LIST_SEPARATORS);
	}
	*to = '\0';
	return 0;
}

int said_queues(struct take *take, const struct gdi_element *element, uint32_t field, const char **text,
		struct error *error)
{
	return names_text(take, element, field, QR_name, text, error);
}

int said_access(struct take *take, const struct gdi_element *element, uint32_t field, const char **text,
		struct error *error)
{
	return names_text(take, element, field, ARA_name, text, error);
}

/*
 * Write a range of slots. A list like "2,4,6" comes as a range with a step. Steps 0 and 1 are the
 * same.
 */
static int slots_write(char *to, const char *comma, uint32_t min, uint32_t max, uint32_t step)
{
	if (max == min)
		return sprintf(to, "%s%u", comma, min);
	if (step > 1)
		return sprintf(to, "%s%u-%u:%u", comma, min, max < SLOTS_LIMIT ? max : SLOTS_LIMIT,
			       step < SLOTS_LIMIT ? step : SLOTS_LIMIT);
	return sprintf(to, max >= SLOTS_LIMIT ? "%s%u-" : "%s%u-%u", comma, min, max);
}

int said_slots(struct take *take, const struct gdi_element *element, uint32_t field, const char **text,
	       struct error *error)
{
	struct gdi_list list = gdi_list(element, field);
	struct gdi_element one;
	char *to;

	*text = NULL;
	if (list.left == 0)
		return 0;
	to = text_begin(take, 36 * (size_t)list.left, text, error);
	if (!to)
		return -ENOMEM;
	while (gdi_next(&list, &one)) {
		uint32_t min = gdi_u32(&one, RN_min), max = gdi_u32(&one, RN_max), step = gdi_u32(&one, RN_step);

		if (min == 0 || max < min || min > SLOTS_LIMIT)
			return error_set(error, -EINVAL, "%u-%u is not a range of slots", min, max);
		to += slots_write(to, to != *text ? "," : "", min, max, step);
	}
	return 0;
}

int said_granted(struct take *take, const struct gdi_element *element, uint32_t field, struct grants *granted,
		 struct error *error)
{
	struct gdi_list list = gdi_list(element, field);
	struct granted *items = take_space(take, (list.left + 1) * sizeof(*items), error);
	struct gdi_element one;
	uint64_t slots = 0;

	*granted = (struct grants){ items, 0 };
	if (!items)
		return -ENOMEM;
	while (gdi_next(&list, &one)) {
		struct granted *to = memset(&items[granted->n], 0, sizeof(*to));
		int rc = said_key(&one, JG_qname, &to->queue, error);
		const char *at = rc == 0 ? strchr(to->queue, '@') : NULL;

		to->slots = gdi_u32(&one, JG_slots);
		slots += to->slots;
		if (rc)
			return rc;
		if (!at || at == to->queue || at[1] == '\0' || to->slots == 0 || slots > UINT32_MAX)
			return error_set(
				error, -EINVAL,
				"%u slots of \"%.60s\" are granted; QUEUE@HOST and a number of slots are expected",
				to->slots, to->queue);
		granted->n++;
	}
	return 0;
}
