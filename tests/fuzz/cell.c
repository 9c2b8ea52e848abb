/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files of a cell: "=== sched_conf" and so on, each followed by its content, instead of or in
 * addition to the default cell's files. "slurm" before the first file selects the files of
 * conf/multifactor, "condor" those of conf/userprio and the default cell's except its sched_conf. A
 * cell without faults is loaded by a scheduler, which then makes a run.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/fuzz/support.h"

#define FILES 100

struct whole {				/* a cell of this tree, in memory */
	struct {
		char name[64];
		char *text;
		size_t n;
	} files[FILES];
	size_t n;
};

static void whole_read(struct whole *whole, const char *top, const char *below)
{
	char path[512], name[64];
	struct dirent *entry;
	struct stat st;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/%s", top, below);
	dir = opendir(path);
	MUST(dir != NULL);
	while ((entry = readdir(dir))) {
		MUST(whole->n < FILES && snprintf(name, sizeof(name), "%s%s%s", below, *below ? "/" : "",
						  entry->d_name) < (int)sizeof(name));
		snprintf(path, sizeof(path), "%s/%s", top, name);
		if (entry->d_name[0] == '.')
			continue;
		MUST(stat(path, &st) == 0);
		if (S_ISDIR(st.st_mode)) {
			whole_read(whole, top, name);
		} else {
			FILE *file = fopen(path, "re");
			char *text = malloc((size_t)st.st_size);

			MUST(file && text && fread(text, 1, (size_t)st.st_size, file) == (size_t)st.st_size);
			fclose(file);
			strcpy(whole->files[whole->n].name, name);
			whole->files[whole->n].text = text;
			whole->files[whole->n++].n = (size_t)st.st_size;
		}
	}
	closedir(dir);
}

static void whole_put(const struct whole *whole)
{
	char path[80];

	for (size_t i = 0; i < whole->n; i++) {
		snprintf(path, sizeof(path), "cell/%s", whole->files[i].name);
		scratch_put(path, whole->files[i].text, whole->files[i].n);
	}
}

/* Return whether a path stays in the cell, so that no file of this machine is read or written. */
static bool is_inside(const char *name)
{
	return *name && *name != '/' && !strstr(name, "..") && strlen(name) == strcspn(name, "\n\r\t ");
}

static bool is_harmless(const struct piece *content)
{
	return !strcasestr(content->text, "include") && !strcasestr(content->text, "local_config");
}

static void work(struct fuzz_sched *sched, const char *cell)
{
	static const char *const events[] = {
		"{\"event\":\"queue_instance\",\"queue\":\"all.q@node1\",\"slots\":8}",
		"{\"event\":\"queue_instance\",\"queue\":\"all.q@node2\"}",
		"{\"event\":\"job_add\",\"job_number\":1,\"owner\":\"ann\",\"project\":\"atlas\",\"submission_time\":1699999000,\"hard_resource_list\":\"h_rt=60\"}",
		"{\"event\":\"job_add\",\"job_number\":2,\"owner\":\"bob\",\"submission_time\":1699999000,\"pe\":\"smp\",\"pe_range\":\"2-4\",\"reserve\":true}",
		"{\"event\":\"job_add\",\"job_number\":3,\"owner\":\"cal\",\"submission_time\":1699999000,\"tasks\":\"1-9\",\"partition\":\"batch\",\"cpus\":4}",
		"{\"event\":\"task_start\",\"job_number\":3,\"start_time\":1,\"granted\":[{\"queue\":\"all.q@node1\",\"slots\":2}]}",
		"{\"event\":\"usage\",\"job_number\":3,\"scaled_usage\":{\"cpu\":12.5,\"mem\":1,\"io\":2}}",
	};

	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++)
		fuzz_sched_report(sched, &(struct piece){ events[i], strlen(events[i]) });
	fuzz_sched_run(sched);
	fuzz_print(cell);
	sched->now += 86400;
	fuzz_sched_run(sched);
	fuzz_print(cell);
}

#ifdef BROKEN			/* texts are kept that are the file's, and gone with it */
int __wrap_slurm_text(char **member, const char *text);

int __wrap_slurm_text(char **member, const char *text)
{
	*member = (char *)text;
	return 0;
}
#endif

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct whole sge, slurm, condor;
	struct piece rest = { (const char *)data, size }, content;
	char name[64], cell[256], path[80];
	struct fuzz_sched sched;
	bool good;

	if (sge.n == 0) {
		whole_read(&sge, "conf/default", "");
		whole_read(&slurm, "conf/multifactor", "");
		whole_read(&condor, "conf/userprio", "");
	}
	whole_put(size >= 6 && memcmp(data, "slurm\n", 6) == 0 ? &slurm : &sge);
	if (size >= 7 && memcmp(data, "condor\n", 7) == 0) {
		scratch_remove("cell/sched_conf");
		whole_put(&condor);
	}
	for (; piece_file(&rest, name, &content); piece_free(&content)) {
		snprintf(path, sizeof(path), "cell/%s", name);
		if (is_inside(name) && is_harmless(&content))
			scratch_put(path, content.text, content.length);
	}
	scratch_path(cell, "cell");
	good = fuzz_sched_open(&sched, cell);
	fuzz_taken(good);
	if (good) {
		work(&sched, cell);
		fuzz_sched_close(&sched);
	}
	scratch_remove("cell");
	return 0;
}
