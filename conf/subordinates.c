/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/subordinates.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/lists.h"
#include "conf/text.h"

#define SLOTS_MOST 9999999u

/* Read a number of decimal digits only. */
static int whole_read(const char *text, uint32_t *n)
{
	uint32_t value = 0;

	for (const char *at = text; *at; at++) {
		if (*at < '0' || *at > '9' || value > SLOTS_MOST)
			return -EINVAL;
		value = 10 * value + (uint32_t)(*at - '0');
	}
	*n = value;
	return *text && value <= SLOTS_MOST ? 0 : -EINVAL;
}

/* Cut `word` before the first of `separators` and return the part after it, or NULL. */
static char *cut(char *word, const char *separators)
{
	char *at = strpbrk(word, separators);

	if (!at)
		return NULL;
	*at = '\0';
	return at + 1;
}

static int entry_add(struct subordinates *list, const struct subordinate *entry, struct error *error)
{
	struct subordinate *item;
	char *queue;
	int rc = name_check(entry->queue, error);

	if (rc)
		return rc;
	queue = strdup(entry->queue);
	item = queue ? array_add(&list->items, &list->n, sizeof(*item)) : NULL;
	if (!item) {
		free(queue);
		return error_set(error, -ENOMEM, "out of memory");
	}
	*item = *entry;
	item->queue = queue;
	return 0;
}

static int queuewise_read(struct subordinates *list, char *word, struct error *error)
{
	char *slots = cut(word, "=:");
	struct subordinate entry = { .queue = word };

	if (slots && whole_read(slots, &entry.slots))
		return error_set(error, -EINVAL, "\"%.40s\" slots of %.40s: a whole number from 0 to %u is allowed",
				 slots, word, SLOTS_MOST);
	return entry_add(list, &entry, error);
}

static int slotwise_read(struct subordinates *list, char *word, struct error *error)
{
	char *seq_no = cut(word, ":"), *action = seq_no ? cut(seq_no, ":") : NULL;
	struct subordinate entry = { .queue = word, .longest = action && strcmp(action, "lr") == 0 };

	if (seq_no && whole_read(seq_no, &entry.seq_no))
		return error_set(error, -EINVAL,
				 "sequence number \"%.40s\" of %.40s: a whole number from 0 to %u is allowed", seq_no,
				 word, SLOTS_MOST);
	if (action && !entry.longest && strcmp(action, "sr") != 0)
		return error_set(error, -EINVAL, "action \"%.40s\" of %.40s: sr or lr is allowed", action, word);
	return entry_add(list, &entry, error);
}

static int words_read(struct subordinates *list, char *text, int (*read)(struct subordinates *, char *, struct error *),
		      struct error *error)
{
	char *word;
	int rc = 0;

	while (rc == 0 && (word = text_word(&text, LIST_SEPARATORS)))
		rc = read(list, word, error);
	return rc;
}

/* Read the slot-wise form. `text` follows the word "slots". */
static int tree_read(struct subordinates *list, char *text, struct error *error)
{
	char *queues = cut(text, "("), *end = queues ? cut(queues, ")") : NULL;
	int rc;

	if (*text != '=' || !end || *end)
		return error_set(error, -EINVAL,
				 "slots=TASKS(QUEUE:SEQ_NO:ACTION, ...) is allowed after the word \"slots\"");
	if (whole_read(text + 1, &list->tasks) || list->tasks == 0)
		return error_set(error, -EINVAL, "slots=\"%.40s\": a whole number from 1 to %u is allowed", text + 1,
				 SLOTS_MOST);
	rc = words_read(list, queues, slotwise_read, error);
	return rc == 0 && list->n == 0
		       ? error_set(error, -EINVAL, "slots=%u() names no queue: at least one is needed", list->tasks)
		       : rc;
}

int subordinates_parse(struct subordinates *list, const char *text, struct error *error)
{
	static const char slots[] = "slots";
	size_t length = sizeof(slots) - 1;
	char *copy;
	int rc;

	if (text_is_none(text))
		return 0;
	copy = strdup(text);
	if (!copy)
		return error_set(error, -ENOMEM, "out of memory");
	if (strncmp(copy, slots, length) == 0 && (copy[length] == '\0' || strchr("=( ", copy[length])))
		rc = tree_read(list, copy + length, error);
	else
		rc = words_read(list, copy, queuewise_read, error);
	free(copy);
	return rc;
}

void subordinates_free(struct subordinates *list)
{
	for (size_t i = 0; i < list->n; i++)
		free(list->items[i].queue);
	free(list->items);
	*list = (struct subordinates){ 0 };
}
