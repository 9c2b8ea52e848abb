/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sched/drmaa/inside.h"

static uint32_t key_of(const void *owner, uint32_t row)
{
	const struct tracked *t = owner;

	return t->jobs[row].number * 31u + t->jobs[row].task;
}

int tracked_add(struct tracked *t, uint32_t number, uint32_t task, bool held)
{
	if (t->n == t->capacity) {
		size_t capacity = t->capacity ? 2 * t->capacity : 64;
		struct tracked_job *more = reallocarray(t->jobs, capacity, sizeof(*more));

		if (!more)
			return -ENOMEM;
		t->jobs = more;
		t->capacity = capacity;
	}
	if (index_make_room(&t->by_id, t->n + 1, key_of, t))
		return -ENOMEM;
	t->jobs[t->n] = (struct tracked_job){ .number = number, .task = task, .held = held };
	index_put(&t->by_id, key_of(t, (uint32_t)t->n), (uint32_t)t->n);
	t->n++;
	return 0;
}

size_t tracked_find(const struct tracked *t, uint32_t number, uint32_t task)
{
	uint32_t row;

	index_search(row, &t->by_id, number * 31u + task, t->jobs[row].number == number && t->jobs[row].task == task);
	return row == INDEX_NONE ? SIZE_MAX : row;
}

/* The last one takes its place. */
void tracked_remove(struct tracked *t, size_t k)
{
	uint32_t last = (uint32_t)t->n - 1;

	free(t->jobs[k].line);
	index_take_out(&t->by_id, (uint32_t)k, key_of, t);
	if (k != last) {
		index_take_out(&t->by_id, last, key_of, t);
		t->jobs[k] = t->jobs[last];
		index_put(&t->by_id, key_of(t, (uint32_t)k), (uint32_t)k);
	}
	t->n--;
}

void tracked_free(struct tracked *t)
{
	for (size_t k = 0; k < t->n; k++)
		free(t->jobs[k].line);
	free(t->jobs);
	free(t->by_id.rows);
	*t = (struct tracked){ .jobs = NULL };
}

int job_id_check(const char *text, uint32_t *number, uint32_t *task, struct reason_wanted *d)
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
		return fault(d, DRMAA_ERRNO_INVALID_ARGUMENT, "\"%.100s\" is no id of a job", text);
	if (!values[0] || !values[1] || values[0] > UINT32_MAX || values[1] > UINT32_MAX)
		return fault(d, DRMAA_ERRNO_INVALID_JOB, "\"%.100s\": no job has this id", text);
	*number = (uint32_t)values[0];
	return DRMAA_ERRNO_SUCCESS;
}

void job_id_print(uint32_t number, uint32_t task, char text[32])
{
	snprintf(text, 32, task ? "%u.%u" : "%u", number, task);
}
