/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/process/range_writer.h"

#include <errno.h>

static void append(struct range_writer *w, uint32_t min, uint32_t max, uint32_t step)
{
	const struct range range = { min, max, min == max ? 1 : step };

	if (w->rc == 0)
		w->rc = w->to->n < w->most ? ranges_append(w->to, &range) : -E2BIG;
}

static void flush(struct range_writer *w)
{
	const struct range *open = &w->open;
	bool is_range = w->n > 2 || open->step == 1;

	if (w->n > 0)
		append(w, open->min, is_range ? open->max : open->min, open->step);
	if (w->n == 2 && !is_range)
		append(w, open->max, open->max, 1);
	w->n = 0;
}

void range_writer_put(struct range_writer *w, uint64_t min, uint64_t max, uint64_t step)
{
	struct range *open = &w->open;

	for (uint64_t id = min, taken; id <= max && w->rc == 0; id += taken * step) {
		taken = 1;
		if (w->n > 1 && id - open->max == open->step) {
			taken = step == open->step ? (max - id) / step + 1 : 1;
			open->max = (uint32_t)(id + (taken - 1) * step);
			w->n = 3;
		} else if (w->n == 1) {
			open->step = (uint32_t)(id - open->max);
			open->max = (uint32_t)id;
			w->n = 2;
		} else if (w->n == 2 && open->step > 1) {	/* its second id may begin a longer range */
			append(w, open->min, open->min, 1);
			*open = (struct range){ open->max, open->max, 1 };
			w->n = 1;
			taken = 0;
		} else {
			flush(w);
			*open = (struct range){ (uint32_t)id, (uint32_t)id, 1 };
			w->n = 1;
		}
	}
}

int range_writer_close(struct range_writer *w)
{
	flush(w);
	return w->rc;
}
