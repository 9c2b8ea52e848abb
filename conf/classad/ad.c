/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>

#include "conf/base/array.h"
#include "conf/classad/inside.h"
#include "conf/base/search.h"

/*
 * Return the key of a name. Names consist of ASCII letters, digits and _, so setting one bit
 * removes the case.
 */
struct name_key name_key_of(const char *name, size_t bytes)
{
	/*
	 * the address differs in each process, so that users cannot choose names with equal hashes
	 */
	static const char seed;
	uint64_t hash = 0xcbf29ce484222325u ^ (uintptr_t)&seed;

	for (size_t i = 0; i < bytes; i++)
		hash = (hash ^ ((unsigned char)name[i] | 0x20)) * 0x100000001b3u;
	return (struct name_key){ name, (uint32_t)(hash >> 32), (uint32_t)bytes };
}

struct classad *classad_create(void)
{
	return calloc(1, sizeof(struct classad));
}

void classad_free(struct classad *ad)
{
	if (!ad)
		return;
	for (uint32_t i = 0; i < ad->n; i++)
		classad_expression_free(ad->items[i]);
	free(ad->items);
	free(ad->slots);
	free(ad);
}

static void slot_put(struct classad *ad, uint32_t item)
{
	uint32_t hash = ad->items[item]->key.hash, at = hash & (ad->size - 1);

	while (ad->slots[at].item != UINT32_MAX)
		at = (at + 1) & (ad->size - 1);
	ad->slots[at] = (struct name_slot){ hash, item };
}

static void slots_fill(struct classad *ad)
{
	memset(ad->slots, 0xff, ad->size * sizeof(*ad->slots));
	for (uint32_t i = 0; i < ad->n; i++)
		slot_put(ad, i);
}

/* Make room for one more attribute. A third of the slots stay free. */
static int reserve(struct classad *ad)
{
	uint32_t capacity = ad->capacity + ad->capacity / 2 + 4, size = ad->size ? ad->size : 4;
	struct name_slot *slots;

	if (ad->n == ad->capacity) {
		if (array_grow(&ad->items, capacity, sizeof(*ad->items)))
			return -ENOMEM;
		ad->capacity = capacity;
	}
	while (3 * (ad->n + 1) > 2 * size)
		size *= 2;
	if (size == ad->size)
		return 0;
	slots = reallocarray(ad->slots, size, sizeof(*slots));
	if (!slots)
		return -ENOMEM;
	ad->slots = slots;
	ad->size = size;
	slots_fill(ad);
	return 0;
}

static bool found(const struct classad *ad, const char *name, uint32_t *at)
{
	lower_bound(*at, ad->n, strcasecmp(ad->items[*at]->key.name, name) < 0);
	return *at < ad->n && strcasecmp(ad->items[*at]->key.name, name) == 0;
}

int classad_name_check(const char *name, struct error *error)
{
	size_t n = strlen(name);

	for (size_t i = 0; i < n; i++)
		if (!is_name_letter(name[i]))
			return error_set(error, -EINVAL, "attribute %.64s: letters, digits and _ are allowed", name);
	if (n == 0 || (*name >= '0' && *name <= '9'))
		return error_set(error, -EINVAL, "attribute \"%.64s\": a name begins with a letter or _", name);
	if (n > NAME_MOST)
		return error_set(error, -EINVAL, "attribute %.64s...: a name of %zu characters, %u are allowed", name,
				 n, NAME_MOST);
	return 0;
}

int ad_put(struct classad *ad, struct classad_expression *expression, struct error *error)
{
	uint32_t at;
	int rc = 0;

	if (found(ad, expression->key.name, &at)) {
		classad_expression_free(ad->items[at]);
		ad->items[at] = expression;
		return 0;
	}
	if (ad->n == ATTRIBUTES_MOST)
		rc = error_set(error, -EINVAL, "attribute %s: an ad has %u attributes at most", expression->key.name,
			       ATTRIBUTES_MOST);
	else if (reserve(ad))
		rc = error_set(error, -ENOMEM, "out of memory for attribute %s", expression->key.name);
	if (rc) {
		classad_expression_free(expression);
		return rc;
	}
	memmove(ad->items + at + 1, ad->items + at, (ad->n - at) * sizeof(*ad->items));
	ad->items[at] = expression;
	if (++ad->n - 1 == at)
		slot_put(ad, at);
	else
		slots_fill(ad);
	return 0;
}

const char *ad_spelling(const struct classad *ad, const char *name)
{
	uint32_t at;

	return found(ad, name, &at) ? ad->items[at]->key.name : name;
}

int ad_set(struct classad *ad, const char *name, const char *text, size_t bytes, struct error *error)
{
	struct classad_expression *expression;
	int rc = classad_name_check(name, error);

	if (!rc)
		rc = expression_parse(&expression, ad_spelling(ad, name), text, bytes, NULL, error);
	return rc ? rc : ad_put(ad, expression, error);
}

int classad_set(struct classad *ad, const char *name, const char *expression, struct error *error)
{
	return ad_set(ad, name, expression, strlen(expression), error);
}

/*
 * Replace a value in place. Returns false if the attribute was not a value, or has no room for the
 * text.
 */
static bool value_replace(struct classad_expression *expression, const struct classad_value *value)
{
	char *text = (char *)(expression + 1) + ((expression->key.bytes + 8) & ~7u);

	if (expression->text || (value->type == CLASSAD_STRING && value->bytes >= expression->capacity))
		return false;
	if (value->type == CLASSAD_STRING) {
		memmove(text, value->text, value->bytes);
		text[value->bytes] = '\0';
	}
	expression->value = *value;
	if (value->type == CLASSAD_STRING)
		expression->value.text = text;
	return true;
}

int classad_set_value(struct classad *ad, const char *name, const struct classad_value *value)
{
	struct name_key key = name_key_of(name, strlen(name));
	const struct classad *base = ad->base;
	struct classad_expression *expression;

	if (value->type >= CLASSAD_LIST)
		return -EINVAL;
	ad->base = NULL;
	expression = (struct classad_expression *)ad_find(ad, &key);
	ad->base = base;
	if (expression && value_replace(expression, value))
		return 0;
	if (classad_name_check(name, NULL))
		return -EINVAL;
	expression = expression_of_value(expression ? expression->key.name : name, value,
					 value->type == CLASSAD_STRING ? value->bytes + 1 : 0);
	return expression ? ad_put(ad, expression, NULL) : -ENOMEM;
}

void classad_unset(struct classad *ad, const char *name)
{
	uint32_t at;

	if (!found(ad, name, &at))
		return;
	classad_expression_free(ad->items[at]);
	ad->n--;
	memmove(ad->items + at, ad->items + at + 1, (ad->n - at) * sizeof(*ad->items));
	slots_fill(ad);
}

void classad_set_base(struct classad *ad, const struct classad *base)
{
	ad->base = base;
}

const struct classad *classad_base(const struct classad *ad)
{
	return ad->base;
}

size_t classad_count(const struct classad *ad)
{
	return ad->n;
}

const char *classad_name(const struct classad *ad, size_t i)
{
	return ad->items[i]->key.name;
}

const struct classad_expression *classad_expression(const struct classad *ad, size_t i)
{
	return ad->items[i];
}

const struct classad_expression *classad_find(const struct classad *ad, const char *name)
{
	struct name_key key = name_key_of(name, strlen(name));

	return ad_find(ad, &key);
}
