/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that a shepherd leaves in the directory of an attempt: "=== begun", "=== exit", "=== lock",
 * each followed by its content.
 */
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sched/shepherd/record.h"
#include "tests/fuzz/support.h"

static void check(const struct attempt *attempt)
{
	const struct attempt_usage *usage = &attempt->exit.usage;

	MUST(attempt->shepherd.pid >= 0 && attempt->leader.pid >= 0);
	if (!attempt->exited)
		return;
	MUST(strnlen(attempt->exit.text, sizeof(attempt->exit.text)) < sizeof(attempt->exit.text) &&
	     !strpbrk(attempt->exit.text, "\n\r\033"));
	MUST(attempt->exit.end_time >= attempt->exit.start_time && attempt->exit.exit_status >= 0 &&
	     attempt->exit.exit_status <= 255 && attempt->exit.signal >= 0);
	for (const double *value = &usage->ru_wallclock; value <= &usage->maxvmem_bytes; value++)
		MUST(isfinite(*value) && *value >= 0);
}

#ifdef BROKEN			/* a user's escapes reach the administrator */
size_t __wrap_utf8_clean(char *s);

size_t __wrap_utf8_clean(char *s)
{
	(void)s;
	return 0;
}
#endif

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = { "begun", "exit", "lock" };
	struct piece rest = { (const char *)data, size }, content;
	struct error error = { "" };
	char name[64], path[256];
	struct attempt attempt;
	int fd, rc;

	scratch_put("attempt/empty", "", 0);
	for (; piece_file(&rest, name, &content); piece_free(&content))
		for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
			if (strcmp(name, names[i]) == 0) {
				snprintf(path, sizeof(path), "attempt/%s", name);
				scratch_put(path, content.text, content.length);
			}
	scratch_path(path, "attempt");
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	MUST(fd >= 0);
	rc = attempt_look(fd, &attempt, &error);
	MUST(rc == 0 || error.text[0]);
	check(&attempt);
	fuzz_taken(rc == 0 && (attempt.exited || attempt.begun == ATTEMPT_BY_SHEPHERD));
	rc = attempt_void(fd, &error);
	MUST((rc == 0) == (attempt.begun == ATTEMPT_NOT_BEGUN));
	close(fd);
	scratch_remove("attempt");
	return 0;
}
