/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/members/member_list.h"

#include <errno.h>
#include <string.h>

#include "sched/mirror/event.h"
#include "sched/qmaster/members/value_write.h"

#define LENGTH(array) (sizeof(array) / sizeof(*(array)))
#define MORE 8			/* members for which a new list has room */

/* Reading */

int take_any_text(struct taking *taking, const struct event_member *member, const struct value *value, void *to)
{
	(void)member;
	if (value->type != VALUE_STRING)
		return taking_wrong_type(taking, "a string", value);
	*(const char **)to = value->text;
	return 0;
}

int take_text_list(struct taking *taking, const struct event_member *member, const struct value *value, void *to)
{
	struct text_list *list = to;
	const char **items;
	size_t n = 0;

	(void)member;
	if (value->type != VALUE_ARRAY)
		return taking_wrong_type(taking, "an array", value);
	items = taking_array(taking, value->n, sizeof(*items));
	if (!items)
		return -ENOMEM;
	value_each(one, value) {
		if (one->type != VALUE_STRING)
			return taking_wrong_type(taking, "a string", one);
		items[n++] = one->text;
	}
	*list = (struct text_list){ items, n };
	return 0;
}

int take_variables(struct taking *taking, const struct event_member *member, const struct value *value, void *to)
{
	struct variables *variables = to;
	struct variable *items;
	size_t n = 0;

	(void)member;
	if (value->type != VALUE_OBJECT)
		return taking_wrong_type(taking, "an object", value);
	items = taking_array(taking, value->n, sizeof(*items));
	if (!items)
		return -ENOMEM;
	value_each(one, value) {
		if (one->type != VALUE_STRING && one->type != VALUE_NULL)
			return taking_wrong_type(taking, "a string", one);
		items[n++] = (struct variable){ one->name, value_text(one) };
	}
	*variables = (struct variables){ items, n };
	return 0;
}

int take_said(struct taking *taking, const struct event_member *member, const struct value *value, void *to)
{
	bool yes = false;
	int rc = take_bool(taking, member, value, &yes);

	if (rc == 0)
		*(enum said *)to = yes ? SAID_YES : SAID_NO;
	return rc;
}

/* Writing */

static void text_write(struct out *out, const void *at)
{
	const char *text = *(const char *const *)at;

	json_plain_text(out, text ? text : "");
}

static void u32_write(struct out *out, const void *at)
{
	json_write_number(out, "", *(const uint32_t *)at);
}

static void i32_write(struct out *out, const void *at)
{
	json_write_number(out, "", *(const int32_t *)at);
}

static void i64_write(struct out *out, const void *at)
{
	json_write_number(out, "", *(const int64_t *)at);
}

static void bool_write(struct out *out, const void *at)
{
	json_write_bool(out, "", *(const bool *)at);
}

static void said_write(struct out *out, const void *at)
{
	json_write_bool(out, "", *(const enum said *)at == SAID_YES);
}

static void numbers_write(struct out *out, const uint32_t *numbers, size_t n)
{
	json_write_literal(out, "[");
	for (size_t i = 0; i < n; i++)
		json_write_number(out, i ? "," : "", numbers[i]);
	json_write_literal(out, "]");
}

static void number_list_write(struct out *out, const void *at)
{
	const struct number_list *list = at;

	numbers_write(out, list->items, list->n);
}

static void hold_jid_write(struct out *out, const void *at)
{
	const struct job_spec *spec = at;

	numbers_write(out, spec->hold_jid, spec->nhold_jid);
}

static void hold_jid_ad_write(struct out *out, const void *at)
{
	const struct job_spec *spec = at;

	numbers_write(out, spec->hold_jid_ad, spec->nhold_jid_ad);
}

static void text_list_write(struct out *out, const void *at)
{
	const struct text_list *list = at;

	json_write_literal(out, "[");
	for (size_t i = 0; i < list->n; i++)
		json_write_plain(out, i ? "," : "", list->items[i]);
	json_write_literal(out, "]");
}

void variables_write(struct out *out, const struct variables *variables)
{
	json_write_literal(out, "{");
	for (size_t i = 0; i < variables->n; i++) {
		json_write_plain(out, i ? "," : "", variables->items[i].name);
		if (variables->items[i].value)
			json_write_plain(out, ":", variables->items[i].value);
		else
			json_write_literal(out, ":null");
	}
	json_write_literal(out, "}");
}

static void variables_member_write(struct out *out, const void *at)
{
	variables_write(out, at);
}

static void granted_write(struct out *out, const void *at)
{
	const struct grants *grants = at;

	json_write_literal(out, "[");
	for (size_t i = 0; i < grants->n; i++) {
		json_write_plain(out, i ? ",{\"queue\":" : "{\"queue\":", grants->items[i].queue);
		json_write_number(out, ",\"slots\":", grants->items[i].slots);
		json_write_literal(out, "}");
	}
	json_write_literal(out, "]");
}

/* How members of each type are written. `bytes` 0: two members of struct job_spec. */
static const struct member_kind {
	int (*take)(struct taking *taking, const struct event_member *member, const struct value *value, void *to);
	void (*write)(struct out *out, const void *at);
	size_t bytes;
} kinds[] = {
	{ take_text, text_write, sizeof(char *) }, { take_name, text_write, sizeof(char *) },
	{ take_name_or_none, text_write, sizeof(char *) }, { take_pe_range, text_write, sizeof(char *) },
	{ take_expression, text_write, sizeof(char *) }, { take_any_text, text_write, sizeof(char *) },
	{ take_u32, u32_write, sizeof(uint32_t) }, { take_i32, i32_write, sizeof(int32_t) },
	{ take_i64, i64_write, sizeof(int64_t) }, { take_bool, bool_write, sizeof(bool) },
	{ take_said, said_write, sizeof(enum said) }, { take_hold_jid, hold_jid_write, 0 },
	{ take_hold_jid_ad, hold_jid_ad_write, 0 }, { take_text_list, text_list_write, sizeof(struct text_list) },
	{ take_variables, variables_member_write, sizeof(struct variables) },
	{ take_number_list, number_list_write, sizeof(struct number_list) },
	{ take_granted, granted_write, sizeof(struct grants) },
};

/* NULL: values of this type are kept as they were requested. */
static const struct member_kind *kind_of(const struct event_member *form)
{
	for (size_t i = 0; i < LENGTH(kinds); i++)
		if (kinds[i].take == form->take)
			return &kinds[i];
	return NULL;
}

const char *member_text_in(struct member_base base, const struct event_member *form)
{
	const struct member_kind *kind = kind_of(form);

	return kind && kind->write == text_write ? *(const char *const *)member_place(base, form) : NULL;
}

void member_copy(struct member_base to, struct member_base from, const struct event_member *form)
{
	const struct member_kind *kind = kind_of(form);
	const struct job_spec *source = member_place(from, form);
	struct job_spec *target = member_place(to, form);

	if (form->take == take_ad) {
		memcpy(target, source, sizeof(struct ad_attributes));
	} else if (form->take == take_hold_jid) {
		target->hold_jid = source->hold_jid;
		target->nhold_jid = source->nhold_jid;
	} else if (form->take == take_hold_jid_ad) {
		target->hold_jid_ad = source->hold_jid_ad;
		target->nhold_jid_ad = source->nhold_jid_ad;
	} else if (kind) {
		memcpy(target, source, kind->bytes);
	}
}

/* List */

struct listed_member *member_list_find(const struct member_list *list, const char *name)
{
	for (size_t i = 0; i < list->n; i++)
		if (strcmp(list->items[i].name, name) == 0)
			return &list->items[i];
	return NULL;
}

const struct value *member_list_kept(const struct member_list *list, const char *name)
{
	const struct listed_member *member = member_list_find(list, name);

	return member ? member->kept : NULL;
}

static int member_append(struct member_list *list, struct taking *taking, struct listed_member member)
{
	struct listed_member *items;

	if (list->n == list->capacity) {
		items = taking_array(taking, 2 * list->capacity + MORE, sizeof(*items));
		if (!items)
			return -ENOMEM;
		if (list->n > 0)
			memcpy(items, list->items, list->n * sizeof(*items));
		list->items = items;
		list->capacity = 2 * list->capacity + MORE;
	}
	list->items[list->n++] = member;
	return 0;
}

int member_list_put(struct member_list *list, struct taking *taking, struct listed_member member)
{
	struct listed_member *there = member_list_find(list, member.name);

	if (!there)
		return member_append(list, taking, member);
	*there = member;
	return 0;
}

void member_list_remove(struct member_list *list, const char *name)
{
	struct listed_member *gone = member_list_find(list, name);

	if (gone) {
		list->n--;
		memmove(gone, gone + 1, (size_t)(list->items + list->n - gone) * sizeof(*gone));
	}
}

int member_list_take(struct member_list *list, struct taking *taking, struct member_base base,
		     const struct event_member *form, const struct value *value)
{
	struct listed_member member = { form, value->name, value };
	const struct member_kind *kind = form ? kind_of(form) : NULL;
	int rc = 1;

	if (form && value->type != VALUE_NULL) {
		rc = form->take(taking, form, value, member_place(base, form));
		if (rc == -ENOMEM)
			return rc;
		if (rc && kind && kind->write == text_write)
			*(const char **)member_place(base, form) = value_text(value);
		/* an integer is the text of an expression */
		if (rc == 0 && kind && (kind->write != text_write || value->type == VALUE_STRING))
			member.kept = NULL;
	}
	/* an object may have any number of unknown members, each once */
	return (form ? member_list_put(list, taking, member) : member_append(list, taking, member)) ? -ENOMEM : rc;
}

static bool is_hidden(const char *name, const char *const *hidden)
{
	while (hidden && *hidden && strcmp(*hidden, name) != 0)
		hidden++;
	return hidden && *hidden;
}

void member_list_write(struct out *out, const struct member_list *list, struct member_base base,
		       const char *const *hidden)
{
	const char *before = "";

	for (size_t i = 0; i < list->n; i++) {
		const struct listed_member *member = &list->items[i];

		if (is_hidden(member->name, hidden))
			continue;
		json_write_plain(out, before, member->name);
		json_write_literal(out, ":");
		if (member->kept)
			value_write(out, member->kept);
		else
			kind_of(member->form)->write(out, member_place(base, member->form));
		before = ",";
	}
}
