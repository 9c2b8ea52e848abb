/* SPDX-License-Identifier: Apache-2.0 */
/*
 * accounting(5): one line for each task that has ended, written once.
 *
 * The store has the length of the file at the last committed transaction with lines. Later content
 * was written by an uncommitted transaction and is cut off. An administrator may move the file away
 * to begin a new one.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sched/process/log.h"
#include "sched/qmaster/local/category.h"
#include "sched/qmaster/local/ending.h"
#include "sched/qmaster/local/inside.h"
#include "sched/qmaster/local/launch.h"
#include "sched/qmaster/local/recover.h"
#include "sched/process/trust.h"

/* File */

static int open_file(struct local *local, struct error *error)
{
	int fd = trust_openat(local->state_fd, local->state, "accounting", O_RDWR | O_CREAT, 0644, TRUST_WRITE, error);
	struct stat is;

	if (fd < 0)
		return fd;
	if (fstat(fd, &is)) {
		close(fd);
		return error_set(error, -EIO, "cannot inspect %.90s/accounting", local->state);
	}
	if (local->accounting.fd >= 0)
		close(local->accounting.fd);
	local->accounting.fd = fd;
	/* a different file from the one in the store */
	if (is.st_ino != local->accounting.inode || is.st_size < local->accounting.end)
		local->accounting.end = is.st_size;
	local->accounting.inode = is.st_ino;
	return 0;
}

static int place_keep(struct local *local, int64_t end, struct error *error)
{
	char text[64];

	snprintf(text, sizeof(text), "%" PRIu64 " %" PRId64, local->accounting.inode, end);
	return store_meta_put(local->store, "accounting", text, error);
}

/* Cut off uncommitted lines. Lines that a restored store does not know are kept. */
static int end_settle(struct local *local, struct error *error)
{
	struct accounting *accounting = &local->accounting;
	int64_t size = lseek(accounting->fd, 0, SEEK_END);
	bool older = false;
	int rc = size > accounting->end ? restored_look(local, accounting->end, &older, error) : 0;

	accounting->restored = older ? accounting->end : -1;
	if (rc == 0 && older)
		accounting->end = size;
	else if (rc == 0 && ftruncate(accounting->fd, accounting->end))
		rc = error_set(error, -errno, "%s/accounting: %m", local->state);
	return rc;
}

int accounting_open(struct local *local, struct error *error)
{
	struct accounting *accounting = &local->accounting;
	char text[64] = "";
	uint64_t inode = 0;
	int64_t end = 0;
	int rc = store_meta_get(local->store, "accounting", text, sizeof(text), error);

	if (rc && rc != -ENOENT)
		return rc;
	if (asprintf(&accounting->path, "%s/accounting", local->state) < 0) {
		accounting->path = NULL;
		return error_set(error, -ENOMEM, "out of memory");
	}
	if (sscanf(text, "%" SCNu64 " %" SCNd64, &inode, &end) == 2) {
		accounting->inode = inode;
		accounting->end = end;
	}
	rc = open_file(local, error);
	if (rc == 0)
		rc = end_settle(local, error);
	if (rc == 0)
		rc = restored_numbers(local, accounting->end, error);
	if (rc == 0)
		rc = place_keep(local, accounting->end, error);
	return rc ? rc : store_commit(local->store, error);
}

void accounting_close(struct accounting *accounting)
{
	if (accounting->fd >= 0)
		close(accounting->fd);
	free(accounting->text);
	free(accounting->path);
}

int accounting_write(struct local *local, struct error *error)
{
	struct accounting *accounting = &local->accounting;
	struct stat is;
	ssize_t n;

	if (accounting->used == 0)
		return 0;
	/* the file was emptied */
	if (fstat(accounting->fd, &is) == 0 && is.st_size < accounting->end)
		accounting->end = is.st_size;
	errno = ENOSPC;
	n = pwrite(accounting->fd, accounting->text, accounting->used, accounting->end);
	if (n != (ssize_t)accounting->used || fdatasync(accounting->fd))
		return error_set(error, -errno, "%s/accounting: %m", local->state);
	return place_keep(local, accounting->end + (int64_t)accounting->used, error);
}

void accounting_undo(struct local *local)
{
	local->accounting.used = 0;
	(void)!ftruncate(local->accounting.fd, local->accounting.end);
}

/*
 * Switch to a new file if the old one was moved away. This is done between two transactions, so
 * that the store never has less than the file contains. The last lines are still in the moved file.
 */
static void follow(struct local *local)
{
	struct error error = { "" };
	struct stat is;
	int rc;

	if (fstatat(local->state_fd, "accounting", &is, AT_SYMLINK_NOFOLLOW) == 0 &&
	    is.st_ino == local->accounting.inode)
		return;
	rc = open_file(local, &error);
	if (rc == 0)
		rc = place_keep(local, local->accounting.end, &error);
	if (rc == 0)
		rc = store_commit(local->store, &error);
	if (rc)
		log_line(LOG_ODD, "cannot begin a new accounting file: %s", error.text);
}

void accounting_settled(struct local *local)
{
	if (local->accounting.used == 0)
		return;
	local->accounting.end += (int64_t)local->accounting.used;
	local->accounting.used = 0;
	follow(local);
}

/* Lines */

/* Write a field without colons and newlines. */
static void field(FILE *line, const char *text)
{
	for (const char *c = text; *c; c++)
		fputc(*c == ':' || *c == '\n' ? '_' : *c, line);
	fputc(':', line);
}

static void line_write(FILE *line, const struct local *local, const struct local_task *task,
		       const struct local_job *job, const struct attempt_exit *exit)
{
	const struct attempt_usage *usage = &exit->usage;
	const char *instance = local_task_queue(task);
	char queue[600];

	snprintf(queue, sizeof(queue), "%.*s", (int)strcspn(instance, "@"), instance);
	field(line, queue);
	field(line, local->machine.host);
	field(line, job->group);
	field(line, job->owner);
	field(line, job_name(job));
	fprintf(line, "%u:", job->number);
	field(line, job_text(job->request.spec.account, "sge"));
	fprintf(line, "%d:%" PRId64 ":%" PRId64 ":%" PRId64 ":%d:%d:", local_task_nice(local, task),
		job->submission_time, (int64_t)exit->start_time, (int64_t)exit->end_time, (int)ending_failed(exit),
		exit->exit_status);
	fprintf(line, "%.0f:%f:%f:%f:%.0f:%.0f:%.0f:%.0f:%.0f:%.0f:%.0f:", usage->ru_wallclock, usage->ru_utime,
		usage->ru_stime, usage->ru_maxrss, usage->ru_ixrss, usage->ru_ismrss, usage->ru_idrss, usage->ru_isrss,
		usage->ru_minflt, usage->ru_majflt, usage->ru_nswap);
	fprintf(line, "%f:%.0f:%.0f:%.0f:%.0f:%.0f:%.0f:", usage->ru_inblock, usage->ru_oublock, usage->ru_msgsnd,
		usage->ru_msgrcv, usage->ru_nsignals, usage->ru_nvcsw, usage->ru_nivcsw);
	field(line, job_text(job->request.spec.project, "NONE"));
	field(line, cell_department_of(sched_cell(local->sched), job->owner));
	field(line, task->granted.pe ? task->granted.pe : "NONE");
	fprintf(line, "%u:%u:%f:%f:%f:", local_task_slots(task), task->is_array ? task->id : 0, usage->cpu_s,
		usage->mem_gbs, usage->io_gb);
	category_write(line, sched_cell(local->sched), job);
	fprintf(line, ":%f:NONE:%f:0:0\n", 0.0, usage->maxvmem_bytes);
}

int accounting_add(struct local *local, const struct local_task *task, const struct local_job *job,
		   const struct attempt_exit *exit, struct error *error)
{
	struct accounting *accounting = &local->accounting;
	char *text = NULL, *more;
	size_t length = 0;
	FILE *line = open_memstream(&text, &length);

	if (!line)
		return error_set(error, -ENOMEM, "out of memory");
	line_write(line, local, task, job, exit);
	if (fclose(line) || !(more = realloc(accounting->text, accounting->used + length))) {
		free(text);
		return error_set(error, -ENOMEM, "out of memory");
	}
	memcpy(more + accounting->used, text, length);
	accounting->text = more;
	accounting->used += length;
	free(text);
	return 0;
}

/* Reading */

#define FIELDS 36		/* up to the task */

/* Split a line into its fields. Returns false if there are too few. */
static bool line_split(char *line, char *fields[FIELDS])
{
	for (size_t i = 0; i < FIELDS; i++)
		if (!(fields[i] = strsep(&line, ":")))
			return false;
	return line != NULL;
}

static void line_take(char *line, ended_take *take, void *context)
{
	char *fields[FIELDS];

	if (line_split(line, fields))
		take(context, &(struct ended_line){ .job_number = (uint32_t)strtoul(fields[5], NULL, 10),
						    .submission_time = strtoll(fields[8], NULL, 10),
						    .owner = fields[3],
						    .failed = (enum attempt_failed)atoi(fields[11]),
						    .exit_status = atoi(fields[12]),
						    .task = (uint32_t)strtoul(fields[35], NULL, 10) });
}

int accounting_lines(const struct local *local, int64_t from, ended_take *take, void *context)
{
	int fd = fcntl(local->accounting.fd, F_DUPFD_CLOEXEC, 0), rc;
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
	char *line = NULL;
	size_t size = 0;
	ssize_t n;
	bool whole = true;

	if (!file) {
		if (fd >= 0)
			close(fd);
		return -ENOMEM;
	}
	/* skip the end of the preceding line */
	rc = fseeko(file, from > 0 ? from - 1 : 0, SEEK_SET) || (from > 0 && getline(&line, &size, file) < 0) ? -EIO
													      : 0;
	while (rc == 0 && whole && (n = getline(&line, &size, file)) > 0) {
		whole = line[n - 1] == '\n';
		if (whole)
			line_take(line, take, context);
	}
	rc = ferror(file) ? -EIO : rc;
	free(line);
	fclose(file);
	return rc;
}

struct finding_lines {
	uint32_t job_number;
	ended_take *take;
	void *context;
};

static void line_find(void *context, const struct ended_line *line)
{
	const struct finding_lines *finding = context;

	if (line->job_number == finding->job_number)
		finding->take(finding->context, line);
}

int accounting_find(const struct local *local, uint32_t job_number, ended_take *take, void *context)
{
	struct finding_lines finding = { job_number, take, context };
	int64_t end = local->accounting.end;

	return accounting_lines(local, end > ACCOUNTING_LOOK_BYTES ? end - ACCOUNTING_LOOK_BYTES : 0, line_find,
				&finding);
}
