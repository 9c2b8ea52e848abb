/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/dispatch/search/pattern.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf/base/wildcard.h"
#include "conf/entries.h"
#include "conf/lists.h"

#define MAX_DEPTH 64
#define MAX_WORD WILDCARD_BYTES
#define ITEM_BYTES (PATTERN_BYTES_MOST + 1)

struct expression {
	const char *at, *value;
	bool ignore_case, broken;
	int depth;
};

static bool match_or(struct expression *expression);

static bool match_word(struct expression *expression)
{
	char word[MAX_WORD];
	size_t n = strcspn(expression->at, "!&|() \t");

	if (n == 0 || n >= sizeof(word)) {
		expression->broken = true;
		return false;
	}
	memcpy(word, expression->at, n);
	word[n] = '\0';
	expression->at += n;
	if (!strpbrk(word, "*?[\\"))
		return (expression->ignore_case ? strcasecmp(word, expression->value)
						: strcmp(word, expression->value)) == 0;
	return wildcard_match(word, expression->value, expression->ignore_case ? WILDCARD_IGNORE_CASE : 0);
}

static void skip_blanks(struct expression *expression)
{
	expression->at += strspn(expression->at, " \t");
}

static bool match_one(struct expression *expression)
{
	bool result;

	skip_blanks(expression);
	if (++expression->depth > MAX_DEPTH) {
		expression->broken = true;
		return false;
	}
	if (*expression->at == '!') {
		expression->at++;
		result = !match_one(expression);
	} else if (*expression->at == '(') {
		expression->at++;
		result = match_or(expression);
		expression->broken |= *expression->at != ')';
		expression->at += *expression->at == ')';
	} else {
		result = match_word(expression);
	}
	expression->depth--;
	skip_blanks(expression);
	return result;
}

static bool match_and(struct expression *expression)
{
	bool result = match_one(expression);

	while (!expression->broken && *expression->at == '&') {
		expression->at++;
		result &= match_one(expression);
	}
	return result;
}

static bool match_or(struct expression *expression)
{
	bool result = match_and(expression);

	while (!expression->broken && *expression->at == '|') {
		expression->at++;
		result |= match_and(expression);
	}
	return result;
}

bool pattern_match(const char *expression, const char *value, bool ignore_case)
{
	struct expression e = { .at = expression, .value = value, .ignore_case = ignore_case };
	bool result;

	if (strnlen(expression, PATTERN_BYTES_MOST + 1) > PATTERN_BYTES_MOST)
		return false;
	if (!strpbrk(expression, "!&|()*?[\\ \t"))
		return (ignore_case ? strcasecmp(expression, value) : strcmp(expression, value)) == 0;
	result = match_or(&e);
	return result && !e.broken && *e.at == '\0';
}

/* Queue lists */

struct queue_item {			/* item of a list, split at the @ */
	char queue[ITEM_BYTES], host[ITEM_BYTES];
	bool has_host;
	/* Bytes of patterns that are still allowed in this list; SIZE_MAX: no limit needed. */
	size_t left;
};

/* Return the allowance of a list. Most lists are too short to need a limit. */
static size_t patterns_left(const char *list)
{
	return strnlen(list, PATTERN_BYTES_MOST + 1) > PATTERN_BYTES_MOST ? PATTERN_BYTES_MOST : SIZE_MAX;
}

/* Return whether this item is within the allowance for patterns. Plain names always are. */
static bool item_fits(struct queue_item *item, const char *text, size_t n)
{
	if (item->left == SIZE_MAX || strcspn(text, "*?[\\!&|()") >= n)
		return true;
	item->left = n <= item->left ? item->left - n : 0;
	return item->left > 0;
}

/*
 * Get the next item of a list. False: there is none. Items that are too long for a name, and
 * patterns beyond the limit, are skipped.
 */
static bool item_next(const char **list, struct queue_item *item)
{
	while (*(*list += strspn(*list, LIST_SEPARATORS))) {
		size_t n = entry_length(*list, LIST_SEPARATORS), queue;
		const char *at = *list, *host = memchr(at, '@', n);

		*list += n;
		if (n >= ITEM_BYTES || !item_fits(item, at, n))
			continue;
		queue = host ? (size_t)(host - at) : n;
		memcpy(item->queue, at, queue);
		item->queue[queue] = '\0';
		item->has_host = queue < n;
		memcpy(item->host, at + queue + item->has_host, n - queue - item->has_host);
		item->host[n - queue - item->has_host] = '\0';
		return true;
	}
	return false;
}

static bool host_matches(const struct cell *cell, const char *pattern, const char *host)
{
	if (*pattern != '@')
		return pattern_match(pattern, host, true);
	for (size_t i = 0; i < cell->nhostgroups; i++)
		if (pattern_match(pattern, cell->hostgroups[i].name, true) &&
		    cell_hostgroup_has(cell, cell->hostgroups[i].name, host))
			return true;
	return false;
}

static bool queue_matches(const struct queue_item *item, const char *queue)
{
	return item->queue[0] == '\0' || pattern_match(item->queue, queue, false);
}

static bool item_matches(const struct cell *cell, const struct queue_item *item, const char *queue, const char *host)
{
	return queue_matches(item, queue) && (!item->has_host || host_matches(cell, item->host, host));
}

bool queue_list_matches(const struct cell *cell, const char *list, const char *queue, const char *host)
{
	struct queue_item item;

	item.left = patterns_left(list);
	while (item_next(&list, &item))
		if (item_matches(cell, &item, queue, host))
			return true;
	return false;
}

uint32_t queue_list_misses(const struct cell *cell, const char *list, const char *queue, const char *host)
{
	struct queue_item item;
	uint32_t n = 0;

	item.left = patterns_left(list);
	while (item_next(&list, &item))
		n += !item_matches(cell, &item, queue, host);
	return n;
}

bool queue_list_means_host(const struct cell *cell, const char *list, const char *host)
{
	struct queue_item item;

	item.left = patterns_left(list);
	while (item_next(&list, &item))
		if (!item.has_host || host_matches(cell, item.host, host))
			return true;
	return false;
}

bool queue_list_names(const char *list, const char *queue)
{
	struct queue_item item;

	item.left = patterns_left(list);
	while (item_next(&list, &item))
		if (queue_matches(&item, queue))
			return true;
	return false;
}
