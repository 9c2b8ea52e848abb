/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The real fairlead-schedd, fed without a pause, is killed at any moment and started again, while
 * readers run continuously.
 *
 * schedd_killed [times]
 *
 * Every job of a snapshot is named after the snapshot and its numbers of jobs. All values that a
 * reader sees in one section must be of one snapshot, or empty (a scheduler's first run). Snapshots
 * and generations never go back. No call fails, except with ENOENT before the first publication.
 * Readers move to each new scheduler without help. At the end only the cell's three files are left.
 * Two minutes without progress count as a failure. A first pass with a lying feeder must be
 * detected.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#include "sched/reader/fairlead.h"
#include "shm/place.h"
#include "tests/shm/cell.h"

#define READERS 3
#define CELL "conf/default"
#define PATIENCE_MS 120000
#define SECTIONS 50			/* until a reader attaches again; the first one never does */

struct counts {				/* shared by all processes */
	_Atomic uint64_t snapshot;	/* newest snapshot whose sending has begun */
	_Atomic bool published;
	_Atomic uint64_t errors, mixtures, backwards, stale;
	_Atomic uint64_t sections[READERS], generation[READERS], seen[READERS];
	_Atomic uint32_t scheduler[READERS];	/* process of the last seen run */
};

static struct counts *counts;
static struct shm_cell shm;
static bool lying;

static void sleep_ms(unsigned ms)
{
	nanosleep(&(struct timespec) { ms / 1000, ms % 1000 * 1000000l }, NULL);
}

/* Start a child that does not survive the test, however the test ends. */
static pid_t child_start(void)
{
	pid_t pid = fork();

	if (pid == 0)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	return pid;
}

static void child_kill(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* Reader */

struct seen {
	char name[64];
	uint64_t snapshot;
	size_t pending, started;
};

/* Find the value of the first job, which is the same for all jobs. */
static bool seen_begin(struct seen *seen, const char *name)
{
	unsigned long long snapshot;

	snprintf(seen->name, sizeof(seen->name), "%s", name);
	if (sscanf(name, "s%llu-%zu-%zu", &snapshot, &seen->pending, &seen->started) != 3)
		return false;
	seen->snapshot = snapshot;
	return true;
}

static bool job_belongs(struct seen *seen, const struct fl_job *job)
{
	if (!*seen->name && !seen_begin(seen, job->name))
		return false;
	return strcmp(job->name, seen->name) == 0 && *job->owner && isfinite(job->prio) && isfinite(job->tckts);
}

static bool list_intact(const struct fl_view *view, enum fl_list list, struct seen *seen)
{
	double last = INFINITY;
	struct fl_job job;

	for (size_t k = 0; k < fl_count(view, list); k++) {
		if (fl_get(view, list, k, &job) || !job_belongs(seen, &job) || (list == FL_PENDING && job.prio > last))
			return false;
		if (fl_find(view, job.job_number, 0, &job) || !job_belongs(seen, &job))
			return false;
		last = job.prio;
	}
	return true;
}

static bool section_intact(const struct fl_view *view, struct seen *seen)
{
	if (!list_intact(view, FL_STARTED, seen) || !list_intact(view, FL_PENDING, seen))
		return false;
	return fl_count(view, FL_PENDING) == seen->pending && fl_count(view, FL_STARTED) == seen->started;
}

static void section_read(struct fl_cell *cell, unsigned i)
{
	const struct fl_view *view = fl_begin(cell);
	struct seen seen = { .name = "" };
	struct fl_run run;
	bool intact = section_intact(view, &seen);

	fl_run(view, &run);
	if (fl_end(cell)) {
		atomic_fetch_add(&counts->stale, 1);
		return;
	}
	atomic_fetch_add(&counts->mixtures, !intact);
	atomic_fetch_add(&counts->backwards,
			 run.generation < counts->generation[i] || (*seen.name && seen.snapshot < counts->seen[i]));
	counts->generation[i] = run.generation;
	if (*seen.name)
		counts->seen[i] = seen.snapshot;
	counts->scheduler[i] = run.scheduler_pid;
	atomic_fetch_add(&counts->sections[i], 1);
}

static void reader_run(unsigned i)
{
	struct fl_cell *cell;

	for (;;) {
		bool published = counts->published;
		int err = fl_attach(&cell, CELL);

		if (err) {
			atomic_fetch_add(&counts->errors, published || err != -ENOENT);
			sleep_ms(1);
			continue;
		}
		counts->published = true;
		for (unsigned n = 0; i == 0 || n < SECTIONS; n++) {
			section_read(cell, i);
			sleep_ms(n % 2);
		}
		fl_detach(cell);
	}
}

static pid_t reader_start(unsigned i)
{
	pid_t pid = child_start();

	if (pid == 0)
		reader_run(i);
	return pid;
}

/* Scheduler */

static unsigned long long snapshot_write(FILE *to, unsigned long long seq, unsigned jobs, unsigned started)
{
	static const char *const owners[] = { "ann", "bob", "cal", "dot" };
	unsigned long long snapshot = atomic_fetch_add(&counts->snapshot, 1) + 1;
	unsigned pending = jobs - started;

	fprintf(to, "{\"seq\":%llu,\"event\":\"snapshot_begin\"}\n", seq++);
	fprintf(to, "{\"seq\":%llu,\"event\":\"queue_instance\",\"queue\":\"all.q@node1\",\"slots\":100}\n", seq++);
	for (unsigned j = 1; j <= jobs; j++)
		fprintf(to,
			"{\"seq\":%llu,\"event\":\"job_add\",\"job_number\":%u,\"owner\":\"%s\",\"job_name\":\"s%llu-%u-%u\","
			"\"submission_time\":%u,\"priority\":%d}\n",
			seq++, j, owners[j % 4], snapshot - (lying && j == 1), pending, started, 1700000000 + j,
			(int)(j * 7919 % 1000) - 500);
	for (unsigned j = 1; j <= started; j++)
		fprintf(to, "{\"seq\":%llu,\"event\":\"task_start\",\"job_number\":%u,\"start_time\":1700009000,"
			"\"granted\":[{\"queue\":\"all.q@node1\",\"slots\":1}]}\n", seq++, j);
	fprintf(to, "{\"seq\":%llu,\"event\":\"snapshot_end\"}\n", seq++);
	return seq;
}

/*
 * Send snapshots. A run follows each snapshot and each reload of the configuration. The function
 * ends when the scheduler stops reading.
 */
static void feeder_run(int fd, unsigned seed)
{
	FILE *to = fdopen(fd, "w");
	unsigned long long seq = 1;

	for (;;) {
		unsigned jobs = 2 + (unsigned)rand_r(&seed) % (2u << rand_r(&seed) % 11);
		unsigned started = (unsigned)rand_r(&seed) % (jobs < 50 ? jobs : 50);

		seq = snapshot_write(to, seq, jobs, started);
		if (started)
			fprintf(to,
				"{\"seq\":%llu,\"event\":\"usage\",\"job_number\":1,\"scaled_usage\":{\"cpu\":10}}\n",
				seq++);
		if (rand_r(&seed) % 4 == 0)
			fprintf(to, "{\"seq\":%llu,\"event\":\"config_changed\"}\n", seq++);
		fflush(to);
		sleep_ms(1);		/* events of one read lead to one run */
	}
}

static const char *schedd_path(void)
{
	static char path[300];

	snprintf(path, sizeof(path), "%s/fairlead-schedd", getenv("B") ? getenv("B") : "build");
	return path;
}

static void schedd_run(int in, int log)
{
	dup2(in, STDIN_FILENO);
	dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
	dup2(log, STDERR_FILENO);
	execl(schedd_path(), "fairlead-schedd", "-c", CELL, "--no-dispatch", "--events", "-", (char *)NULL);
	_exit(127);
}

struct life {				/* a scheduler and its feeder */
	pid_t scheduler, feeder;
};

static bool life_start(struct life *life, unsigned seed, int log)
{
	int events[2];

	if (pipe2(events, O_CLOEXEC))
		return false;
	life->feeder = child_start();
	if (life->feeder == 0) {
		close(events[0]);
		feeder_run(events[1], seed);
	}
	life->scheduler = child_start();
	if (life->scheduler == 0)
		schedd_run(events[0], log);
	close(events[0]);
	close(events[1]);
	return true;
}

static bool life_end(const struct life *life, int signal)
{
	int status;

	kill(life->scheduler, signal);
	waitpid(life->scheduler, &status, 0);
	child_kill(life->feeder);
	if (signal == SIGKILL ? WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL
			      : WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return true;
	fprintf(stderr, "schedd_killed: the scheduler ended by itself, wait status %#x\n", (unsigned)status);
	return false;
}

/* The test */

static bool readers_follow(pid_t scheduler)
{
	for (unsigned ms = 0; ms < PATIENCE_MS; ms++) {
		unsigned there = 0;

		for (unsigned i = 0; i < READERS; i++)
			there += counts->scheduler[i] == (uint32_t)scheduler;
		if (there == READERS)
			return true;
		sleep_ms(1);
	}
	fprintf(stderr, "schedd_killed: readers do not come over to process %d\n", (int)scheduler);
	return false;
}

/*
 * Run a round. Some schedulers are killed while they start, most while they work. Readers are
 * killed as well.
 */
static bool round_run(unsigned *seed, pid_t *victim, int log)
{
	unsigned ms = rand_r(seed) % 3 ? (unsigned)rand_r(seed) % 100 : (unsigned)rand_r(seed) % 10;
	bool wait = rand_r(seed) % 2, good = true;
	struct life life;

	if (!life_start(&life, (unsigned)rand_r(seed), log))
		return false;
	if (wait)
		good = readers_follow(life.scheduler);
	sleep_ms(ms);
	if (rand_r(seed) % 4 == 0) {
		child_kill(*victim);
		*victim = reader_start(READERS - 1);
	}
	return life_end(&life, SIGKILL) && good;
}

/* Start the last scheduler. It works until it has been seen with jobs, and stops on request. */
static bool last_run(unsigned *seed, int log)
{
	struct life life;

	if (!life_start(&life, (unsigned)rand_r(seed), log))
		return false;
	uint64_t before = counts->seen[0];
	bool good = readers_follow(life.scheduler);

	for (unsigned ms = 0; ms < PATIENCE_MS && counts->seen[0] == before; ms++)
		sleep_ms(1);
	return life_end(&life, SIGTERM) && good && counts->seen[0] > before;
}

static unsigned files_count(void)
{
	struct segment_paths paths;
	DIR *dir = segment_paths(&paths, CELL) ? NULL : opendir(paths.directory);
	unsigned n = 0;

	for (struct dirent *entry; dir && (entry = readdir(dir));)
		n += entry->d_name[0] != '.';
	if (dir)
		closedir(dir);
	return n;
}

static bool torture_run(unsigned times, unsigned seed, int log)
{
	pid_t readers[READERS];
	unsigned kills = 0;
	bool good = true;

	memset(counts, 0, sizeof(*counts));
	for (unsigned i = 0; i < READERS; i++)
		readers[i] = reader_start(i);
	for (; kills < times && good; kills++)
		good = round_run(&seed, &readers[READERS - 1], log);
	good = good && last_run(&seed, log);
	for (unsigned i = 0; i < READERS; i++)
		child_kill(readers[i]);
	uint64_t errors = counts->errors, mixtures = counts->mixtures, backwards = counts->backwards;

	printf("schedd_killed kills %u snapshots %llu generation %llu sections %llu errors %llu mixtures %llu backwards %llu stale %llu"
	       " files %u\n",
	       kills, (unsigned long long)counts->snapshot, (unsigned long long)counts->generation[0],
	       (unsigned long long)counts->sections[0], (unsigned long long)errors, (unsigned long long)mixtures,
	       (unsigned long long)backwards, (unsigned long long)counts->stale, files_count());
	return good && errors == 0 && mixtures == 0 && backwards == 0 && files_count() == 2;
}

static bool lie_found(unsigned seed, int log)
{
	lying = true;
	bool found = !torture_run(3, seed, log) && counts->mixtures > 0;

	lying = false;
	shm_cell_clear(&shm);
	return found && shm_cell_make(&shm) == 0;
}

/* Print the log of the last schedulers. */
static void log_print(int log)
{
	char text[2048];
	off_t size = lseek(log, 0, SEEK_END);
	ssize_t n = pread(log, text, sizeof(text), size > (off_t)sizeof(text) ? size - (off_t)sizeof(text) : 0);

	printf("%.*s\n", n > 0 ? (int)n : 0, text);
}

int main(int argc, char **argv)
{
	unsigned times = argc > 1 ? (unsigned)atoi(argv[1]) : 120;
	unsigned seed = getenv("SEED") ? (unsigned)atoi(getenv("SEED")) : (unsigned)time(NULL);
	char name[] = "/tmp/schedd_killed-XXXXXX";

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (access(schedd_path(), X_OK)) {
		printf("no %s\n", schedd_path());
		return 77;
	}
	printf("seed %u\n", seed);
	counts = mmap(NULL, sizeof(*counts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int log = mkostemp(name, O_APPEND | O_CLOEXEC);

	if (counts == MAP_FAILED || log < 0 || unlink(name) || shm_cell_make(&shm)) {
		perror("schedd_killed");
		return 1;
	}
	bool good = lie_found(seed, log) && torture_run(times, seed, log);

	if (!good)
		log_print(log);
	shm_cell_clear(&shm);
	printf("%s\n", good ? "ok" : "FAIL");
	return !good;
}
