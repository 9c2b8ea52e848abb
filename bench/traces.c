/* SPDX-License-Identifier: Apache-2.0 */
/*
 * traces: cost of reading a workload trace. A generated workload as long as the log of CEA Curie in
 * each of the formats, SWF also compressed with gzip; or a given file.
 */
#include <inttypes.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#include "bench/measure.h"
#include "sched/trace/trace.h"

#define REPEATS 5
#define CURIE_JOBS 312826
#define START 1700000000

static size_t held_bytes(void)
{
	struct mallinfo2 info = mallinfo2();

	return info.uordblks + info.hblkhd;
}

static struct made_job {		/* job number i: always the same */
	unsigned number, user, group, slots, run_s, limit_s, wait_s;
	uint64_t submit;
} made(unsigned i)
{
	uint32_t r = i * 2654435761u, q = (r ^ r >> 15) * 2246822519u;
	unsigned run_s = 1 + (q >> 8) % (1u << (r % 17));

	return (struct made_job){ 1 + i,    r >> 8 & 511,    r >> 8 & 63, 1u << (q & 7), run_s, (run_s / 900 + 1) * 900,
				  q % 7200, (uint64_t)i * 70 };
}

static void swf_write(FILE *file, unsigned jobs)
{
	fprintf(file, "; Version: 2.2\n; Computer: made up\n; UnixStartTime: %d\n; MaxProcs: 93312\n", START);
	for (unsigned i = 0; i < jobs; i++) {
		struct made_job job = made(i);

		fprintf(file, "%6u %8" PRIu64 " %6u %6u %4u     -1    -1 %4u %6u    -1  1 %3u %3u  -1 -1 %2u -1 -1\n",
			job.number, job.submit, job.wait_s, job.run_s, job.slots, job.slots, job.limit_s, job.user,
			job.group, i % 9 + 1);
	}
}

static void accounting_write(FILE *file, unsigned jobs)
{
	for (unsigned i = 0; i < jobs; i++) {
		struct made_job job = made(i);
		uint64_t start = START + job.submit + job.wait_s;

		fprintf(file,
			"all.q:node%u:g%u:user%u:job%u:%u:sge:0:%" PRIu64 ":%" PRIu64 ":%" PRIu64
			":0:0:%u:10.1:0.2:1234.0:0:0:0:0:100:0:0:0.0:0:0:0:0:5:6:"
			"project%u:defaultdepartment:%s:%u:0:10.3:0.1:0.01:-l h_rt=%u -pe mpi "
			"%u:0.0:NONE:1000000.0:0:0\n",
			i % 100, job.group, job.user, i % 1000, job.number, START + job.submit, start,
			start + job.run_s, job.run_s, job.group, job.slots > 1 ? "mpi" : "NONE", job.slots, job.limit_s,
			job.slots);
	}
}

static void date_write(FILE *file, uint64_t when)
{
	time_t t = (time_t)when;
	char text[32];
	struct tm tm;

	strftime(text, sizeof(text), "%FT%T", gmtime_r(&t, &tm));
	fprintf(file, "|%s", text);
}

static void sacct_write(FILE *file, unsigned jobs)
{
	fprintf(file,
		"JobID|User|Account|Partition|QOS|Submit|Start|End|Elapsed|Timelimit|ReqCPUS|AllocCPUS|ReqMem|State\n");
	for (unsigned i = 0; i < jobs; i++) {
		struct made_job job = made(i);
		uint64_t start = START + job.submit + job.wait_s;

		fprintf(file, "%u|user%u|project%u|batch|normal", job.number, job.user, job.group);
		date_write(file, START + job.submit);
		date_write(file, start);
		date_write(file, start + job.run_s);
		fprintf(file, "|%02u:%02u:%02u|%02u:%02u:%02u|%u|%u|4G|COMPLETED\n", job.run_s / 3600,
			job.run_s / 60 % 60, job.run_s % 60, job.limit_s / 3600, job.limit_s / 60 % 60,
			job.limit_s % 60, job.slots, job.slots);
	}
}

static void must(int rc, const char *words)
{
	if (rc) {
		fprintf(stderr, "traces: %s\n", words);
		exit(1);
	}
}

/* Measure one file, read to its end several times. */
static void measure(const char *path, const char *name)
{
	double ns[REPEATS];
	size_t held = 0;
	uint64_t jobs = 0;
	struct figure figure;
	struct stat is;

	must(stat(path, &is), path);
	for (int k = 0; k < REPEATS; k++) {
		size_t before = held_bytes();
		double begin = now_ns();
		struct error error = { "" };
		struct trace_job job;
		struct trace *trace;
		int rc = trace_open(&trace, path, NULL, &error);

		must(rc, error.text);
		while ((rc = trace_next(trace, &job, &error)) == 0)
			;
		must(rc < 0, error.text);
		ns[k] = now_ns() - begin;
		held = held_bytes() - before;
		jobs = trace_about(trace)->records;
		trace_close(trace);
	}
	must(jobs == 0, "no jobs");
	figure = figure_of(ns, REPEATS, (double)jobs);
	printf("{\"what\":\"traces\",\"file\":\"%s\",\"jobs\":%" PRIu64
	       ",\"bytes\":%lld,\"ms\":%.1f,\"ns_per_job\":%.1f,\"best_ns_per_job\":%.1f,"
	       "\"held_bytes\":%zu}\n",
	       name, jobs, (long long)is.st_size, figure.median * (double)jobs / 1e6, figure.median, figure.best, held);
	fflush(stdout);
}

static void compress_file(const char *from, const char *to)
{
	FILE *file = fopen(from, "re");
	gzFile gz = gzopen(to, "wbe");
	char bytes[65536];
	size_t n;

	must(!file || !gz, to);
	while ((n = fread(bytes, 1, sizeof(bytes), file)) > 0)
		must(gzwrite(gz, bytes, (unsigned)n) != (int)n, to);
	fclose(file);
	must(gzclose(gz) != Z_OK, to);
}

static void made_measure(unsigned jobs)
{
	static const struct {
		const char *name;
		void (*write)(FILE *file, unsigned jobs);
	} formats[] = {
		{ "swf", swf_write }, { "swf.gz", NULL }, { "accounting", accounting_write }, { "sacct", sacct_write }
	};
	char dir[BENCH_PATH], path[300], plain[300];

	must(bench_directory(dir), "a directory");
	setenv("TZ", "UTC", 1);
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, formats[i].name);
		if (formats[i].write) {
			FILE *file = fopen(path, "we");

			must(!file, path);
			formats[i].write(file, jobs);
			must(fclose(file), path);
		} else {
			snprintf(plain, sizeof(plain), "%s/swf", dir);
			compress_file(plain, path);
		}
		measure(path, formats[i].name);
	}
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, formats[i].name);
		unlink(path);
	}
	rmdir(dir);
}

int main(int argc, char **argv)
{
	unsigned jobs = argc == 3 && strcmp(argv[1], "--jobs") == 0 ? (unsigned)strtoul(argv[2], NULL, 10)
			: argc == 1				    ? CURIE_JOBS
								    : 0;

	if (argc == 3 && strcmp(argv[1], "--trace") == 0) {
		measure(argv[2], "given");
	} else if (jobs > 0) {
		made_measure(jobs);
	} else {
		fprintf(stderr, "usage: traces [--jobs N | --trace FILE]\n");
		return 2;
	}
	return 0;
}
