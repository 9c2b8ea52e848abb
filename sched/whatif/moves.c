/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/heap.h"
#include "sched/whatif/moves_inside.h"

#define MAX_ROWS ((uint64_t)MAX_CHUNKS * CHUNK_ROWS)

static struct waiting_list list_of(const struct fl_view *view)
{
	struct waiting_list l = { .view = &view->view };

	l.rows = view_table(&view->view, TABLE_ORDER, sizeof(*l.rows), &l.n);
	if (l.n >= NONE)
		l.n = 0;
	return l;
}

static inline uint32_t number_at(const struct waiting_list *l, uint64_t k, uint32_t *row)
{
	const struct job_facts *facts;

	*row = LOAD_ONCE(l->rows[k]);
	facts = records_facts(l->view, *row);
	return facts ? LOAD_ONCE(facts->number[*row % CHUNK_ROWS]) : 0;
}

static int places_take(struct moves_walk *w)
{
	uint32_t row;

	w->rows = LOAD_ONCE(w->first->view.directory->rows);
	w->rows = w->rows < MAX_ROWS ? w->rows : MAX_ROWS;
	w->place_of_row = calloc(w->rows + 1, sizeof(uint32_t));
	w->met = calloc(w->after.n + 1, sizeof(uint32_t));
	w->common = malloc((w->before.n + 1) * sizeof(uint32_t));
	w->moves->places = calloc(w->before.n + 1, sizeof(int32_t));
	w->moves->after = calloc(w->before.n + 1, sizeof(uint32_t));
	w->moves->nbefore = w->before.n;
	if (!w->place_of_row || !w->met || !w->common || !w->moves->places || !w->moves->after)
		return -ENOMEM;
	for (uint64_t k = 0; k < w->before.n; k++) {
		row = LOAD_ONCE(w->before.rows[k]);
		if (row < w->rows)
			w->place_of_row[row] = (uint32_t)k + 1;
	}
	return 0;
}

/*
 * The row of the first view that has the job, by row of the second one; NONE. A run that was
 * detached from another has its jobs in their order: the next row is mostly that of the next job.
 */
static uint32_t *rows_match(const struct moves_walk *w, uint64_t *n)
{
	const struct view *before = &w->first->view, *after = &w->second->view;
	uint32_t *match, next = 0;

	*n = LOAD_ONCE(after->directory->rows);
	*n = *n < MAX_ROWS ? *n : MAX_ROWS;
	match = malloc((*n + 1) * sizeof(*match));
	for (uint64_t row = 0; match && row < *n; row++) {
		const struct job_facts *there = records_facts(after, row), *here = records_facts(before, next);
		uint32_t number = there ? LOAD_ONCE(there->number[row % CHUNK_ROWS]) : 0;

		match[row] = here && LOAD_ONCE(here->number[next % CHUNK_ROWS]) == number ? next : row_find(w->first, number);
		next = match[row] == NONE ? next : match[row] + 1;
	}
	return match;
}

/* Each job of the second list in the first one. */
static int meet(struct moves_walk *w)
{
	uint64_t rows;
	uint32_t *match = rows_match(w, &rows);

	for (uint64_t k = 0; match && k < w->after.n; k++) {
		uint32_t row = LOAD_ONCE(w->after.rows[k]), place;

		row = row < rows ? match[row] : NONE;
		place = row < w->rows ? w->place_of_row[row] : 0;
		/* of a list that is damaged: each place once */
		if (place == 0 || w->moves->after[place - 1])
			continue;
		w->met[k] = place;
		w->moves->after[place - 1] = (uint32_t)k + 1;
	}
	free(match);
	return match ? 0 : -ENOMEM;
}

/* Places among those that are in both. */
static void count_common(struct moves_walk *w)
{
	uint32_t n = 0;

	for (uint64_t k = 0; k < w->before.n; k++)
		w->common[k] = w->moves->after[k] ? n++ : UINT32_MAX;
	w->moves->jobs = n;
	w->moves->begun = w->before.n - n;
	w->moves->back = w->after.n - n;
}

/* The farthest */

static uint32_t far(int32_t places)
{
	return places < 0 ? (uint32_t)-(int64_t)places : (uint32_t)places;
}

/* Of equals that which stood first goes first. */
static bool is_less(const struct move *a, const struct move *b)
{
	return far(a->places) != far(b->places) ? far(a->places) < far(b->places) : a->before > b->before;
}
#define IS_LESS(context, a, b) is_less(a, b)

static void most_take(struct moves_walk *w, const struct move *move)
{
	struct moves *m = w->moves;

	if (m->nmost < w->most) {
		m->most[m->nmost++] = *move;
		heap_rise(m->most, m->nmost - 1, IS_LESS, NULL);
	} else if (w->most > 0 && is_less(&m->most[0], move)) {
		m->most[0] = *move;
		heap_sink(m->most, m->nmost, 0, IS_LESS, NULL);
	}
}

static int by_places(const void *a, const void *b)
{
	return is_less(a, b) ? 1 : is_less(b, a) ? -1 : 0;
}

static void move_take(struct moves_walk *w, uint32_t place, uint64_t after, int32_t places)
{
	struct moves *m = w->moves;
	uint32_t row, number = number_at(&w->before, place - 1, &row), class = moves_class_of(&w->before, row);
	struct moved_sum *sum = class < w->sums.n ? &w->sums.items[class] : NULL;

	if (sum)
		sum->jobs++;
	if (places == 0)
		return;
	m->places[place - 1] = places;
	*(places > 0 ? &m->up : &m->down) += 1;
	if (sum) {
		*(places > 0 ? &sum->up : &sum->down) += 1;
		sum->places += places;
	}
	most_take(w, &(struct move){ number, place, (uint32_t)after + 1, places });
}

static int compare(struct moves_walk *w)
{
	int64_t n = 0;

	w->most = w->most < w->before.n ? w->most : w->before.n;
	w->moves->most = malloc((w->most + 1) * sizeof(*w->moves->most));
	if (!w->moves->most)
		return -ENOMEM;
	for (uint64_t k = 0; k < w->after.n; k++)
		if (w->met[k])
			move_take(w, w->met[k], k, (int32_t)((int64_t)w->common[w->met[k] - 1] - n++));
	qsort(w->moves->most, w->moves->nmost, sizeof(*w->moves->most), by_places);
	return 0;
}

static int sums_make(struct moves_walk *w)
{
	view_table(&w->first->view, TABLE_CLASSES, sizeof(struct class_record), &w->sums.n);
	w->sums.items = calloc(w->sums.n + 1, sizeof(*w->sums.items));
	return w->sums.items ? 0 : -ENOMEM;
}

int moves_find(struct moves *m, const struct fl_view *before, const struct fl_view *after, size_t most)
{
	struct moves_walk w = { .moves = m, .first = before, .second = after, .before = list_of(before), .after = list_of(after), .most = most };
	int rc;

	*m = (struct moves){ 0 };
	rc = sums_make(&w);
	rc = rc ? rc : places_take(&w);
	rc = rc ? rc : meet(&w);
	if (rc == 0) {
		count_common(&w);
		rc = compare(&w);
	}
	rc = rc ? rc : moves_starts(&w);
	rc = rc ? rc : moves_sum(&w, false, &m->users, &m->nusers);
	rc = rc ? rc : moves_sum(&w, true, &m->projects, &m->nprojects);
	free(w.sums.items);
	free(w.place_of_row);
	free(w.met);
	free(w.common);
	return rc;
}

void moves_free(struct moves *m)
{
	free(m->most);
	for (size_t i = 0; i < m->nstarts; i++) {
		free(m->starts[i].before);
		free(m->starts[i].after);
	}
	free(m->starts);
	free(m->users);
	free(m->projects);
	free(m->places);
	free(m->after);
	*m = (struct moves){ 0 };
}

bool moves_any(const struct moves *m)
{
	return m->up || m->down || m->nstarts;
}
