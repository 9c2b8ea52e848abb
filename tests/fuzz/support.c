/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/fuzz/support.h"

#include <fcntl.h>
#include <ftw.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct fuzz_counts fuzz_counts;

void fuzz_taken(bool taken)
{
	fuzz_counts.pieces++;
	fuzz_counts.taken += taken;
}

void fuzz_fail(const char *condition, const char *file, int line)
{
	fprintf(stderr, "%s:%d: condition is false: %s\n", file, line, condition);
	abort();
}

/* Input */

static void piece_keep(struct piece *piece, const char *text, size_t length)
{
	char *copy = malloc(length + 1);

	MUST(copy != NULL);
	memcpy(copy, text, length);
	copy[length] = '\0';
	*piece = (struct piece){ copy, length };
}

static struct piece line_cut(struct piece *rest)
{
	const char *end = memchr(rest->text, '\n', rest->length);
	struct piece line = { rest->text, end ? (size_t)(end - rest->text) : rest->length };
	size_t all = line.length + (end != NULL);

	*rest = (struct piece){ rest->text + all, rest->length - all };
	return line;
}

bool piece_line(struct piece *rest, struct piece *line)
{
	struct piece cut;

	if (rest->length == 0)
		return false;
	cut = line_cut(rest);
	piece_keep(line, cut.text, cut.length);
	return true;
}

static bool is_heading(const struct piece *rest)
{
	return rest->length >= 4 && memcmp(rest->text, "=== ", 4) == 0;
}

bool piece_file(struct piece *rest, char name[64], struct piece *content)
{
	const char *start;
	struct piece heading;

	if (rest->length == 0)
		return false;
	name[0] = '\0';
	if (is_heading(rest)) {
		heading = line_cut(rest);
		snprintf(name, 64, "%.*s", (int)(heading.length - 4 < 63 ? heading.length - 4 : 63), heading.text + 4);
	}
	for (start = rest->text; rest->length && !is_heading(rest);)
		line_cut(rest);
	piece_keep(content, start, (size_t)(rest->text - start));
	return true;
}

void piece_free(struct piece *piece)
{
	free((char *)piece->text);
	*piece = (struct piece){ 0 };
}

bool piece_is(const struct piece *line, const char *word)
{
	size_t n = strlen(word);

	return line->length >= n && memcmp(line->text, word, n) == 0 && (line->text[n] == ' ' || line->length == n);
}

/* Files */

static char top[128];

static int entry_remove(const char *path, const struct stat *st, int type, struct FTW *where)
{
	(void)st;
	(void)type;
	(void)where;
	return remove(path);
}

static void scratch_end(void)
{
	nftw(top, entry_remove, 16, FTW_DEPTH | FTW_PHYS);
}

const char *scratch(void)
{
	const char *parent = getenv("FAIRLEAD_SHM");
	char path[256];

	if (*top)
		return top;
	MUST(snprintf(top, sizeof(top), "%s/fuzz-XXXXXX", parent ? parent : "/dev/shm") < (int)sizeof(top));
	MUST(mkdtemp(top) != NULL);
	atexit(scratch_end);
	scratch_path(path, "shm");
	MUST(mkdir(path, 0755) == 0 && chmod(top, 0755) == 0 && setenv("FAIRLEAD_SHM", path, 1) == 0);
	return top;
}

void scratch_path(char path[256], const char *name)
{
	MUST(snprintf(path, 256, "%s/%s", scratch(), name) < 256);
}

void scratch_put(const char *name, const void *bytes, size_t n)
{
	char path[256];
	FILE *file;

	scratch_path(path, name);
	for (char *slash = strchr(path + strlen(top) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0755);
		*slash = '/';
	}
	file = fopen(path, "we");
	if (!file)		/* an impossible name */
		return;
	MUST(fwrite(bytes, 1, n, file) == n);
	MUST(fclose(file) == 0);
}

void scratch_remove(const char *name)
{
	char path[256];

	scratch_path(path, name);
	nftw(path, entry_remove, 16, FTW_DEPTH | FTW_PHYS);
}

void scratch_copy(const char *from, const char *name)
{
	char path[256], command[600];

	scratch_path(path, name);
	snprintf(command, sizeof(command), "rm -rf '%s' && cp -R '%s' '%s'", path, from, path);
	MUST(system(command) == 0);
}

int scratch_output(size_t bytes)
{
	int fd = memfd_create("output", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	MUST(fd >= 0 && ftruncate(fd, (off_t)bytes) == 0 && fcntl(fd, F_ADD_SEALS, F_SEAL_GROW) == 0);
	return fd;
}

/* A scheduler */

static void answer_take(void *context, const char *line, size_t length)
{
	struct fuzz_sched *sched = context;
	json_t *answer = json_loadb(line, length, JSON_REJECT_DUPLICATES, NULL);
	const char *kind = json_string_value(json_object_get(answer, "answer"));

	MUST(kind != NULL && length > 0 && line[length - 1] == '\n');
	sched->refused |= strcmp(kind, "error") == 0;
	sched->answers++;
	json_decref(answer);
}

static int reload_take(void *context, struct error *error)
{
	struct fuzz_sched *sched = context;
	struct report report = { 0 };
	int rc = sched_reload(sched->sched, &report, error);

	report_free(&report);
	return rc;
}

bool fuzz_sched_open(struct fuzz_sched *sched, const char *cell)
{
	const struct segment_options options = { .file_bytes = 256u << 20, .group = -1 };
	struct report report = { 0 };
	struct error error = { "" };
	int rc;

	*sched = (struct fuzz_sched){ .now = FUZZ_NOW };
	rc = sched_create(&sched->sched, cell, &options, &report, &error);
	MUST(rc == 0 || report.faults || error.text[0]);
	report_free(&report);
	if (rc)
		return false;
	sched->intake = (struct intake){ .mirror = sched_mirror(sched->sched),
					 .orders = sched_orders(sched->sched),
					 .context = sched,
					 .reload = reload_take };
	sched->events = (struct events){ .intake = &sched->intake, .context = sched, .answer = answer_take };
	return true;
}

void fuzz_sched_close(struct fuzz_sched *sched)
{
	events_destroy(&sched->events);
	sched_destroy(sched->sched);
	scratch_remove("shm");
	scratch_put("shm/empty", "", 0);
}

void fuzz_sched_report(struct fuzz_sched *sched, const struct piece *line)
{
	unsigned long long number = (unsigned long long)sched->events.last + 1;
	char *numbered;
	int n;

	sched->refused = false;
	if (line->length > 0 && line->text[0] == '!') {
		events_line(&sched->events, line->text + 1, line->length - 1);
		return;
	}
	numbered = malloc(line->length + 40);
	MUST(numbered != NULL);
	n = line->length > 1 && line->text[0] == '{'
		    ? sprintf(numbered, "{\"seq\":%llu%s", number, line->text[1] == '}' ? "" : ",")
		    : 0;
	memcpy(numbered + n, line->text + (n > 0), line->length - (n > 0));
	events_line(&sched->events, numbered, (size_t)n + line->length - (n > 0));
	free(numbered);
}

void fuzz_sched_run(struct fuzz_sched *sched)
{
	struct error error = { "" };

	MUST(sched_run(sched->sched, sched->now, events_settled(&sched->events), &error) == 0);
	events_acknowledge(&sched->events);
	sched->now += 15;
}
