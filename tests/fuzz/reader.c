/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A reader and a state file that no scheduler would write. The file begins as a real one with jobs,
 * tasks and usage, or with Slurm's priorities if the first line is "slurm", or HTCondor's if it is
 * "condor". Lines write 8-byte hexadecimal numbers into it:
 *
 *    header OFFSET VALUE              the first page
 *    directory OFFSET VALUE           the directories of all generations, OFFSET from the beginning of each
 *    table N OFFSET COUNT             N of enum table_id or shm's own; "-": unchanged
 *    record N OFFSET VALUE            after the beginning of the contents of table N of the newest one
 *    extent OFFSET VALUE              after the directories
 *
 * All displays are printed then. Afterwards the file is restored.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sched/cli/text.h"
#include "shm/segment.h"
#include "tests/fuzz/support.h"

#define PATCHES 64

struct patch {
	uint64_t at, before;
};

struct shown {				/* a cell with a run */
	struct fuzz_sched f;
	char cell[256];
	int fd;				/* descriptor of its state file */
	off_t size;
	uint64_t newest;		/* offset of its directory */
};

static struct patch patches[PATCHES];
static size_t npatches;

static void shown_open(struct shown *shown, const char *from, const char *name, const char *const *events)
{
	struct segment_paths paths;
	struct piece line;
	uint64_t current;

	scratch_copy(from, name);
	scratch_path(shown->cell, name);
	MUST(fuzz_sched_open(&shown->f, shown->cell));
	for (; *events; events++) {
		line = (struct piece){ *events, strlen(*events) };
		fuzz_sched_report(&shown->f, &line);
		MUST(!shown->f.refused);
	}
	fuzz_sched_run(&shown->f);
	MUST(segment_paths(&paths, shown->cell) == 0);
	shown->fd = open(paths.state, O_RDWR | O_CLOEXEC);
	MUST(shown->fd >= 0);
	shown->size = lseek(shown->fd, 0, SEEK_END);
	MUST(pread(shown->fd, &current, sizeof(current), offsetof(struct segment_header, current)) == sizeof(current));
	shown->newest = PAGE_BYTES + current % GENERATIONS * sizeof(struct generation);
}

static void patch(const struct shown *shown, uint64_t at, uint64_t value)
{
	struct patch *p = &patches[npatches];

	if (npatches == PATCHES || at > (uint64_t)shown->size - sizeof(value))
		return;
	npatches++;
	p->at = at;
	MUST(pread(shown->fd, &p->before, sizeof(p->before), (off_t)at) == sizeof(p->before));
	MUST(pwrite(shown->fd, &value, sizeof(value), (off_t)at) == sizeof(value));
}

static void patch_all(const struct shown *shown, uint64_t offset, uint64_t value)
{
	for (unsigned k = 0; k < GENERATIONS && offset + sizeof(value) <= sizeof(struct generation); k++)
		patch(shown, PAGE_BYTES + k * sizeof(struct generation) + offset, value);
}

static void line_take(const struct shown *shown, const char *line)
{
	unsigned long long a, b;
	uint64_t table;
	unsigned n;
	int at;

	if (sscanf(line, "header %llx %llx", &a, &b) == 2)
		patch(shown, a % PAGE_BYTES, b);
	else if (sscanf(line, "directory %llx %llx", &a, &b) == 2)
		patch_all(shown, a % sizeof(struct generation), b);
	else if (sscanf(line, "extent %llx %llx", &a, &b) == 2)
		patch(shown, EXTENT_BYTES + a % (uint64_t)shown->size, b);
	else if (sscanf(line, "record %u %llx %llx", &n, &a, &b) == 3) {
		at = pread(shown->fd, &table, sizeof(table),
			   (off_t)(shown->newest + offsetof(struct generation, tables) +
				   n % MAX_TABLES * sizeof(struct table)));
		if (at == sizeof(table) && table)
			patch(shown, table % (uint64_t)shown->size + a % EXTENT_BYTES, b);
	} else if (sscanf(line, "table %u %n", &n, &at) == 1) {
		uint64_t offset = offsetof(struct generation, tables) + n % MAX_TABLES * sizeof(struct table);

		if (sscanf(line + at, "%llx", &a) == 1)
			patch_all(shown, offset, a);
		line = strchr(line + at, ' ');
		if (line && sscanf(line, " %llx", &b) == 1)
			patch_all(shown, offset + offsetof(struct table, count), b);
	}
}

static void restore(const struct shown *shown)
{
	while (npatches) {
		const struct patch *patch = &patches[--npatches];

		MUST(pwrite(shown->fd, &patch->before, sizeof(patch->before), (off_t)patch->at) ==
		     sizeof(patch->before));
	}
}

static bool begins_with(const uint8_t *data, size_t size, const char *word)
{
	return size >= strlen(word) && memcmp(data, word, strlen(word)) == 0;
}

static struct shown *shown_of(const uint8_t *data, size_t size)
{
	static const char *const jobs[] = {
		"{\"event\":\"queue_instance\",\"queue\":\"all.q@node1\",\"slots\":8}",
		"{\"event\":\"job_add\",\"job_number\":1,\"owner\":\"ann\",\"job_name\":\"a\",\"project\":\"atlas\",\"submission_time\":1699999000,\"hold_jid\":[2]}",
		"{\"event\":\"job_add\",\"job_number\":2,\"owner\":\"bob\",\"submission_time\":1699999000,\"tasks\":\"1-9:2,20\",\"hard_resource_list\":\"arch=x\"}",
		"{\"event\":\"job_add\",\"job_number\":3,\"owner\":\"cal\",\"submission_time\":1699999000,\"pe\":\"smp\",\"pe_range\":\"2-4\",\"deadline\":1700003600}",
		"{\"event\":\"task_start\",\"job_number\":2,\"task\":1,\"start_time\":1,\"granted\":[{\"queue\":\"all.q@node1\",\"slots\":2}],\"granted_pe\":\"mpi\"}",
		"{\"event\":\"usage\",\"job_number\":2,\"scaled_usage\":{\"cpu\":12.5}}",
		"{\"event\":\"task_state\",\"job_number\":2,\"state\":\"s\"}",
		NULL
	};
	static const char *const slurm_jobs[] = {
		"{\"event\":\"job_add\",\"job_number\":1,\"owner\":\"ann\",\"submission_time\":1699999000,\"partition\":\"batch,debug\",\"tres\":\"cpu=8\"}",
		"{\"event\":\"job_add\",\"job_number\":2,\"owner\":\"bob\",\"submission_time\":1699999000,\"nodes\":2,\"time_limit\":60}",
		"{\"event\":\"task_start\",\"job_number\":2,\"start_time\":1699999900,\"granted\":[{\"queue\":\"batch@n1\",\"slots\":4}]}",
		NULL
	};
	static const char *const condor_jobs[] = {
		"{\"event\":\"slot\",\"slot\":\"slot1@node1\",\"ad\":{\"Cpus\":1,\"Memory\":1024}}",
		"{\"event\":\"slot\",\"slot\":\"slot2@node1\",\"ad\":{\"Cpus\":1,\"Memory\":1024}}",
		"{\"event\":\"claim\",\"slot\":\"slot2@node1\",\"submitter\":\"ann@pool\",\"since\":1699999000}",
		"{\"event\":\"job_add\",\"job_number\":1,\"owner\":\"ann\",\"submission_time\":1699999000,\"tasks\":\"1-3\"}",
		"{\"event\":\"job_add\",\"job_number\":2,\"owner\":\"bob\",\"submission_time\":1699999000,\"requirements\":\"TARGET.Memory > 4096 && TARGET.Cpus > 0\"}",
		NULL
	};
	static struct shown sge, slurm, condor;

	if (!sge.f.sched) {
		shown_open(&sge, "conf/default", "sge", jobs);
		shown_open(&slurm, "conf/multifactor", "slurm", slurm_jobs);
		shown_open(&condor, "conf/userprio", "condor", condor_jobs);
	}
	if (begins_with(data, size, "condor\n"))
		return &condor;
	return begins_with(data, size, "slurm\n") ? &slurm : &sge;
}

#ifdef BROKEN			/* texts are printed as they are */
void __wrap_json_text(struct out *out, const char *text);

void __wrap_json_text(struct out *out, const char *text)
{
	out_text(out, "\"");
	out_text(out, text);
	out_text(out, "\"");
}
#endif

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct piece rest = { (const char *)data, size }, line;
	struct shown *shown = shown_of(data, size);

	fuzz_hostile = true;
	for (; piece_line(&rest, &line); piece_free(&line))
		line_take(shown, line.text);
	fuzz_taken(fuzz_print(shown->cell) > 0);
	restore(shown);
	return 0;
}
