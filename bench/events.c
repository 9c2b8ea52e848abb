/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rate of event intake. `events [--jobs N] [--users N] [--schedd PROGRAM]` sends a snapshot of N
 * job_add events, as JSON lines of fairlead-events(5),
 *
 *     parse+apply   through the scheduler's own lines.c, events.c and mirror, in this process, from
 *                   a file in memory
 *     socket        with --schedd: to that program over a socket, up to its acknowledgement
 *
 * and prints one JSON line for each, the best of some repeats. Each repeat replaces the previous
 * snapshot.
 *
 * `events --write DIRECTORY [--jobs N] [--users N]` measures nothing. It writes the cell's files
 * into the empty directory and the lines to standard output.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/cell.h"
#include "bench/measure.h"
#include "sched/qmaster/json/events.h"
#include "sched/qmaster/json/lines.h"
#include "sched/sched.h"

#define MOST_JOBS 100000000
#define REPEATS 5
#define PATIENCE_S 120		/* limit for one acknowledgement */
#define NOW 1700000000

struct options {
	struct bench_shape shape;
	const char *schedd, *write;
};

/* The lines */

static void print_job(FILE *out, uint64_t seq, const struct job_spec *job)
{
	fprintf(out,
		"{\"seq\":%llu,\"event\":\"job_add\",\"job_number\":%u,\"owner\":\"%s\",\"department\":\"%s\","
		"\"job_name\":\"%s\","
		"\"submission_time\":%lld,\"priority\":%d,\"hard_resource_list\":\"%s\"",
		(unsigned long long)seq, job->job_number, job->owner, job->department, job->name,
		(long long)job->submission_time, job->priority, job->hard);
	if (job->given & JOB_PROJECT)
		fprintf(out, ",\"project\":\"%s\"", job->project);
	if (job->given & JOB_PE)
		fprintf(out, ",\"pe\":\"%s\",\"pe_range\":\"%s\"", job->pe, job->pe_range);
	fprintf(out, "}\n");
}

static uint64_t snapshot_events(const struct bench_shape *shape)
{
	return shape->jobs + 3;
}

/* Write a snapshot of shape->jobs jobs. Its events are numbered from `seq` on. */
static int snapshot_write(FILE *out, const struct bench_shape *shape, uint64_t seq)
{
	struct bench_jobs jobs;
	struct job_spec job;

	fprintf(out, "{\"seq\":%llu,\"event\":\"snapshot_begin\"}\n", (unsigned long long)seq++);
	fprintf(out, "{\"seq\":%llu,\"event\":\"queue_instance\",\"queue\":\"all.q@node\"}\n",
		(unsigned long long)seq++);
	bench_jobs_begin(&jobs, shape, NOW);
	while (jobs.n < shape->jobs) {
		bench_jobs_next(&jobs, &job);
		print_job(out, seq++, &job);
	}
	fprintf(out, "{\"seq\":%llu,\"event\":\"snapshot_end\"}\n", (unsigned long long)seq);
	return fflush(out) == 0 ? 0 : -EIO;
}

/*
 * Write a snapshot to a file in memory. Returns its descriptor, positioned at the beginning, or
 * -errno.
 */
static int snapshot_file(const struct bench_shape *shape, uint64_t seq)
{
	int fd = memfd_create("events", MFD_CLOEXEC), code = fd < 0 ? -errno : 0, copy = code == 0 ? dup(fd) : -1;
	FILE *out = copy >= 0 ? fdopen(copy, "w") : NULL;

	if (code == 0 && !out)
		code = -errno;
	if (code == 0)
		code = snapshot_write(out, shape, seq);
	if (out && fclose(out) != 0 && code == 0)
		code = -EIO;
	if (code == 0 && lseek(fd, 0, SEEK_SET) == 0)
		return fd;
	if (fd >= 0)
		close(fd);
	return code ? code : -EIO;
}

static void print_result(const char *path, const struct options *options, double ns, off_t bytes)
{
	double n = (double)snapshot_events(&options->shape);

	printf("{\"what\":\"events\",\"path\":\"%s\",\"jobs\":%zu,\"users\":%zu,\"per_second\":%.0f,"
	       "\"ns_per_event\":%.1f,"
	       "\"bytes_per_event\":%.1f}\n",
	       path, options->shape.jobs, options->shape.users, 1e9 * n / ns, ns / n, (double)bytes / n);
}

/* Parse and apply */

static void answer_take(void *context, const char *line, size_t length)
{
	bool *refused = context;

	*refused = true;
	fprintf(stderr, "events: %.*s", (int)length, line);
}

static int reload_refuse(void *context, struct error *error)
{
	(void)context;
	return error_set(error, -EINVAL, "there is nothing to reload here");
}

static void line_take(void *context, const char *line, size_t length)
{
	events_line(context, line, length);
}

static void long_line_take(void *context, const char *beginning, size_t length)
{
	events_long_line(context, beginning, length);
}

static int file_take_in(int fd, struct events *events)
{
	const struct lines_calls calls = { .context = events, .line = line_take, .long_line = long_line_take };
	struct lines lines;
	ssize_t n = lines_create(&lines);

	if (n == 0)
		do
			n = lines_read(&lines, fd, false, &calls);
		while (n > 0);
	lines_destroy(&lines);
	return (int)n;
}

static int measure_apply(struct sched *sched, const struct options *options)
{
	bool refused = false;
	struct intake intake = { .mirror = sched_mirror(sched), .reload = reload_refuse };
	struct events events = { .intake = &intake, .context = &refused, .answer = answer_take };
	double best = 0;
	off_t bytes = 0;
	int code = 0;

	for (int i = 0; code == 0 && i < REPEATS; i++) {
		int fd = snapshot_file(&options->shape, events.last + 1);
		double begin = now_ns(), took;

		if (fd < 0)
			return fd;
		code = file_take_in(fd, &events);
		took = now_ns() - begin;
		if (code == 0 && (refused || !events.acknowledge))
			code = -EPROTO;
		if (i == 0 || took < best)
			best = took;
		events.acknowledge = false;
		bytes = lseek(fd, 0, SEEK_END);
		close(fd);
	}
	if (code == 0)
		print_result("parse+apply", options, best, bytes);
	events_destroy(&events);
	return code;
}

/* A scheduler at the other end of a socket */

/* Start the scheduler. The kernel kills it when this process ends, whatever the cause. */
static int schedd_start(const char *program, const char *cell, int theirs, pid_t *pid)
{
	char source[32];

	snprintf(source, sizeof(source), "fd:%d", theirs);
	*pid = fork();
	if (*pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		execl(program, program, "-c", cell, "--events", source, (char *)NULL);
		perror(program);
		_exit(127);
	}
	return *pid < 0 ? -errno : 0;
}

static int file_send(int fd, int to)
{
	ssize_t n;

	do
		n = sendfile(to, fd, NULL, 1 << 20);
	while (n > 0 || (n < 0 && errno == EINTR));
	return n < 0 ? -errno : 0;
}

/* Read until {"answer":"ack","seq":N} with this number. */
static int acknowledgement_wait(int fd, uint64_t seq)
{
	char wanted[64], buffer[4096];
	size_t used = 0;
	ssize_t n;

	snprintf(wanted, sizeof(wanted), "{\"answer\":\"ack\",\"seq\":%llu}\n", (unsigned long long)seq);
	while ((n = recv(fd, buffer + used, sizeof(buffer) - 1 - used, 0)) > 0) {
		used += (size_t)n;
		buffer[used] = '\0';
		if (strstr(buffer, "\"error\"")) {
			fprintf(stderr, "events: the scheduler answered %s", buffer);
			return -EPROTO;
		}
		if (strstr(buffer, wanted))
			return 0;
		/* drop whole acknowledgements of lower numbers; the last one may be truncated */
		if (used > sizeof(buffer) / 2) {
			memmove(buffer, buffer + used - sizeof(wanted), sizeof(wanted));
			used = sizeof(wanted);
		}
	}
	return n == 0 ? -EPIPE : errno == EAGAIN ? -ETIMEDOUT : -errno;
}

static int snapshot_send(const struct bench_shape *shape, int to, uint64_t *seq, double *ns, off_t *bytes)
{
	int fd = snapshot_file(shape, *seq + 1), code;
	double begin = now_ns();

	if (fd < 0)
		return fd;
	*seq += snapshot_events(shape);
	code = file_send(fd, to);
	if (code == 0)
		code = acknowledgement_wait(to, *seq);
	*ns = now_ns() - begin;
	*bytes = lseek(fd, 0, SEEK_END);
	close(fd);
	return code;
}

/*
 * Measure snapshots. The first one is small and not counted, because the scheduler is still reading
 * its configuration.
 */
static int snapshots_measure(const struct options *options, int to)
{
	struct bench_shape small = options->shape;
	double best = 0, took;
	uint64_t seq = 0;
	off_t bytes;
	int code;

	small.jobs = 1;
	code = snapshot_send(&small, to, &seq, &took, &bytes);
	for (int i = 0; code == 0 && i < REPEATS; i++) {
		code = snapshot_send(&options->shape, to, &seq, &took, &bytes);
		if (i == 0 || took < best)
			best = took;
	}
	if (code == 0)
		print_result("socket", options, best, bytes);
	return code;
}

static int measure_socket(const struct options *options, const char *cell)
{
	const struct timeval patience = { .tv_sec = PATIENCE_S };
	int ends[2], code;
	pid_t pid = -1;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
		return -errno;
	if (setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) != 0 ||
	    setsockopt(ends[0], SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience)) != 0)
		code = -errno;
	else if (fcntl(ends[0], F_SETFD, FD_CLOEXEC) != 0)
		code = -errno;
	else
		code = schedd_start(options->schedd, cell, ends[1], &pid);
	close(ends[1]);
	if (code == 0) {
		code = snapshots_measure(options, ends[0]);
		kill(pid, SIGTERM);
		waitpid(pid, NULL, 0);
	}
	close(ends[0]);
	return code;
}

/* The program */

static int measure_in_process(const struct options *options, const char *cell)
{
	const struct segment_options defaults = { .group = -1 };
	struct report report = { 0 };
	struct error error = { "" };
	struct sched *sched = NULL;
	int code = sched_create(&sched, cell, &defaults, &report, &error);

	if (code == 0) {
		code = measure_apply(sched, options);
	} else {
		report_print(&report, stderr);
		fprintf(stderr, "events: %s\n", error.text);
	}
	sched_destroy(sched);
	report_free(&report);
	return code;
}

static void segment_remove(const char *cell)
{
	struct segment_paths paths;

	if (segment_paths(&paths, cell) == 0) {
		unlink(paths.state);
		unlink(paths.lock);
		rmdir(paths.directory);
	}
}

static int measure(const struct options *options)
{
	char cell[BENCH_PATH];
	int code = bench_directory(cell);

	if (code)
		return code;
	code = bench_cell_write(cell, &options->shape);
	if (code == 0)
		code = measure_in_process(options, cell);
	if (code == 0 && options->schedd)
		code = measure_socket(options, cell);
	segment_remove(cell);
	bench_cell_remove(cell);
	return code;
}

static int write_all(const struct options *options)
{
	int code = bench_cell_write(options->write, &options->shape);

	return code ? code : snapshot_write(stdout, &options->shape, 1);
}

static int parse(int argc, char **argv, struct options *options)
{
	static const struct option names[] = {
		{ "jobs", 1, 0, 'j' }, { "users", 1, 0, 'u' }, { "schedd", 1, 0, 's' }, { "write", 1, 0, 'w' }, { 0 }
	};

	*options = (struct options){ .shape = { .jobs = 200000, .users = 1000, .seed = 1 } };
	for (int c; (c = getopt_long(argc, argv, "", names, NULL)) != -1; ) {
		if (c == 'j')
			options->shape.jobs = strtoull(optarg, NULL, 10);
		else if (c == 'u')
			options->shape.users = strtoull(optarg, NULL, 10);
		else if (c == 's')
			options->schedd = optarg;
		else if (c == 'w')
			options->write = optarg;
		else
			return -EINVAL;
	}
	return optind == argc && options->shape.jobs > 0 && options->shape.jobs <= MOST_JOBS &&
			       options->shape.users > 0 && options->shape.users <= MOST_JOBS
		       ? 0
		       : -EINVAL;
}

int main(int argc, char **argv)
{
	struct options options;
	int code;

	if (parse(argc, argv, &options) != 0) {
		fprintf(stderr, "usage: events [--jobs N] [--users N] [--schedd PROGRAM | --write DIRECTORY]\n");
		return 2;
	}
	signal(SIGPIPE, SIG_IGN);	/* the end of a scheduler is then reported as an error */
	code = options.write ? write_all(&options) : measure(&options);
	if (code != 0)
		fprintf(stderr, "events: %s\n", strerror(-code));
	return code == 0 && fflush(stdout) == 0 ? 0 : 1;
}
