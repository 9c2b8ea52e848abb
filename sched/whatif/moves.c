/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/heap.h"
#include "sched/whatif/moves_inside.h"

#define MAX_ROWS ((uint64_t)MAX_CHUNKS * CHUNK_ROWS)

static struct waiting_list list_of(const struct fl_view *view)
{
	struct waiting_list waiting = { .view = &view->view };

	waiting.rows = view_table(&view->view, TABLE_ORDER, sizeof(*waiting.rows), &waiting.n);
	if (waiting.n >= NONE)
		waiting.n = 0;
	return waiting;
}

static inline uint32_t number_at(const struct waiting_list *waiting, uint64_t k, uint32_t *row)
{
	const struct job_facts *facts;

	*row = LOAD_ONCE(waiting->rows[k]);
	facts = records_facts(waiting->view, *row);
	return facts ? LOAD_ONCE(facts->number[*row % CHUNK_ROWS]) : 0;
}

static int places_take(struct moves_walk *walk)
{
	uint32_t row;

	walk->rows = LOAD_ONCE(walk->first->view.directory->rows);
	walk->rows = walk->rows < MAX_ROWS ? walk->rows : MAX_ROWS;
	walk->place_of_row = calloc(walk->rows + 1, sizeof(uint32_t));
	walk->met = calloc(walk->after.n + 1, sizeof(uint32_t));
	walk->common = malloc((walk->before.n + 1) * sizeof(uint32_t));
	walk->moves->places = calloc(walk->before.n + 1, sizeof(int32_t));
	walk->moves->after = calloc(walk->before.n + 1, sizeof(uint32_t));
	walk->moves->nbefore = walk->before.n;
	if (!walk->place_of_row || !walk->met || !walk->common || !walk->moves->places || !walk->moves->after)
		return -ENOMEM;
	for (uint64_t k = 0; k < walk->before.n; k++) {
		row = LOAD_ONCE(walk->before.rows[k]);
		if (row < walk->rows)
			walk->place_of_row[row] = (uint32_t)k + 1;
	}
	return 0;
}

/*
 * Return the row of the same job in the first view, by row of the second; NONE. A run that was
 * detached from another has its jobs in the same order, so the next row usually has the next job.
 */
static uint32_t *rows_match(const struct moves_walk *walk, uint64_t *n)
{
	const struct view *before = &walk->first->view, *after = &walk->second->view;
	uint32_t *match, next = 0;

	*n = LOAD_ONCE(after->directory->rows);
	*n = *n < MAX_ROWS ? *n : MAX_ROWS;
	match = malloc((*n + 1) * sizeof(*match));
	for (uint64_t row = 0; match && row < *n; row++) {
		const struct job_facts *there = records_facts(after, row), *here = records_facts(before, next);
		uint32_t number = there ? LOAD_ONCE(there->number[row % CHUNK_ROWS]) : 0;

		match[row] = here && LOAD_ONCE(here->number[next % CHUNK_ROWS]) == number
				     ? next
				     : row_find(walk->first, number);
		next = match[row] == NONE ? next : match[row] + 1;
	}
	return match;
}

/* Find each job of the second list in the first one. */
static int meet(struct moves_walk *walk)
{
	uint64_t rows;
	uint32_t *match = rows_match(walk, &rows);

	for (uint64_t k = 0; match && k < walk->after.n; k++) {
		uint32_t row = LOAD_ONCE(walk->after.rows[k]), place;

		row = row < rows ? match[row] : NONE;
		place = row < walk->rows ? walk->place_of_row[row] : 0;
		/* in a damaged list: use each position once */
		if (place == 0 || walk->moves->after[place - 1])
			continue;
		walk->met[k] = place;
		walk->moves->after[place - 1] = (uint32_t)k + 1;
	}
	free(match);
	return match ? 0 : -ENOMEM;
}

/* Number the positions of jobs that are in both lists. */
static void count_common(struct moves_walk *walk)
{
	uint32_t n = 0;

	for (uint64_t k = 0; k < walk->before.n; k++)
		walk->common[k] = walk->moves->after[k] ? n++ : UINT32_MAX;
	walk->moves->jobs = n;
	walk->moves->begun = walk->before.n - n;
	walk->moves->back = walk->after.n - n;
}

/* Farthest moves */

static uint32_t far(int32_t places)
{
	return places < 0 ? (uint32_t)-(int64_t)places : (uint32_t)places;
}

/* Compare by distance; equal ones by position, the first first. */
static bool is_less(const struct move *a, const struct move *b)
{
	return far(a->places) != far(b->places) ? far(a->places) < far(b->places) : a->before > b->before;
}
#define IS_LESS(context, a, b) is_less(a, b)

static void most_take(struct moves_walk *walk, const struct move *move)
{
	struct moves *moves = walk->moves;

	if (moves->nmost < walk->most) {
		moves->most[moves->nmost++] = *move;
		heap_rise(moves->most, moves->nmost - 1, IS_LESS, NULL);
	} else if (walk->most > 0 && is_less(&moves->most[0], move)) {
		moves->most[0] = *move;
		heap_sink(moves->most, moves->nmost, 0, IS_LESS, NULL);
	}
}

static int by_places(const void *a, const void *b)
{
	return is_less(a, b) ? 1 : is_less(b, a) ? -1 : 0;
}

static void move_take(struct moves_walk *walk, uint32_t place, uint64_t after, int32_t places)
{
	struct moves *moves = walk->moves;
	uint32_t row, number = number_at(&walk->before, place - 1, &row), class = moves_class_of(&walk->before, row);
	struct moved_sum *sum = class < walk->sums.n ? &walk->sums.items[class] : NULL;

	if (sum)
		sum->jobs++;
	if (places == 0)
		return;
	moves->places[place - 1] = places;
	*(places > 0 ? &moves->up : &moves->down) += 1;
	if (sum) {
		*(places > 0 ? &sum->up : &sum->down) += 1;
		sum->places += places;
	}
	most_take(walk, &(struct move){ number, place, (uint32_t)after + 1, places });
}

static int compare(struct moves_walk *walk)
{
	int64_t n = 0;

	walk->most = walk->most < walk->before.n ? walk->most : walk->before.n;
	walk->moves->most = malloc((walk->most + 1) * sizeof(*walk->moves->most));
	if (!walk->moves->most)
		return -ENOMEM;
	for (uint64_t k = 0; k < walk->after.n; k++)
		if (walk->met[k])
			move_take(walk, walk->met[k], k, (int32_t)((int64_t)walk->common[walk->met[k] - 1] - n++));
	qsort(walk->moves->most, walk->moves->nmost, sizeof(*walk->moves->most), by_places);
	return 0;
}

static int sums_make(struct moves_walk *walk)
{
	view_table(&walk->first->view, TABLE_CLASSES, sizeof(struct class_record), &walk->sums.n);
	walk->sums.items = calloc(walk->sums.n + 1, sizeof(*walk->sums.items));
	return walk->sums.items ? 0 : -ENOMEM;
}

int moves_find(struct moves *moves, const struct fl_view *before, const struct fl_view *after, size_t most)
{
	struct moves_walk walk = { .moves = moves,
				   .first = before,
				   .second = after,
				   .before = list_of(before),
				   .after = list_of(after),
				   .most = most };
	int rc;

	*moves = (struct moves){ 0 };
	rc = sums_make(&walk);
	rc = rc ? rc : places_take(&walk);
	rc = rc ? rc : meet(&walk);
	if (rc == 0) {
		count_common(&walk);
		rc = compare(&walk);
	}
	rc = rc ? rc : moves_starts(&walk);
	rc = rc ? rc : moves_sum(&walk, false, &moves->users, &moves->nusers);
	rc = rc ? rc : moves_sum(&walk, true, &moves->projects, &moves->nprojects);
	free(walk.sums.items);
	free(walk.place_of_row);
	free(walk.met);
	free(walk.common);
	return rc;
}

void moves_free(struct moves *moves)
{
	free(moves->most);
	for (size_t i = 0; i < moves->nstarts; i++) {
		free(moves->starts[i].before);
		free(moves->starts[i].after);
	}
	free(moves->starts);
	free(moves->users);
	free(moves->projects);
	free(moves->places);
	free(moves->after);
	*moves = (struct moves){ 0 };
}

bool moves_any(const struct moves *moves)
{
	return moves->up || moves->down || moves->nstarts;
}
