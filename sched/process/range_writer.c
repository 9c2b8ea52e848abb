/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/process/range_writer.h"

#include <errno.h>

static void append(struct range_writer *writer, uint32_t min, uint32_t max, uint32_t step)
{
	const struct range range = { min, max, min == max ? 1 : step };

	if (writer->rc == 0)
		writer->rc = writer->to->n < writer->most ? ranges_append(writer->to, &range) : -E2BIG;
}

static void flush(struct range_writer *writer)
{
	const struct range *open = &writer->open;
	bool is_range = writer->n > 2 || open->step == 1;

	if (writer->n > 0)
		append(writer, open->min, is_range ? open->max : open->min, open->step);
	if (writer->n == 2 && !is_range)
		append(writer, open->max, open->max, 1);
	writer->n = 0;
}

void range_writer_put(struct range_writer *writer, uint64_t min, uint64_t max, uint64_t step)
{
	struct range *open = &writer->open;

	for (uint64_t id = min, taken; id <= max && writer->rc == 0; id += taken * step) {
		taken = 1;
		if (writer->n > 1 && id - open->max == open->step) {
			taken = step == open->step ? (max - id) / step + 1 : 1;
			open->max = (uint32_t)(id + (taken - 1) * step);
			writer->n = 3;
		} else if (writer->n == 1) {
			open->step = (uint32_t)(id - open->max);
			open->max = (uint32_t)id;
			writer->n = 2;
		/* the second id may begin a longer range */
		} else if (writer->n == 2 && open->step > 1) {
			append(writer, open->min, open->min, 1);
			*open = (struct range){ open->max, open->max, 1 };
			writer->n = 1;
			taken = 0;
		} else {
			flush(writer);
			*open = (struct range){ (uint32_t)id, (uint32_t)id, 1 };
			writer->n = 1;
		}
	}
}

int range_writer_close(struct range_writer *writer)
{
	flush(writer);
	return writer->rc;
}
