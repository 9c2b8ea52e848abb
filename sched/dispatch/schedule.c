/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/dispatch/schedule.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_BYTES 4096

void schedule_free(struct schedule_lines *lines)
{
	free(lines->text);
	*lines = (struct schedule_lines){ 0 };
}

/* Make room for a line of `bytes` bytes, including the final zero. */
static bool room_make(struct schedule_lines *s, size_t bytes)
{
	size_t capacity = s->capacity ? s->capacity : FIRST_BYTES;
	char *text;

	if (bytes > SCHEDULE_BYTES_MAX - s->length)
		return false;
	while (capacity - s->length < bytes)
		capacity *= 2;
	if (capacity == s->capacity)
		return true;
	text = realloc(s->text, capacity);
	if (!text)
		return false;
	s->text = text;
	s->capacity = capacity;
	return true;
}

void schedule_begin(struct schedule_lines *lines)
{
	static const char colons[] = "::::::::\n";

	lines->length = 0;
	lines->incomplete = !room_make(lines, sizeof(colons));
	if (lines->incomplete)
		return;
	memcpy(lines->text, colons, sizeof(colons));
	lines->length = sizeof(colons) - 1;
}

static const char *state_name(enum schedule_state state)
{
	static const char *const names[] = { "RUNNING", "SUSPENDED", "STARTING", "RESERVING" };

	return names[state];
}

/*
 * Return the duration to write. As with Grid Engine's 32-bit clock, the latest end is UINT32_MAX.
 */
static int64_t duration_shown(const struct schedule_task *task)
{
	return task->start <= UINT32_MAX && task->start + task->duration > UINT32_MAX ? UINT32_MAX - task->start
										      : task->duration;
}

/* Print a line as far as it fits. Return its full length. */
static size_t line_print(const struct schedule_lines *lines, const struct schedule_task *task,
			 enum schedule_level level, const char *object, const char *resource, double amount)
{
	char *end = lines->text ? lines->text + lines->length : NULL;

	return (size_t)snprintf(end, lines->capacity - lines->length, "%u:%u:%s:%lld:%lld:%c:%s:%s:%f\n",
				task->job_number, task->task, state_name(task->state), (long long)task->start,
				(long long)duration_shown(task), level, object, resource, amount);
}

/*
 * Append a line. After a missing line no more lines are appended, so the text is always a prefix.
 */
void schedule_append(struct schedule_lines *lines, const struct schedule_task *task, enum schedule_level level,
		     const char *object, const char *resource, double amount)
{
	size_t length;

	if (lines->incomplete)
		return;
	length = line_print(lines, task, level, object, resource, amount);
	if (length >= lines->capacity - lines->length) {
		lines->incomplete = !room_make(lines, length + 1);
		if (lines->incomplete)
			return;
		line_print(lines, task, level, object, resource, amount);
	}
	lines->length += length;
}
