/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/memo.h"

#include <string.h>

#include "sched/process/json.h"
#include "sched/cli/text.h"

_Static_assert(sizeof(struct memo_entry) == 64, "a cache line");

/* Return the entry for a string's address. It may hold another string. */
static inline struct memo_entry *memo_at(struct memo *memo, const char *text)
{
	return &memo->entries[(uintptr_t)text * UINT64_C(0x9e3779b97f4a7c15) >> (64 - MEMO_BITS)];
}

static inline bool memo_has(const struct memo_entry *entry, const char *text, size_t width)
{
	return entry->text == text && entry->width == width;
}

void memo_forget(struct memo *memo)
{
	if (memo->used)
		memset(memo->entries, 0, sizeof(memo->entries));
	memo->used = true;
}

/* Copy a constant number of bytes, which is faster than only those needed. */
static char *entry_copy(char *p, const struct memo_entry *entry)
{
	memcpy(p, entry->made, MEMO_BYTES);
	return p + entry->bytes;
}

char *memo_column(struct memo *memo, char *p, const char *text, size_t width)
{
	struct memo_entry *entry = memo_at(memo, text);

	if (!memo_has(entry, text, width)) {
		text_column(entry->made, text, width);
		entry->text = text;
		entry->width = entry->bytes = (uint8_t)width;
	}
	return entry_copy(p, entry);
}

char *memo_json(struct memo *memo, char *p, const char *text)
{
	struct memo_entry *entry = memo_at(memo, text);

	if (!memo_has(entry, text, 0)) {
		char *end = json_put_short(p, text, MEMO_BYTES);

		if (!end)
			return NULL;
		entry->text = text;
		entry->width = 0;
		entry->bytes = (uint8_t)(end - p);
		memcpy(entry->made, p, entry->bytes);
		return end;
	}
	return entry_copy(p, entry);
}
