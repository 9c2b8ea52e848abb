/* SPDX-License-Identifier: Apache-2.0 */
#include "shm/generation.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "shm/facts.h"

/* memory of a table, kept from one use of a directory to the next */
struct held {
	uint64_t offset;
	uint64_t bytes;		/* address space in whole extents; 0 = none */
	uint64_t populated;	/* populated bytes, from offset on */
};

/* memory that the directories hold; private memory of the writer */
struct generation_memory {
	struct held tables[GENERATIONS][MAX_TABLES];
	uint64_t results[GENERATIONS][MAX_CHUNKS];
	size_t nresults[GENERATIONS];
	uint64_t results_bytes[GENERATIONS];		/* size of a chunk in whole extents */
	uint64_t facts[GENERATIONS][MAX_CHUNKS];	/* held, not owned */
	size_t nfacts[GENERATIONS];
	uint64_t facts_bytes[GENERATIONS];
};

static struct segment_header *header_of(const struct segment *segment)
{
	return (struct segment_header *)segment->base;
}

static struct generation *directory_of(const struct segment *segment, uint64_t gen)
{
	return (struct generation *)(segment->base + PAGE_BYTES) + gen % GENERATIONS;
}

uint64_t generation_current(const struct segment *segment)
{
	/* only this thread stores it */
	return atomic_load_explicit(&header_of(segment)->current, memory_order_relaxed);
}

static uint64_t gen_of(const struct generation *directory)
{
	return atomic_load_explicit(&directory->gen, memory_order_relaxed);
}

static uint64_t round_up(uint64_t bytes, uint64_t unit)
{
	return (bytes + unit - 1) / unit * unit;
}

static bool holds_memory(const struct segment *s, uint64_t gen)
{
	bool holds = s->memory->nresults[gen % GENERATIONS] > 0;

	for (unsigned id = 0; id < MAX_TABLES && !holds; id++)
		holds = s->memory->tables[gen % GENERATIONS][id].bytes > 0;
	return holds;
}

/*
 * Choose the number of the next generation. Its directory must be free. A free directory that
 * already has memory is preferred, so that two directories are used in turn as long as no reader is
 * slower than the writer. If all directories are in use, the readers of the oldest generation are
 * evicted.
 */
static uint64_t number_choose(struct segment *segment)
{
	uint64_t current = generation_current(segment), next = (current ? current : segment->last_gen) + 1;
	uint64_t victim = 0, oldest = UINT64_MAX, unused = 0;

	for (uint64_t gen = next; gen < next + GENERATIONS; gen++) {
		uint64_t there = gen_of(directory_of(segment, gen));

		if (there && there == current)
			continue;
		if (there && readers_busy(&segment->readers, there)) {
			if (there < oldest)
				victim = gen;
			oldest = there < oldest ? there : oldest;
		} else if (holds_memory(segment, gen)) {
			return gen;
		} else if (!unused) {
			unused = gen;
		}
	}
	if (unused)
		return unused;
	readers_evict(&segment->readers, oldest);
	return victim;
}

static void facts_let_go(struct segment *segment, size_t buffer)
{
	struct generation_memory *memory = segment->memory;

	while (memory->nfacts[buffer] > 0)
		facts_drop(segment, memory->facts[buffer][--memory->nfacts[buffer]], memory->facts_bytes[buffer]);
}

static void directory_clear(struct segment *segment, struct generation *directory, uint64_t gen)
{
	atomic_store_explicit(&directory->gen, 0, memory_order_relaxed);
	/*
	 * Pairs with section_end(). A reader that sees the stores below also sees the changed
	 * `gen`.
	 */
	atomic_thread_fence(memory_order_release);
	memset(directory->head, 0, sizeof(directory->head));
	memset(directory->tables, 0, sizeof(directory->tables));
	memset(directory->results, 0, segment->memory->nresults[gen % GENERATIONS] * sizeof(directory->results[0]));
	memset(directory->facts, 0, segment->memory->nfacts[gen % GENERATIONS] * sizeof(directory->facts[0]));
	directory->rows = directory->bytes = 0;
	facts_let_go(segment, gen % GENERATIONS);
}

static void held_free(struct segment *segment, struct held *held)
{
	segment_free(segment, held->offset, held->bytes);
	memset(held, 0, sizeof(*held));
}

/*
 * Free the chunks beyond `keep`. Callers keep one chunk more than they need, so that a queue whose
 * length varies around a chunk's size keeps its memory.
 */
static void results_trim(struct segment *segment, size_t buffer, size_t keep)
{
	struct generation_memory *memory = segment->memory;

	while (memory->nresults[buffer] > keep)
		segment_free(segment, memory->results[buffer][--memory->nresults[buffer]],
			     memory->results_bytes[buffer]);
}

static void directory_free(struct segment *s, struct generation *directory, size_t buffer)
{
	directory_clear(s, directory, buffer);
	results_trim(s, buffer, 0);
	for (unsigned id = 0; id < MAX_TABLES; id++)
		held_free(s, &s->memory->tables[buffer][id]);
}

/* Free the memory of directories that were needed only for slow readers and are no longer read. */
static void spare_free(struct segment *segment, uint64_t chosen)
{
	uint64_t current = generation_current(segment);

	for (size_t buffer = 0; buffer < GENERATIONS; buffer++) {
		struct generation *directory = directory_of(segment, buffer);
		uint64_t gen = gen_of(directory);

		if (buffer != chosen % GENERATIONS && (!gen || gen != current) && holds_memory(segment, buffer) &&
		    (!gen || !readers_busy(&segment->readers, gen)))
			directory_free(segment, directory, buffer);
	}
}

int generation_begin(struct generation_writer *writer, struct segment *segment)
{
	if (!segment->memory)
		segment->memory = calloc(1, sizeof(*segment->memory));
	if (!segment->memory)
		return -ENOMEM;
	segment_reclaim(segment);
	memset(writer, 0, sizeof(*writer));
	writer->segment = segment;
	writer->gen = number_choose(segment);
	spare_free(segment, writer->gen);
	writer->directory = directory_of(segment, writer->gen);
	directory_clear(segment, writer->directory, writer->gen);
	return 0;
}

/*
 * Shrink a table's memory if less than half of it is needed. A table whose size varies keeps its
 * memory.
 */
static void held_shrink(struct segment *segment, struct held *held, uint64_t bytes)
{
	uint64_t keep = round_up(bytes ? bytes : 1, EXTENT_BYTES);

	if (keep >= held->bytes / 2)
		return;
	segment_free(segment, held->offset + keep, held->bytes - keep);
	held->bytes = keep;
	if (held->populated > keep)
		held->populated = keep;
}

static int held_fit(struct segment *segment, struct held *held, uint64_t bytes)
{
	held_shrink(segment, held, bytes);
	if (bytes > held->bytes) {
		held_free(segment, held);
		held->offset = segment_alloc(segment, bytes);
		if (!held->offset)
			return -ENOMEM;
		held->bytes = round_up(bytes, EXTENT_BYTES);
	}
	if (bytes <= held->populated)
		return 0;
	int rc = segment_populate(segment, held->offset + held->populated, bytes - held->populated);

	if (!rc)
		held->populated = round_up(bytes, PAGE_BYTES);
	return rc;
}

void *generation_table(struct generation_writer *writer, unsigned id, uint64_t count, size_t bytes_each)
{
	struct segment *s = writer->segment;
	struct held *held = &s->memory->tables[writer->gen % GENERATIONS][id];
	struct table *table = &writer->directory->tables[id];

	assert(id < MAX_TABLES);
	table->offset = table->count = writer->table_bytes[id] = 0;
	if (count > s->file_bytes / bytes_each || held_fit(s, held, count * bytes_each))
		return NULL;
	if (count == 0)
		return s->base;		/* any pointer that is not NULL; no byte is written */
	table->offset = held->offset;
	table->count = count;
	writer->table_bytes[id] = count * bytes_each;
	return s->base + held->offset;
}

/*
 * Prepare chunk i. If the size of chunks has changed, all old chunks are freed before the first
 * one. This is safe because no reader is in this directory.
 */
static bool results_fit(struct generation_writer *writer, size_t i, uint64_t bytes)
{
	struct generation_memory *memory = writer->segment->memory;
	size_t buffer = writer->gen % GENERATIONS;

	if (i >= MAX_CHUNKS || i > writer->nresults || bytes == 0)
		return false;
	if (memory->results_bytes[buffer] != bytes && writer->nresults == 0) {
		results_trim(writer->segment, buffer, 0);
		memory->results_bytes[buffer] = bytes;
	}
	return memory->results_bytes[buffer] == bytes;
}

void *generation_results(struct generation_writer *writer, size_t i, size_t bytes)
{
	struct generation_memory *memory = writer->segment->memory;
	size_t buffer = writer->gen % GENERATIONS;

	bytes = round_up(bytes, EXTENT_BYTES);
	if (!results_fit(writer, i, bytes))
		return NULL;
	if (i == memory->nresults[buffer]) {
		memory->results[buffer][i] = chunk_alloc(writer->segment, i, bytes);
		if (!memory->results[buffer][i])
			return NULL;
		memory->nresults[buffer]++;
	}
	if (i == writer->nresults)
		writer->nresults++;
	writer->directory->results[i] = memory->results[buffer][i];
	return writer->segment->base + memory->results[buffer][i];
}

void generation_facts(struct generation_writer *writer, size_t i, uint64_t offset, size_t bytes)
{
	struct generation_memory *memory = writer->segment->memory;
	size_t buffer = writer->gen % GENERATIONS;

	facts_hold(writer->segment, offset);
	memory->facts[buffer][memory->nfacts[buffer]++] = offset;
	memory->facts_bytes[buffer] = round_up(bytes, EXTENT_BYTES);
	writer->directory->facts[i] = offset;
}

bool generation_shows(const struct segment *segment, uint64_t gen, size_t i, uint64_t offset)
{
	const struct generation *directory = directory_of(segment, gen);

	return gen && gen_of(directory) == gen && i < segment->memory->nfacts[gen % GENERATIONS] &&
	       directory->facts[i] == offset;
}

void generation_borrow(struct generation_writer *writer, unsigned id, uint64_t offset, uint64_t count,
		       size_t bytes_each)
{
	writer->directory->tables[id] = (struct table) { .offset = count ? offset : 0, .count = count };
	writer->table_bytes[id] = count * bytes_each;
}

static uint64_t bytes_shown(const struct generation_writer *writer)
{
	const struct generation_memory *memory = writer->segment->memory;
	size_t buffer = writer->gen % GENERATIONS;
	uint64_t bytes = sizeof(struct generation) + writer->nresults * memory->results_bytes[buffer] +
			 memory->nfacts[buffer] * memory->facts_bytes[buffer];

	for (unsigned id = 0; id < MAX_TABLES; id++)
		bytes += round_up(writer->table_bytes[id], PAGE_BYTES);
	return bytes;
}

void generation_publish(struct generation_writer *writer)
{
	struct segment *segment = writer->segment;

	results_trim(segment, writer->gen % GENERATIONS, writer->nresults + 1);
	writer->directory->bytes = bytes_shown(writer);
	atomic_store_explicit(&writer->directory->gen, writer->gen, memory_order_release);
	/* W1: pairs with R2 in section_begin() */
	atomic_store_explicit(&header_of(segment)->current, writer->gen, memory_order_seq_cst);
	writer->directory = NULL;
}

/*
 * Abandon the generation. The `gen` of its directory stays 0 and its number was never shown, so
 * both can be used again.
 */
void generation_abandon(struct generation_writer *writer)
{
	writer->directory = NULL;
}

bool generation_shown(const struct segment *segment, uint64_t first, uint64_t last)
{
	if (last > generation_current(segment))
		return true;
	for (uint64_t buffer = 0; buffer < GENERATIONS; buffer++) {
		uint64_t gen = gen_of(directory_of(segment, buffer));

		if (gen && gen >= first && gen <= last)
			return true;
	}
	return false;
}

void generation_close(struct segment *segment)
{
	if (!segment->memory)
		return;
	for (size_t buffer = 0; buffer < GENERATIONS; buffer++) {
		struct generation *directory = directory_of(segment, buffer);
		uint64_t gen = gen_of(directory);

		if (gen == 0 || (gen != generation_current(segment) && !readers_busy(&segment->readers, gen)))
			directory_free(segment, directory, buffer);
	}
	segment_trim(segment);
	free(segment->memory);
	segment->memory = NULL;
}
