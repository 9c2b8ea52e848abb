/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The different values, ascending, in blocks of at most BLOCK: to put one in or take one out moves
 * what is behind it in its block, and a number is what the blocks before it hold and its place in
 * its own. Two blocks that stand side by side hold more than half a block together, so there are
 * few, even of many values.
 */
#include "sched/dispatch/search/numbers.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "conf/array.h"
#include "conf/search.h"

#define BLOCK 64

struct number_block {
	double values[BLOCK];
	uint32_t hosts[BLOCK];		/* that have the value */
};

int numbers_begin(struct numbers *n, size_t values)
{
	size_t most = 4 * values / BLOCK + 3;

	n->nblocks = 0;
	if (array_grow(&n->blocks, most, sizeof(*n->blocks)) || array_grow(&n->order, most, sizeof(*n->order)) ||
	    array_grow(&n->first, most, sizeof(*n->first)) || array_grow(&n->held, most, sizeof(*n->held)))
		return -ENOMEM;
	for (size_t b = 0; b < most; b++)
		n->order[b] = (uint32_t)b;
	return 0;
}

void numbers_free(struct numbers *n)
{
	free(n->blocks);
	free(n->order);
	free(n->first);
	free(n->held);
	*n = (struct numbers){ 0 };
}

static struct number_block *block_of(const struct numbers *n, size_t b)
{
	return &n->blocks[n->order[b]];
}

/* The last block that begins with a value up to this one, else the first one. */
static size_t block_find(const struct numbers *n, double value)
{
	size_t at;

	lower_bound(at, n->nblocks, n->first[at] <= value);
	return at > 0 ? at - 1 : 0;
}

static size_t place_find(const struct numbers *n, size_t b, double value)
{
	const struct number_block *block = block_of(n, b);
	size_t at;

	lower_bound(at, n->held[b], block->values[at] < value);
	return at;
}

/* An empty one at this place of the order; those not used stand behind it. */
static void block_open(struct numbers *n, size_t b)
{
	uint32_t unused = n->order[n->nblocks];
	size_t behind = n->nblocks++ - b;

	memmove(&n->order[b + 1], &n->order[b], behind * sizeof(*n->order));
	memmove(&n->first[b + 1], &n->first[b], behind * sizeof(*n->first));
	memmove(&n->held[b + 1], &n->held[b], behind * sizeof(*n->held));
	n->order[b] = unused;
	n->first[b] = -INFINITY;	/* until it holds a value: any may be put in here */
	n->held[b] = 0;
}

static void block_close(struct numbers *n, size_t b)
{
	uint32_t unused = n->order[b];
	size_t behind = --n->nblocks - b;

	memmove(&n->order[b], &n->order[b + 1], behind * sizeof(*n->order));
	memmove(&n->first[b], &n->first[b + 1], behind * sizeof(*n->first));
	memmove(&n->held[b], &n->held[b + 1], behind * sizeof(*n->held));
	n->order[n->nblocks] = unused;
}

/* The values of a block from a place on go to the end of another one. */
static void values_move(struct numbers *n, size_t from, size_t place, size_t to)
{
	size_t count = n->held[from] - place;

	memcpy(&block_of(n, to)->values[n->held[to]], &block_of(n, from)->values[place], count * sizeof(double));
	memcpy(&block_of(n, to)->hosts[n->held[to]], &block_of(n, from)->hosts[place], count * sizeof(uint32_t));
	n->held[to] += (uint32_t)count;
	n->held[from] = (uint32_t)place;
	n->first[to] = block_of(n, to)->values[0];
}

static void block_halve(struct numbers *n, size_t b)
{
	block_open(n, b + 1);
	values_move(n, b, BLOCK / 2, b + 1);
}

/* It and the next one, if half a block holds both. */
static void block_unite(struct numbers *n, size_t b)
{
	if (b + 1 >= n->nblocks || n->held[b] + n->held[b + 1] > BLOCK / 2)
		return;
	values_move(n, b + 1, 0, b);
	block_close(n, b + 1);
}

static void value_insert(struct numbers *n, size_t b, size_t place, double value)
{
	struct number_block *block = block_of(n, b);
	size_t behind = n->held[b]++ - place;

	memmove(&block->values[place + 1], &block->values[place], behind * sizeof(double));
	memmove(&block->hosts[place + 1], &block->hosts[place], behind * sizeof(uint32_t));
	block->values[place] = value;
	block->hosts[place] = 1;
	n->first[b] = block->values[0];
}

void numbers_add(struct numbers *n, double value)
{
	size_t b, place;

	if (n->nblocks == 0) {
		block_open(n, 0);
		n->first[0] = value;
	}
	b = block_find(n, value);
	place = place_find(n, b, value);
	if (place < n->held[b] && block_of(n, b)->values[place] == value) {
		block_of(n, b)->hosts[place]++;
		return;
	}
	if (n->held[b] == BLOCK) {
		block_halve(n, b);
		b += place > BLOCK / 2;
		place -= place > BLOCK / 2 ? BLOCK / 2 : 0;
	}
	value_insert(n, b, place, value);
}

void numbers_remove(struct numbers *n, double value)
{
	size_t b = block_find(n, value), place = place_find(n, b, value), behind;
	struct number_block *block = block_of(n, b);

	if (--block->hosts[place] > 0)
		return;
	behind = --n->held[b] - place;
	memmove(&block->values[place], &block->values[place + 1], behind * sizeof(double));
	memmove(&block->hosts[place], &block->hosts[place + 1], behind * sizeof(uint32_t));
	n->first[b] = block->values[0];
	block_unite(n, b);
	if (b > 0)
		block_unite(n, b - 1);
	if (b < n->nblocks && n->held[b] == 0)
		block_close(n, b);
}

uint32_t numbers_of(const struct numbers *n, double value)
{
	size_t b = block_find(n, value);
	uint32_t number = 0;

	if (n->nblocks == 0)
		return 0;
	for (size_t before = 0; before < b; before++)
		number += n->held[before];
	return number + (uint32_t)place_find(n, b, value);
}

double numbers_value(const struct numbers *n, uint32_t number)
{
	for (size_t b = 0; b < n->nblocks; b++) {
		if (number < n->held[b])
			return block_of(n, b)->values[number];
		number -= n->held[b];
	}
	return INFINITY;
}
