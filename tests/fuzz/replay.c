/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A harness without a fuzzer: it processes each named file once. Fresh and freed memory is filled,
 * so that no code finds zeros there by chance. Exit code 0 means that there was no crash and that a
 * part of the corpus was accepted. SIGALRM ends a harness that hangs.
 *
 *    usage: HARNESS FILE|DIRECTORY...
 */
#include <dirent.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/fuzz/support.h"

#define PATIENCE_S 60		/* for what takes milliseconds */
#define FILL 0xbe
#define INPUT_BYTES (4u << 20)

static unsigned files;
static uint8_t input[INPUT_BYTES];

static void replay_file(const char *path)
{
	FILE *file = fopen(path, "re");
	size_t size = file ? fread(input, 1, sizeof(input), file) : 0;
	uint8_t *exact = malloc(size + !size);
	uint64_t before = fuzz_counts.taken;

	if (!file || !exact) {
		fprintf(stderr, "%s: %m\n", path);
		exit(2);
	}
	fclose(file);
	memcpy(exact, input, size);
	fprintf(stderr, "%s\n", path);	/* the last printed name is that of the crash */
	alarm(PATIENCE_S);
	LLVMFuzzerTestOneInput(exact, size);
	alarm(0);
	free(exact);
	files++;
	fprintf(stderr, "    taken: %llu\n", (unsigned long long)(fuzz_counts.taken - before));
}

static int is_file(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static void replay(const char *path)
{
	struct dirent **entries;
	int n = scandir(path, &entries, is_file, alphasort);
	char name[512];

	if (n < 0)
		replay_file(path);
	for (int i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "%s/%s", path, entries[i]->d_name);
		replay_file(name);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
}

int main(int argc, char **argv)
{
	mallopt(M_PERTURB, FILL);
	for (int i = 1; i < argc; i++)
		replay(argv[i]);
	fprintf(stderr, "%u files, %llu pieces, %llu taken\n", files, (unsigned long long)fuzz_counts.pieces,
		(unsigned long long)fuzz_counts.taken);
	return files && fuzz_counts.taken ? EXIT_SUCCESS : EXIT_FAILURE;
}
