/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ads as values. Such a value refers to an ad and to the ads around it. An attribute is evaluated
 * when it is selected. A name in it means an attribute of its ad, or of the nearest ad around it.
 */
#include "conf/classad/evaluate.h"

struct classad_value ad_value(const struct classad_scope *scope, struct classad_room *room)
{
	struct classad_scope *copy;

	if (!scope->own)
		return UNDEFINED;
	copy = room_take(room, sizeof(*copy), _Alignof(struct classad_scope));
	if (!copy)
		return ERROR;
	*copy = *scope;
	return (struct classad_value){ .type = CLASSAD_AD, .ad = copy };
}

struct classad_value ad_nested(const struct classad *ad, const struct classad_scope *in, struct classad_room *room)
{
	struct classad_scope *outer = room_take(room, sizeof(*outer), _Alignof(struct classad_scope));

	if (!outer)
		return ERROR;
	*outer = *in;
	return ad_value(&(struct classad_scope){ ad, in->other, outer }, room);
}

void ad_named(struct evaluation *evaluation, enum operation kind, const struct name_key *key,
	      const struct classad_scope *in, struct classad_value *result)
{
	const struct classad_expression *expression = ad_find(in->own, key);
	struct classad_scope other;

	if (expression) {
		expression_run(evaluation, expression, in, result);
	} else if (kind == OP_OTHER_AD) {
		other = scope_other(in);
		*result = ad_value(&other, evaluation->room);
	} else {
		in = kind == OP_OWN_AD ? in : in->outer;
		*result = in ? ad_value(in, evaluation->room) : UNDEFINED;
	}
}

/*
 * Select from each item of a list. The ads among the results lose the ads around them, as in
 * HTCondor.
 */
static void list_select(struct evaluation *evaluation, enum operation kind, const struct name_key *key,
			struct classad_value *value)
{
	const struct classad_value list = *value;
	struct classad_value *items, *item = value + 1;

	if (list.n == 0)
		return;
	*value = ERROR;
	items = room_take(evaluation->room, list.n * sizeof(*items), _Alignof(struct classad_value));
	if (!items || item >= evaluation->end)
		return;
	for (size_t i = 0; i < list.n; i++) {
		if (room_spend(evaluation->room, 1))
			return;
		*item = list.items[i];
		attribute_select(evaluation, kind, key, item);
		items[i] = item->type == CLASSAD_AD
				   ? ad_value(&(struct classad_scope){ .own = item->ad->own }, evaluation->room)
				   : *item;
	}
	*value = (struct classad_value){ .type = CLASSAD_LIST, .items = items, .n = list.n };
}

void attribute_select(struct evaluation *evaluation, enum operation kind, const struct name_key *key,
		      struct classad_value *value)
{
	const struct classad_expression *expression;
	const struct classad_scope *in;

	if (value->type == CLASSAD_LIST) {
		list_select(evaluation, kind, key, value);
		return;
	}
	if (value->type != CLASSAD_AD) {
		*value = value->type == CLASSAD_UNDEFINED ? UNDEFINED : ERROR;
		return;
	}
	in = value->ad;
	if (kind != OP_NAME) {
		ad_named(evaluation, kind, key, in, value);
		return;
	}
	expression = scope_find(&in, key);
	*value = UNDEFINED;
	if (expression)
		expression_run(evaluation, expression, in, value);
}

void ad_subscript(struct evaluation *evaluation, struct classad_value *value, const struct classad_value *name)
{
	const struct classad_scope *in = value->ad;
	struct name_key key = name_key_of(name->text, name->bytes);
	const struct classad_expression *expression = ad_find(in->own, &key);

	*value = UNDEFINED;
	if (expression)
		expression_run(evaluation, expression, in, value);
}
