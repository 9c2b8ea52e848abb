/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sched/drmaa/inside.h"

static uint32_t key_of(const void *owner, uint32_t row)
{
	const struct tracked *tracked = owner;

	return tracked->jobs[row].number * 31u + tracked->jobs[row].task;
}

int tracked_add(struct tracked *tracked, uint32_t number, uint32_t task, bool held)
{
	if (tracked->n == tracked->capacity) {
		size_t capacity = tracked->capacity ? 2 * tracked->capacity : 64;
		struct tracked_job *more = reallocarray(tracked->jobs, capacity, sizeof(*more));

		if (!more)
			return -ENOMEM;
		tracked->jobs = more;
		tracked->capacity = capacity;
	}
	if (index_make_room(&tracked->by_id, tracked->n + 1, key_of, tracked))
		return -ENOMEM;
	tracked->jobs[tracked->n] = (struct tracked_job){ .number = number, .task = task, .held = held };
	index_put(&tracked->by_id, key_of(tracked, (uint32_t)tracked->n), (uint32_t)tracked->n);
	tracked->n++;
	return 0;
}

size_t tracked_find(const struct tracked *tracked, uint32_t number, uint32_t task)
{
	uint32_t row;

	index_search(row, &tracked->by_id, number * 31u + task,
		     tracked->jobs[row].number == number && tracked->jobs[row].task == task);
	return row == INDEX_NONE ? SIZE_MAX : row;
}

/* Remove a job; the last one gets its index. */
void tracked_remove(struct tracked *tracked, size_t k)
{
	uint32_t last = (uint32_t)tracked->n - 1;

	free(tracked->jobs[k].line);
	index_take_out(&tracked->by_id, (uint32_t)k, key_of, tracked);
	if (k != last) {
		index_take_out(&tracked->by_id, last, key_of, tracked);
		tracked->jobs[k] = tracked->jobs[last];
		index_put(&tracked->by_id, key_of(tracked, (uint32_t)k), (uint32_t)k);
	}
	tracked->n--;
}

void tracked_free(struct tracked *tracked)
{
	for (size_t k = 0; k < tracked->n; k++)
		free(tracked->jobs[k].line);
	free(tracked->jobs);
	free(tracked->by_id.rows);
	*tracked = (struct tracked){ .jobs = NULL };
}

int job_id_check(const char *text, uint32_t *number, uint32_t *task, struct reason_wanted *wanted)
{
	unsigned long long values[2] = { 0, 1 };
	const char *p = text + (*text == '-');
	size_t digits = strspn(p, "0123456789");
	bool good = *text != '-';

	*number = *task = 0;
	for (int k = 0; k < 2 && digits; k++) {
		good = good && digits <= 10;
		values[k] = good ? strtoull(p, NULL, 10) : 0;
		p += digits;
		digits = *p == '.' && k == 0 ? strspn(p + 1, "0123456789") : 0;
		*task = k ? (uint32_t)values[k] : 0;
		p += digits > 0;
	}
	if (p == text || *p || (p[-1] < '0' || p[-1] > '9'))
		return fault(wanted, DRMAA_ERRNO_INVALID_ARGUMENT, "\"%.100s\" is not a job id", text);
	if (!values[0] || !values[1] || values[0] > UINT32_MAX || values[1] > UINT32_MAX)
		return fault(wanted, DRMAA_ERRNO_INVALID_JOB, "\"%.100s\": no job has this id", text);
	*number = (uint32_t)values[0];
	return DRMAA_ERRNO_SUCCESS;
}

void job_id_print(uint32_t number, uint32_t task, char text[32])
{
	snprintf(text, 32, task ? "%u.%u" : "%u", number, task);
}
