/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/lists.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/number.h"
#include "conf/text.h"

void *array_add(void *array, size_t *n, size_t size)
{
	char *items;

	memcpy(&items, array, sizeof(items));
	if ((*n & (*n - 1)) == 0) {
		items = reallocarray(items, *n ? 2 * *n : 1, size);
		if (!items)
			return NULL;
		memcpy(array, &items, sizeof(items));
	}
	return memset(items + (*n)++ * size, 0, size);
}

static int item_compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void array_sort(void *items, size_t n, size_t size)
{
	if (n > 1)
		qsort(items, n, size, item_compare);
}

void *array_find(const void *items, size_t n, size_t size, const char *name)
{
	return n ? bsearch(&name, items, n, size, item_compare) : NULL;
}

int strlist_parse(struct strlist *list, const char *text, struct error *error)
{
	char *copy, *rest, *word, **item;
	int rc = 0;

	if (text_is_none(text))
		return 0;
	copy = rest = strdup(text);
	if (!copy)
		return error_set(error, -ENOMEM, "out of memory");
	while (!rc && (word = text_word(&rest, LIST_SEPARATORS))) {
		word = strdup(word);
		item = word ? array_add(&list->items, &list->n, sizeof(*item)) : NULL;
		if (item) {
			*item = word;
		} else {
			free(word);
			rc = error_set(error, -ENOMEM, "out of memory");
		}
	}
	free(copy);
	return rc;
}

int pairs_add(struct pairs *pairs, const char *name, const char *text)
{
	struct pair pair = { .name = strdup(name), .text = strdup(text) };
	struct pair *item = pair.name && pair.text ? array_add(&pairs->items, &pairs->n, sizeof(*item)) : NULL;

	if (!item) {
		free(pair.name);
		free(pair.text);
		return -ENOMEM;
	}
	pair.is_number = number_parse(text, &pair.value) == 0;
	if (!pair.is_number)
		pair.value = 0;
	*item = pair;
	return 0;
}

/* Refuse duplicate names. A copy is sorted, so that a long list costs n log n. */
static int pairs_check_unique(const struct pairs *pairs, struct error *error)
{
	const char **names;
	size_t i;
	int rc = 0;

	if (pairs->n < 2)
		return 0;
	names = reallocarray(NULL, pairs->n, sizeof(*names));
	if (!names)
		return error_set(error, -ENOMEM, "out of memory");
	for (i = 0; i < pairs->n; i++)
		names[i] = pairs->items[i].name;
	array_sort(names, pairs->n, sizeof(*names));
	for (i = 1; i < pairs->n && !rc; i++)
		if (!strcmp(names[i - 1], names[i]))
			rc = error_set(error, -EINVAL, "\"%.40s\" is in the list twice: once is allowed", names[i]);
	free(names);
	return rc;
}

/* Take the next word. A word with "(" ends after the next ")", as in "gpu=2(GPU0 GPU1)". */
static char *pair_word(char **rest, const char *separators)
{
	char *word = *rest + strspn(*rest, separators), *end = word + strcspn(word, separators), *closed;

	if (memchr(word, '(', (size_t)(end - word)) && !memchr(word, ')', (size_t)(end - word)) &&
	    (closed = strchr(end, ')')))
		end = closed + strcspn(closed, separators);
	*rest = *end ? end + 1 : end;
	*end = '\0';
	return *word ? word : NULL;
}

int pairs_parse(struct pairs *pairs, const char *text, const char *separators, struct error *error)
{
	char *copy, *rest, *word, *equals;
	int rc = 0;

	if (text_is_none(text))
		return 0;
	copy = rest = strdup(text);
	if (!copy)
		return error_set(error, -ENOMEM, "out of memory");
	while (!rc && (word = pair_word(&rest, separators))) {
		equals = strchr(word, '=');
		if (!equals || equals == word) {
			rc = error_set(error, -EINVAL, "\"%.40s\" found: name=value is allowed", word);
			break;
		}
		*equals = '\0';
		if (pairs_add(pairs, word, equals + 1))
			rc = error_set(error, -ENOMEM, "out of memory");
	}
	free(copy);
	return rc ? rc : pairs_check_unique(pairs, error);
}

const struct pair *pairs_find(const struct pairs *pairs, const char *name)
{
	size_t i;

	for (i = 0; i < pairs->n; i++)
		if (!strcmp(pairs->items[i].name, name))
			return &pairs->items[i];
	return NULL;
}

void strlist_free(struct strlist *list)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		free(list->items[i]);
	free(list->items);
	*list = (struct strlist){ 0 };
}

void pairs_free(struct pairs *pairs)
{
	size_t i;

	for (i = 0; i < pairs->n; i++) {
		free(pairs->items[i].name);
		free(pairs->items[i].text);
	}
	free(pairs->items);
	*pairs = (struct pairs){ 0 };
}

int name_check(const char *name, struct error *error)
{
	static const char forbidden[] = " \t/:'\"\\[]{}|()%,=@";
	const char *at = strpbrk(name, forbidden);

	if (!*name)
		return error_set(error, -EINVAL, "no name found");
	if (strlen(name) > 255)
		return error_set(error, -EINVAL, "\"%.40s...\" found: at most 255 bytes are allowed", name);
	if (at)
		return error_set(error, -EINVAL, "\"%.40s\" found: the character '%c' is not allowed in a name", name,
				 *at);
	return 0;
}
