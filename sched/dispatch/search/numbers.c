/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The different values, ascending, in blocks of at most BLOCK values. Inserting or removing a value
 * moves only the later values of its block. A number is the count of values in the blocks before,
 * plus the position in its own block. Two adjacent blocks together hold more than half a block, so
 * there are few blocks even for many values.
 */
#include "sched/dispatch/search/numbers.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/array.h"
#include "conf/base/search.h"

#define BLOCK 64

struct number_block {
	double values[BLOCK];
	uint32_t hosts[BLOCK];		/* number of hosts with the value */
};

int numbers_begin(struct numbers *numbers, size_t values)
{
	size_t most = 4 * values / BLOCK + 3;

	numbers->nblocks = 0;
	if (array_grow(&numbers->blocks, most, sizeof(*numbers->blocks)) ||
	    array_grow(&numbers->order, most, sizeof(*numbers->order)) ||
	    array_grow(&numbers->first, most, sizeof(*numbers->first)) ||
	    array_grow(&numbers->held, most, sizeof(*numbers->held)))
		return -ENOMEM;
	for (size_t b = 0; b < most; b++)
		numbers->order[b] = (uint32_t)b;
	return 0;
}

void numbers_free(struct numbers *numbers)
{
	free(numbers->blocks);
	free(numbers->order);
	free(numbers->first);
	free(numbers->held);
	*numbers = (struct numbers){ 0 };
}

static struct number_block *block_of(const struct numbers *numbers, size_t b)
{
	return &numbers->blocks[numbers->order[b]];
}

/* Return the last block whose first value is not greater, or the first block. */
static size_t block_find(const struct numbers *numbers, double value)
{
	size_t at;

	lower_bound(at, numbers->nblocks, numbers->first[at] <= value);
	return at > 0 ? at - 1 : 0;
}

static size_t place_find(const struct numbers *numbers, size_t b, double value)
{
	const struct number_block *block = block_of(numbers, b);
	size_t at;

	lower_bound(at, numbers->held[b], block->values[at] < value);
	return at;
}

/* Open an empty block at this position. Unused blocks are at the end of the order. */
static void block_open(struct numbers *numbers, size_t b)
{
	uint32_t unused = numbers->order[numbers->nblocks];
	size_t rest = numbers->nblocks++ - b;

	memmove(&numbers->order[b + 1], &numbers->order[b], rest * sizeof(*numbers->order));
	memmove(&numbers->first[b + 1], &numbers->first[b], rest * sizeof(*numbers->first));
	memmove(&numbers->held[b + 1], &numbers->held[b], rest * sizeof(*numbers->held));
	numbers->order[b] = unused;
	/* Until the block holds a value, any value may be inserted here. */
	numbers->first[b] = -INFINITY;
	numbers->held[b] = 0;
}

static void block_close(struct numbers *numbers, size_t b)
{
	uint32_t unused = numbers->order[b];
	size_t rest = --numbers->nblocks - b;

	memmove(&numbers->order[b], &numbers->order[b + 1], rest * sizeof(*numbers->order));
	memmove(&numbers->first[b], &numbers->first[b + 1], rest * sizeof(*numbers->first));
	memmove(&numbers->held[b], &numbers->held[b + 1], rest * sizeof(*numbers->held));
	numbers->order[numbers->nblocks] = unused;
}

/* Move the values of a block from a position on to the end of another block. */
static void values_move(struct numbers *numbers, size_t from, size_t place, size_t to)
{
	size_t count = numbers->held[from] - place;

	memcpy(&block_of(numbers, to)->values[numbers->held[to]], &block_of(numbers, from)->values[place],
	       count * sizeof(double));
	memcpy(&block_of(numbers, to)->hosts[numbers->held[to]], &block_of(numbers, from)->hosts[place],
	       count * sizeof(uint32_t));
	numbers->held[to] += (uint32_t)count;
	numbers->held[from] = (uint32_t)place;
	numbers->first[to] = block_of(numbers, to)->values[0];
}

static void block_halve(struct numbers *numbers, size_t b)
{
	block_open(numbers, b + 1);
	values_move(numbers, b, BLOCK / 2, b + 1);
}

/* Unite a block with the next one if both fit in half a block. */
static void block_unite(struct numbers *numbers, size_t b)
{
	if (b + 1 >= numbers->nblocks || numbers->held[b] + numbers->held[b + 1] > BLOCK / 2)
		return;
	values_move(numbers, b + 1, 0, b);
	block_close(numbers, b + 1);
}

static void value_insert(struct numbers *numbers, size_t b, size_t place, double value)
{
	struct number_block *block = block_of(numbers, b);
	size_t rest = numbers->held[b]++ - place;

	memmove(&block->values[place + 1], &block->values[place], rest * sizeof(double));
	memmove(&block->hosts[place + 1], &block->hosts[place], rest * sizeof(uint32_t));
	block->values[place] = value;
	block->hosts[place] = 1;
	numbers->first[b] = block->values[0];
}

void numbers_add(struct numbers *numbers, double value)
{
	size_t b, place;

	if (numbers->nblocks == 0) {
		block_open(numbers, 0);
		numbers->first[0] = value;
	}
	b = block_find(numbers, value);
	place = place_find(numbers, b, value);
	if (place < numbers->held[b] && block_of(numbers, b)->values[place] == value) {
		block_of(numbers, b)->hosts[place]++;
		return;
	}
	if (numbers->held[b] == BLOCK) {
		block_halve(numbers, b);
		b += place > BLOCK / 2;
		place -= place > BLOCK / 2 ? BLOCK / 2 : 0;
	}
	value_insert(numbers, b, place, value);
}

void numbers_remove(struct numbers *numbers, double value)
{
	size_t b = block_find(numbers, value), place = place_find(numbers, b, value), rest;
	struct number_block *block = block_of(numbers, b);

	if (--block->hosts[place] > 0)
		return;
	rest = --numbers->held[b] - place;
	memmove(&block->values[place], &block->values[place + 1], rest * sizeof(double));
	memmove(&block->hosts[place], &block->hosts[place + 1], rest * sizeof(uint32_t));
	numbers->first[b] = block->values[0];
	block_unite(numbers, b);
	if (b > 0)
		block_unite(numbers, b - 1);
	if (b < numbers->nblocks && numbers->held[b] == 0)
		block_close(numbers, b);
}

uint32_t numbers_of(const struct numbers *numbers, double value)
{
	size_t b = block_find(numbers, value);
	uint32_t number = 0;

	if (numbers->nblocks == 0)
		return 0;
	for (size_t before = 0; before < b; before++)
		number += numbers->held[before];
	return number + (uint32_t)place_find(numbers, b, value);
}

double numbers_value(const struct numbers *numbers, uint32_t number)
{
	for (size_t b = 0; b < numbers->nblocks; b++) {
		if (number < numbers->held[b])
			return block_of(numbers, b)->values[number];
		number -= numbers->held[b];
	}
	return INFINITY;
}
