/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/members/members.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/utf8.h"
#include "sched/mirror/slots.h"
#include "sched/process/ranges.h"

struct taking_block {
	struct taking_block *next;
	max_align_t memory[];
};

/* One object */

/*
 * Find a member. lower_bound() is not used because it does not stop early. Each member of each
 * event is looked up, and stopping early saves 3 % of the time to take in events.
 */
static const struct event_member *member_find(const struct event_member *table, size_t n, const char *name)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = (unsigned char)*name - (unsigned char)*table[middle].name;

		if (order == 0)		/* names usually differ in the first letter */
			order = strcmp(name, table[middle].name);
		if (order == 0)
			return &table[middle];
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

/*
 * Return the number of required members. The last results are kept, because the same tables are
 * asked for again and again.
 */
static size_t members_due(const struct event_member *table, size_t n, enum presence due)
{
	static _Thread_local struct { const struct event_member *table; size_t n, count; enum presence due; } known[8];
	size_t k = (uintptr_t)table / 64 % (sizeof(known) / sizeof(*known));

	if (known[k].table == table && known[k].n == n && known[k].due == due)
		return known[k].count;
	known[k].table = table;
	known[k].n = n;
	known[k].due = due;
	known[k].count = 0;
	for (size_t i = 0; i < n; i++)
		known[k].count += table[i].due >= due;
	return known[k].count;
}

static int members_missing(struct taking *taking, const struct event_member *table, size_t n, enum presence due,
			   const struct value *object)
{
	for (size_t i = 0; i < n; i++) {
		const struct value *value = table[i].due >= due ? value_member(object, table[i].name) : object;

		if (!value || value->type == VALUE_NULL)
			return error_set(&taking->error, -EINVAL, "%s: missing", table[i].name);
	}
	return 0;
}

/* Record an unknown member, except the members "seq" and "event" that each line has. */
static void member_pass_over(struct taking *taking, const struct value *value)
{
	if (!taking->unknown && value->type != VALUE_NULL && strcmp(value->name, "seq") != 0 &&
	    strcmp(value->name, "event") != 0)
		taking->unknown = value->name;
}

/*
 * Convert an object. No name is repeated, so if the number of required members seen is right, none
 * is missing.
 */
int members_take(struct taking *taking, const struct event_member *table, size_t n, enum presence due,
		 const struct value *object, void *to)
{
	size_t seen = 0;

	value_each(value, object) {
		const struct event_member *member =
			value->type == VALUE_NULL ? NULL : member_find(table, n, value->name);
		int rc;

		if (!member) {
			member_pass_over(taking, value);
			continue;
		}
		rc = member->take(taking, member, value, (char *)to + member->offset);
		if (rc)
			return taking_inside(taking, rc, "%s", member->name);
		seen += member->due >= due;
		taking->given[member->bit >> 32] |= (uint32_t)member->bit;
	}
	return seen == members_due(table, n, due) ? 0 : members_missing(taking, table, n, due, object);
}

int taking_inside(struct taking *taking, int rc, const char *format, ...)
{
	struct error inner = taking->error;
	char prefix[60];
	va_list args;

	va_start(args, format);
	vsnprintf(prefix, sizeof(prefix), format, args);
	va_end(args);
	return error_set(&taking->error, rc, "%s: %s", prefix, inner.text);
}

static const char *type_name(const struct value *value)
{
	static const char *const names[] = {
		[VALUE_NULL] = "null",
		[VALUE_FALSE] = "a boolean",
		[VALUE_TRUE] = "a boolean",
		[VALUE_INTEGER] = "an integer",
		[VALUE_REAL] = "a number with a fraction or an exponent",
		[VALUE_STRING] = "a string",
		[VALUE_ARRAY] = "an array",
		[VALUE_OBJECT] = "an object",
	};

	return names[value->type];
}

int taking_wrong_type(struct taking *taking, const char *due, const struct value *value)
{
	return error_set(&taking->error, -EINVAL, "%s is expected, not %s", due, type_name(value));
}

void *taking_array(struct taking *taking, size_t n, size_t bytes_each)
{
	struct taking_block *block = calloc(1, sizeof(*block) + n * bytes_each);

	if (!block) {
		error_set(&taking->error, -ENOMEM, "out of memory");
		return NULL;
	}
	block->next = taking->blocks;
	taking->blocks = block;
	return block->memory;
}

void taking_clear(struct taking *taking)
{
	while (taking->blocks) {
		struct taking_block *next = taking->blocks->next;

		free(taking->blocks);
		taking->blocks = next;
	}
	memset(taking->given, 0, sizeof(taking->given));
	taking->unknown = NULL;
	taking->error.text[0] = '\0';
}

/* Numbers */

static int take_integer(struct taking *taking, const struct event_member *member, const struct value *value, int64_t *n)
{
	if (value->type != VALUE_INTEGER)
		return taking_wrong_type(taking, "an integer", value);
	*n = value->integer;
	if (*n < member->min || *n > member->max)
		return error_set(&taking->error, -EINVAL, "%lld is not in %lld..%lld", (long long)*n,
				 (long long)member->min, (long long)member->max);
	return 0;
}

int take_u32(struct taking *taking, const struct event_member *member, const struct value *value, void *to)
{
	int64_t n = 0;
	int rc = take_integer(taking, member, value, &n);

	if (rc == 0)
		*(uint32_t *)to = (uint32_t)n;
	return rc;
}

int take_i32(struct taking *taking, const struct event_member *member, const struct value *value, void *to)
{
	int64_t n = 0;
	int rc = take_integer(taking, member, value, &n);

	if (rc == 0)
		*(int32_t *)to = (int32_t)n;
	return rc;
}

int take_i64(struct taking *taking, const struct event_member *member, const struct value *value, void *to)
{
	return take_integer(taking, member, value, to);
}

int take_bool(struct taking *taking, const struct event_member *member, const struct value *value, void *to)
{
	(void)member;
	if (value->type != VALUE_TRUE && value->type != VALUE_FALSE)
		return taking_wrong_type(taking, "true or false", value);
	*(bool *)to = value->type == VALUE_TRUE;
	return 0;
}

/* Strings */

int taking_printable(struct taking *taking, const char *text)
{
	for (const char *p = text; *p;) {
		size_t length = *p == '\t' ? 0 : utf8_length(p);

		if (length == 0)
			return error_set(&taking->error, -EINVAL, "byte 0x%02x in it is not a printable character",
					 (unsigned char)*p);
		p += length;
	}
	return 0;
}

int take_text(struct taking *taking, const struct event_member *member, const struct value *value, void *to)
{
	(void)member;
	if (value->type != VALUE_STRING)
		return taking_wrong_type(taking, "a string", value);
	*(const char **)to = value->text;
	return value->plain ? 0 : taking_printable(taking, value->text);
}

int take_name_or_none(struct taking *taking, const struct event_member *member, const struct value *value, void *to)
{
	if (value->type == VALUE_STRING && value->n > NAME_BYTES)
		return error_set(&taking->error, -EINVAL, "%u bytes; at most %d are allowed", value->n, NAME_BYTES);
	return take_text(taking, member, value, to);
}

int take_name(struct taking *taking, const struct event_member *member, const struct value *value, void *to)
{
	if (value->type == VALUE_STRING && value->n == 0)
		return error_set(&taking->error, -EINVAL, "it is empty");
	return take_name_or_none(taking, member, value, to);
}

int take_instance(struct taking *taking, const struct event_member *member, const struct value *value, void *to)
{
	int rc = take_name(taking, member, value, to);
	const char *text = rc ? "" : value->text, *at = strchr(text, '@');

	if (rc == 0 && (!at || at == text || !at[1] || strchr(at + 1, '@')))
		return error_set(&taking->error, -EINVAL, "\"%.60s\" is not of the form queue@host", text);
	return rc;
}

int take_slot(struct taking *taking, const struct event_member *member, const struct value *value, void *to)
{
	int rc = take_name(taking, member, value, to);
	const char *text = rc ? "" : value->text, *at = strchr(text, '@');

	if (rc == 0 && (!at || at == text || text[value->n - 1] == '@'))
		return error_set(&taking->error, -EINVAL, "\"%.60s\" is not of the form slot@machine", text);
	return rc;
}

int take_task_state(struct taking *taking, const struct event_member *member, const struct value *value, void *to)
{
	int rc = take_name(taking, member, value, to);
	const char *text = rc ? "" : value->text;

	if (rc == 0 && (value->n > 5 || text[strspn(text, "hrtsST")]))
		return error_set(&taking->error, -EINVAL, "\"%.40s\" is not a combination of h, r, t, s, S, T", text);
	return rc;
}

int take_letters(struct taking *taking, const struct event_member *member, const struct value *value, void *to)
{
	int rc = take_name_or_none(taking, member, value, to);
	const char *text = rc ? "" : value->text;

	for (const char *p = text; rc == 0 && *p; p++)
		if (!isalpha((unsigned char)*p))
			return error_set(&taking->error, -EINVAL, "\"%.40s\" has characters that are not letters",
					 text);
	return rc;
}

int take_pe_range(struct taking *taking, const struct event_member *member, const struct value *value, void *to)
{
	struct slot_ranges ranges = { 0 };
	int rc = take_text(taking, member, value, to);

	if (rc == 0 && *value->text)
		rc = slots_parse(&ranges, value->text, &taking->error);
	slots_free(&ranges);
	return rc;
}

int take_ranges(struct taking *taking, const struct event_member *member, const struct value *value, void *to)
{
	const char *text = NULL;
	int rc = take_text(taking, member, value, &text);

	if (rc)
		return rc;
	rc = ranges_parse(to, text);
	if (rc == -ENOMEM)
		return error_set(&taking->error, rc, "out of memory");
	return rc ? error_set(&taking->error, rc,
			      "\"%.40s\" is not a list of task ids, n[-m[:s]][,...], each at most once", text)
		  : 0;
}
