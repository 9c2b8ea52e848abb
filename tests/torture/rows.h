/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Generations whose every word tells which generation it is of: in a table that changes its size,
 * in a job chunk (in the part that is copied before it is changed, and in the other one), and in a
 * text. A reader that finds another one's word has seen a mixture.
 */
#ifndef TORTURE_ROWS_H
#define TORTURE_ROWS_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "shm/attach.h"
#include "shm/facts.h"
#include "shm/strings.h"

#define CHUNK_ROWS 4096u

static inline uint32_t row_value(uint64_t gen, uint64_t i)
{
	return (uint32_t)(gen * 0x9e3779b9u + i * 0x85ebca6bu);
}

static inline void row_text(uint64_t gen, char *text, size_t size)
{
	snprintf(text, size, "run %llu", (unsigned long long)gen);
}

/* *held: the id of the text before, dropped when the new one is shown. */
static inline int rows_publish(struct segment *s, struct strings *strings, struct facts *facts, uint64_t count, uint32_t *held)
{
	struct generation_writer w;
	size_t shared;
	char text[32];

	if (generation_begin(&w, s))
		return -1;
	uint32_t *rows = generation_table(&w, TABLE_ORDER, count);
	struct job_results *results = generation_results(&w, 0);

	if (!rows || !results || facts_reserve(facts, 0))
		return -1;
	for (uint64_t i = 0; i < count; i++)
		rows[i] = row_value(w.gen, i);
	for (uint64_t i = 0; i < CHUNK_ROWS; i++)
		results->task[i] = facts_of(facts, 0)->number[i] = row_value(w.gen, i);
	row_text(w.gen, text, sizeof(text));
	strings_drop(strings, *held);
	*held = strings_hold(strings, text);
	facts_of(facts, 0)->name[0] = *held;
	w.directory->job_rows = CHUNK_ROWS;
	w.directory->run.run = count;
	if (*held == NONE || facts_show(facts, &w, 0, &shared) || strings_publish(strings, &w))
		return -1;
	generation_publish(&w);
	return 0;
}

static inline bool rows_intact(const struct view *view)
{
	uint64_t count;
	char text[32];
	const uint32_t *rows = view_table(view, TABLE_ORDER, sizeof(*rows), &count);
	const struct job_facts *facts = view_facts(view, 0);
	const struct job_results *results = view_results(view, 0);
	bool intact = facts && results && count == LOAD_ONCE(view->directory->run.run);

	for (uint64_t i = 0; i < count && intact; i++)
		intact = LOAD_ONCE(rows[i]) == row_value(view->gen, i);
	for (uint64_t i = 0; i < CHUNK_ROWS && intact; i++)
		intact = LOAD_ONCE(facts->number[i]) == row_value(view->gen, i) && LOAD_ONCE(results->task[i]) == row_value(view->gen, i);
	row_text(view->gen, text, sizeof(text));
	return intact && strncmp(view_string(view, LOAD_ONCE(facts->name[0])), text, sizeof(text)) == 0;
}

#endif
