/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Time until a publication is seen, and the writer's cost of finding readers: `visible [--json]`.
 *
 * visible: a reader in another process begins and ends sections without a pause. The time is from
 * the writer's clock just before generation_publish() to the reader's clock when a section has
 * shown the new generation and ended successfully.
 *
 * look: readers_busy() on a retired generation, with a number of slots whose readers are in
 * sections of the current one. This is the whole grace period: either there is no reader, or the
 * directory is left alone, and the writer never waits.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include "sched/run/records.h"
#include "shm/attach.h"
#include "tests/shm/cell.h"

#define SAMPLES 5000u
#define PAUSE_NS 100000

struct shared {				/* used by both processes */
	_Atomic unsigned seen;
	double ns[SAMPLES];
};

static struct shm_cell cell;
static bool json;

static int64_t now_ns(void)
{
	struct timespec timespec;

	clock_gettime(CLOCK_MONOTONIC, &timespec);
	return timespec.tv_sec * 1000000000ll + timespec.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static void print_figures(const char *what, const char *of, unsigned n, double *ns, size_t samples)
{
	qsort(ns, samples, sizeof(*ns), by_value);
	double p50 = ns[samples / 2], p99 = ns[samples * 99 / 100], max = ns[samples - 1];

	if (json)
		printf("{\"what\":\"%s\",\"%s\":%u,\"p50_ns\":%.0f,\"p99_ns\":%.0f,\"max_ns\":%.0f,\"min_ns\":%.0f}\n",
		       what, of, n, p50, p99, max, ns[0]);
	else
		printf("  %-8s %s %3u   p50 %8.0f ns   p99 %8.0f   max %10.0f   best %.0f\n", what, of, n, p50, p99,
		       max, ns[0]);
}

/* Time until it is seen */

static void reader_run(struct shared *shared)
{
	struct attachment attachment;
	struct view view;
	uint64_t last = 0;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (attach_open(&attachment, cell.directory, 0))
		_exit(1);
	while (shared->seen < SAMPLES) {
		attach_begin(&attachment, &view);
		uint64_t gen = view.gen;
		int64_t published = (int64_t)LOAD_ONCE(records_run(&view)->event);

		if (attach_end(&attachment, &view) || gen == last)
			continue;
		if (last)
			shared->ns[shared->seen++] = (double)(now_ns() - published);
		last = gen;
	}
	_exit(0);
}

static int publish(struct segment *segment)
{
	struct generation_writer writer;
	int err = generation_begin(&writer, segment);

	if (err)
		return err;
	run_head(writer.directory)->event = (uint64_t)now_ns();
	generation_publish(&writer);
	return segment_announce(segment);
}

static int measure_visible(struct segment *segment)
{
	struct shared *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int status = 0, err = 0;

	if (shared == MAP_FAILED)
		return -ENOMEM;
	pid_t pid = fork();

	if (pid == 0)
		reader_run(shared);
	if (pid < 0)
		return -EAGAIN;
	while (!err && waitpid(pid, &status, WNOHANG) == 0) {
		nanosleep(&(struct timespec) { 0, PAUSE_NS }, NULL);
		err = publish(segment);
	}
	if (!err && shared->seen == SAMPLES)
		print_figures("visible", "readers", 1, shared->ns, SAMPLES);
	else if (!err)
		err = -EIO;
	munmap(shared, sizeof(*shared));
	return err;
}

/* Readers of a retired generation */

static int measure_look(struct segment *segment, unsigned slots)
{
	static struct readers taken[READER_SLOTS];
	static double ns[SAMPLES];
	uint64_t current = ((const struct segment_header *)segment->base)->current;
	unsigned n = 0;
	int err = 0;

	for (; n < slots && !err; n++) {
		readers_claim(&taken[n], open(segment->paths.state, O_RDONLY | O_CLOEXEC), &segment->readers.place);
		err = taken[n].slot ? 0 : -EMFILE;
		if (!err)
			atomic_store(&taken[n].slot->pin, current << 1 | 1);
	}
	for (unsigned i = 0; i < SAMPLES && !err; i++) {
		int64_t begin = now_ns();
		bool busy = readers_busy(&segment->readers, current - 1);

		ns[i] = (double)(now_ns() - begin);
		err = busy ? -EBUSY : 0;
	}
	if (!err)
		print_figures("look", "slots", slots, ns, SAMPLES);
	while (n > 0)
		readers_close(&taken[--n]);
	return err;
}

static int measure(struct segment *segment)
{
	static const unsigned slots[] = { 0, 1, 128, READER_SLOTS };
	struct rlimit files;
	int err = publish(segment);

	if (getrlimit(RLIMIT_NOFILE, &files) == 0) {	/* a descriptor for each slot is needed */
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	if (!err)
		err = measure_visible(segment);
	for (size_t i = 0; i < sizeof(slots) / sizeof(*slots) && !err; i++)
		err = measure_look(segment, slots[i]);
	return err;
}

int main(int argc, char **argv)
{
	const struct segment_options options = { .file_bytes = 64 << 20, .group = -1 };
	struct segment segment;

	json = argc == 2 && strcmp(argv[1], "--json") == 0;
	if (argc > 2 || (argc == 2 && !json)) {
		fprintf(stderr, "usage: visible [--json]\n");
		return 2;
	}
	if (shm_cell_make(&cell)) {
		perror("visible: /dev/shm");
		return 1;
	}
	int err = segment_create(&segment, cell.directory, &options, NULL);

	if (!err) {
		err = measure(&segment);
		segment_close(&segment);
	}
	shm_cell_clear(&cell);
	if (err)
		fprintf(stderr, "visible: %s\n", strerror(-err));
	return err || fflush(stdout) ? 1 : 0;
}
