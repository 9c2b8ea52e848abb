/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Divide the tasks of an array among its rows. Like with qstat, tasks that are held or in error
 * have rows of their own. The cost depends on the number of ranges that are read and written, not
 * on the number of ids in them. Any user may submit arrays of 75,000 tasks with a hold on every
 * second one.
 */
#include "sched/cli/stat/parts.h"

#include <errno.h>
#include <string.h>

#include "sched/process/range_writer.h"

_Static_assert(sizeof(struct range) == sizeof(struct fl_range), "ranges are shown as they are");

/* sorted lists into which the held or failed ids of a job may fall */
#define LANES_MOST 16
#define PIECES_MOST (1u << 22)	/* ranges of tasks of an array, an array with more has one row */

/* A sorted list of ranges that do not overlap: the ids in one state. */
struct lane {
	const struct fl_range *items;
	size_t n, at;		/* at: the first item that does not end before the current id */
	unsigned part;
};

/*
 * Ids from the current one up to `until` that are in a lane: the first, third, fifth ... (odd), and
 * the second, fourth ... (even).
 */
struct alternation {
	bool odd, even;
	uint64_t until;
};

static bool is_sound(const struct fl_range *range)
{
	return range->min > 0 && range->max >= range->min && range->step > 0 &&
	       (range->max - range->min) % range->step == 0;
}

/*
 * Split a list into sorted lists, one for each position where the ids decrease. Return 0, -E2BIG or
 * -EINVAL.
 */
static int lanes_add(struct lane *lanes, size_t *nlanes, const struct fl_range *items, size_t n, unsigned part)
{
	for (size_t i = 0; i < n; i++) {
		if (!is_sound(&items[i]))
			return -EINVAL;
		if (i == 0 || items[i].min <= items[i - 1].max) {
			if (*nlanes == LANES_MOST)
				return -E2BIG;
			lanes[(*nlanes)++] = (struct lane){ .items = &items[i], .part = part };
		}
		lanes[*nlanes - 1].n++;
	}
	return 0;
}

/*
 * Return the x below `modulus` with a * x % modulus == 1, by the extended Euclidean algorithm. The
 * greatest common divisor of both must be 1 and the modulus above 1.
 */
static uint64_t inverse(uint64_t a, uint64_t modulus)
{
	int64_t x = 0, next = 1, rest = (int64_t)modulus, divisor = (int64_t)(a % modulus);

	while (divisor) {
		int64_t times = rest / divisor, keep = next;

		next = x - times * next;
		x = keep;
		keep = divisor;
		divisor = rest - times * divisor;
		rest = keep;
	}
	return (uint64_t)(x < 0 ? x + (int64_t)modulus : x);
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/*
 * Return which ids of a walk from `id` in steps of `step` are in a lane. The walk must never go
 * back.
 */
static struct alternation lane_at(struct lane *lane, uint64_t id, uint32_t step)
{
	const struct fl_range *item;
	uint64_t divisor, period, offset, away;

	while (lane->at < lane->n && lane->items[lane->at].max < id)
		lane->at++;
	item = &lane->items[lane->at];
	if (lane->at == lane->n || item->min > id)
		return (struct alternation){ false, false, lane->at == lane->n ? UINT64_MAX : item->min - 1 };
	divisor = common_divisor(step, item->step);
	period = item->step / divisor;
	offset = (id - item->min) % item->step;
	if (offset % divisor != 0)
		return (struct alternation){ false, false, item->max };
	if (period <= 2)
		return (struct alternation){ offset == 0, offset != 0 || period == 1, item->max };
	away = (period - offset / divisor) % period * inverse(step / divisor, period) % period;
	return away == 0 ? (struct alternation){ true, false, id }
			 : (struct alternation){ false, false, least(id + (away - 1) * step, item->max) };
}

/*
 * Divide the ids of a range among the parts. Each step covers the ids for which the lanes do not
 * change.
 */
static int divide(struct range_writer *writers, const struct fl_range *range, struct lane *lanes, size_t nlanes)
{
	uint64_t step = range->step;
	int rc = 0;

	for (uint64_t id = range->min, last; id <= range->max && rc == 0; id = last + step) {
		unsigned odd = 0, even = 0;

		last = range->max;
		for (size_t i = 0; i < nlanes; i++) {
			struct alternation some = lane_at(&lanes[i], id, range->step);

			odd |= some.odd ? lanes[i].part : 0;
			even |= some.even ? lanes[i].part : 0;
			last = least(last, some.until);
		}
		last = id + (last - id) / step * step;
		if (odd == even || last == id) {
			range_writer_put(&writers[odd], id, last, step);
			rc = writers[odd].rc;
			continue;
		}
		range_writer_put(&writers[odd], id, id + (last - id) / (2 * step) * 2 * step, 2 * step);
		range_writer_put(&writers[even], id + step, last - ((last - id) / step % 2 ? 0 : step), 2 * step);
		rc = writers[odd].rc ? writers[odd].rc : writers[even].rc;
	}
	return rc;
}

static int divide_all(struct stat_parts *parts, const struct fl_job *job)
{
	struct range_writer writers[STAT_PARTS];
	struct lane lanes[LANES_MOST];
	size_t nlanes = 0;
	int rc = lanes_add(lanes, &nlanes, job->held, job->nheld, PART_HELD);

	if (rc == 0)
		rc = lanes_add(lanes, &nlanes, job->in_error, job->nin_error, PART_ERROR);
	if (rc == 0)
		rc = lanes_add(lanes, &nlanes, job->restarted, job->nrestarted, PART_RESTARTED);
	for (unsigned part = 0; part < STAT_PARTS; part++)
		writers[part] = (struct range_writer){ .to = &parts->ids[part], .most = PIECES_MOST };
	for (size_t i = 0; rc == 0 && i < job->nranges; i++)
		rc = is_sound(&job->tasks[i]) ? divide(writers, &job->tasks[i], lanes, nlanes) : -EINVAL;
	for (unsigned part = 0; part < STAT_PARTS; part++)
		rc = rc ? rc : range_writer_close(&writers[part]);
	return rc;
}

bool stat_parts_find(struct stat_parts *parts, const struct fl_job *job)
{
	if (job->is_started || (job->nheld == 0 && job->nin_error == 0 && job->nrestarted == 0))
		return false;
	*parts = (struct stat_parts){ 0 };
	if (divide_all(parts, job) == 0)
		return true;
	stat_parts_clear(parts);
	return false;
}

void stat_part_dress(struct fl_job *row, unsigned part)
{
	static const char *const states[STAT_PARTS] = {
		[PART_HELD] = "hqw",
		[PART_ERROR] = "Eqw",
		[PART_HELD | PART_ERROR] = "Ehqw",
		[PART_RESTARTED] = "Rq",
		[PART_HELD | PART_RESTARTED] = "hRq",
		[PART_ERROR | PART_RESTARTED] = "ERq",
		[PART_HELD | PART_ERROR | PART_RESTARTED] = "EhRq"
	};

	strcpy(row->state, states[part]);
	if (part == PART_RESTARTED)
		return;
	row->prio = row->nurg = row->ntckts = row->urg = row->rrcontr = row->wtcontr = row->dlcontr = 0.0;
	row->tckts = row->otckt = row->ftckt = row->stckt = row->share = 0.0;
}

bool stat_part(const struct stat_parts *parts, const struct fl_job *job, unsigned part, struct fl_job *row)
{
	const struct ranges *ids = &parts->ids[part];
	/* the whole array is held */
	bool all_held = parts->ids[0].n > 0 && strchr(job->state, 'h');

	if (ids->n == 0)
		return false;
	*row = *job;
	row->task = ids->items[0].min;
	row->tasks = (const struct fl_range *)(const void *)ids->items;
	row->nranges = ids->n;
	row->nheld = row->nin_error = row->nrestarted = 0;
	if (part > 0)
		stat_part_dress(row, all_held ? part | PART_HELD : part);
	return true;
}

void stat_parts_clear(struct stat_parts *parts)
{
	for (unsigned part = 0; part < STAT_PARTS; part++)
		ranges_free(&parts->ids[part]);
}
