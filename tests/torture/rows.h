/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Generations whose words all name their generation: in a table that changes its size, in a chunk
 * (in the part that is copied before a change and in the other one), and in a text. A reader that
 * finds a word of another generation has seen a mixture.
 */
#ifndef TORTURE_ROWS_H
#define TORTURE_ROWS_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "shm/attach.h"
#include "shm/facts.h"
#include "shm/strings.h"

#define ROWS_MADE 4096u

enum { TABLE_ROWS };

/* Columns of either part of a chunk. */
struct columns {
	uint32_t value[CHUNK_ROWS];
	uint32_t name[CHUNK_ROWS];		/* of facts only */
};

static inline uint32_t row_value(uint64_t gen, uint64_t i)
{
	return (uint32_t)(gen * 0x9e3779b9u + i * 0x85ebca6bu);
}

static inline void row_text(uint64_t gen, char *text, size_t size)
{
	snprintf(text, size, "run %llu", (unsigned long long)gen);
}

/* Publish rows. held: the id of the previous text, dropped when the new one is published. */
static inline int rows_publish(struct segment *segment, struct strings *strings, struct facts *facts, uint64_t count,
			       uint32_t *held)
{
	struct generation_writer writer;
	size_t shared;
	char text[32];

	if (generation_begin(&writer, segment))
		return -1;
	uint32_t *rows = generation_table(&writer, TABLE_ROWS, count, sizeof(*rows));
	struct columns *results = generation_results(&writer, 0, sizeof(*results)), *chunk;

	if (!rows || !results || facts_reserve(facts, 0))
		return -1;
	chunk = facts_chunk(facts, 0);
	for (uint64_t i = 0; i < count; i++)
		rows[i] = row_value(writer.gen, i);
	for (uint64_t i = 0; i < ROWS_MADE; i++)
		results->value[i] = chunk->value[i] = row_value(writer.gen, i);
	row_text(writer.gen, text, sizeof(text));
	strings_drop(strings, *held);
	*held = strings_hold(strings, text);
	chunk->name[0] = *held;
	writer.directory->rows = ROWS_MADE;
	memcpy(writer.directory->head, &count, sizeof(count));
	if (*held == NONE || facts_show(facts, &writer, 0, &shared) || strings_publish(strings, &writer))
		return -1;
	generation_publish(&writer);
	return 0;
}

static inline bool rows_intact(const struct view *view)
{
	uint64_t count;
	char text[32];
	const uint32_t *rows = view_table(view, TABLE_ROWS, sizeof(*rows), &count);
	const uint64_t *made = (const uint64_t *)view->directory->head;
	const struct columns *facts = view_facts(view, 0, 0, sizeof(*facts)),
			     *results = view_results(view, 0, 0, sizeof(*results));
	bool intact = facts && results && count == LOAD_ONCE(*made);

	for (uint64_t i = 0; i < count && intact; i++)
		intact = LOAD_ONCE(rows[i]) == row_value(view->gen, i);
	for (uint64_t i = 0; i < ROWS_MADE && intact; i++)
		intact = LOAD_ONCE(facts->value[i]) == row_value(view->gen, i) &&
			 LOAD_ONCE(results->value[i]) == row_value(view->gen, i);
	row_text(view->gen, text, sizeof(text));
	return intact && strncmp(view_string(view, LOAD_ONCE(facts->name[0])), text, sizeof(text)) == 0;
}

#endif
