/* SPDX-License-Identifier: Apache-2.0 */
/*
 * accounting(5): one line for each task that has ended, once. The store knows how long the file was
 * when the last transaction that has lines in it was committed: what stands behind that was written
 * by one that was not, and is cut off. Somebody may move the file away to begin a new one.
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

/* The file */

static int open_file(struct local *l, struct error *error)
{
	int fd = trust_openat(l->state_fd, l->state, "accounting", O_RDWR | O_CREAT, 0644, TRUST_WRITE, error);
	struct stat is;

	if (fd < 0)
		return fd;
	if (fstat(fd, &is)) {
		close(fd);
		return error_set(error, -EIO, "%.90s/accounting can't be looked at", l->state);
	}
	if (l->accounting.fd >= 0)
		close(l->accounting.fd);
	l->accounting.fd = fd;
	/* another file than that of which the store knows */
	if (is.st_ino != l->accounting.inode || is.st_size < l->accounting.end)
		l->accounting.end = is.st_size;
	l->accounting.inode = is.st_ino;
	return 0;
}

static int place_keep(struct local *l, int64_t end, struct error *error)
{
	char text[64];

	snprintf(text, sizeof(text), "%" PRIu64 " %" PRId64, l->accounting.inode, end);
	return store_meta_put(l->store, "accounting", text, error);
}

/* What was not committed is cut off; what a store that was restored does not know is kept. */
static int end_settle(struct local *l, struct error *error)
{
	struct accounting *a = &l->accounting;
	int64_t size = lseek(a->fd, 0, SEEK_END);
	bool older = false;
	int rc = size > a->end ? restored_look(l, a->end, &older, error) : 0;

	a->restored = older ? a->end : -1;
	if (rc == 0 && older)
		a->end = size;
	else if (rc == 0 && ftruncate(a->fd, a->end))
		rc = error_set(error, -errno, "%s/accounting: %m", l->state);
	return rc;
}

int accounting_open(struct local *l, struct error *error)
{
	struct accounting *a = &l->accounting;
	char text[64] = "";
	uint64_t inode = 0;
	int64_t end = 0;
	int rc = store_meta_get(l->store, "accounting", text, sizeof(text), error);

	if (rc && rc != -ENOENT)
		return rc;
	if (asprintf(&a->path, "%s/accounting", l->state) < 0) {
		a->path = NULL;
		return error_set(error, -ENOMEM, "out of memory");
	}
	if (sscanf(text, "%" SCNu64 " %" SCNd64, &inode, &end) == 2) {
		a->inode = inode;
		a->end = end;
	}
	rc = open_file(l, error);
	if (rc == 0)
		rc = end_settle(l, error);
	if (rc == 0)
		rc = restored_numbers(l, a->end, error);
	if (rc == 0)
		rc = place_keep(l, a->end, error);
	return rc ? rc : store_commit(l->store, error);
}

void accounting_close(struct accounting *a)
{
	if (a->fd >= 0)
		close(a->fd);
	free(a->text);
	free(a->path);
}

int accounting_write(struct local *l, struct error *error)
{
	struct accounting *a = &l->accounting;
	struct stat is;
	ssize_t n;

	if (a->used == 0)
		return 0;
	if (fstat(a->fd, &is) == 0 && is.st_size < a->end)	/* somebody has emptied it */
		a->end = is.st_size;
	errno = ENOSPC;
	n = pwrite(a->fd, a->text, a->used, a->end);
	if (n != (ssize_t)a->used || fdatasync(a->fd))
		return error_set(error, -errno, "%s/accounting: %m", l->state);
	return place_keep(l, a->end + (int64_t)a->used, error);
}

void accounting_undo(struct local *l)
{
	l->accounting.used = 0;
	(void)!ftruncate(l->accounting.fd, l->accounting.end);
}

/*
 * Between two transactions: the store never knows of a file less than stands in it. What was
 * written last is still in the one that was moved.
 */
static void follow(struct local *l)
{
	struct error error = { "" };
	struct stat is;
	int rc;

	if (fstatat(l->state_fd, "accounting", &is, AT_SYMLINK_NOFOLLOW) == 0 && is.st_ino == l->accounting.inode)
		return;
	rc = open_file(l, &error);
	if (rc == 0)
		rc = place_keep(l, l->accounting.end, &error);
	if (rc == 0)
		rc = store_commit(l->store, &error);
	if (rc)
		log_line(LOG_ODD, "a new accounting file could not be begun: %s", error.text);
}

void accounting_settled(struct local *l)
{
	if (l->accounting.used == 0)
		return;
	l->accounting.end += (int64_t)l->accounting.used;
	l->accounting.used = 0;
	follow(l);
}

/* A line */

/* No field has a colon or the end of a line in it. */
static void field(FILE *line, const char *text)
{
	for (const char *c = text; *c; c++)
		fputc(*c == ':' || *c == '\n' ? '_' : *c, line);
	fputc(':', line);
}

static void line_write(FILE *line, const struct local *l, const struct local_task *t, const struct local_job *job, const struct attempt_exit *exit)
{
	const struct attempt_usage *u = &exit->usage;
	const char *instance = local_task_queue(t);
	char queue[600];

	snprintf(queue, sizeof(queue), "%.*s", (int)strcspn(instance, "@"), instance);
	field(line, queue);
	field(line, l->machine.host);
	field(line, job->group);
	field(line, job->owner);
	field(line, job_name(job));
	fprintf(line, "%u:", job->number);
	field(line, job_text(job, "account", "sge"));
	fprintf(line, "%d:%" PRId64 ":%" PRId64 ":%" PRId64 ":%d:%d:", local_task_nice(l, t), job->submission_time, (int64_t)exit->start_time,
		(int64_t)exit->end_time, (int)ending_failed(exit), exit->exit_status);
	fprintf(line, "%.0f:%f:%f:%f:%.0f:%.0f:%.0f:%.0f:%.0f:%.0f:%.0f:", u->ru_wallclock, u->ru_utime, u->ru_stime, u->ru_maxrss, u->ru_ixrss,
		u->ru_ismrss, u->ru_idrss, u->ru_isrss, u->ru_minflt, u->ru_majflt, u->ru_nswap);
	fprintf(line, "%f:%.0f:%.0f:%.0f:%.0f:%.0f:%.0f:", u->ru_inblock, u->ru_oublock, u->ru_msgsnd, u->ru_msgrcv, u->ru_nsignals, u->ru_nvcsw,
		u->ru_nivcsw);
	field(line, job_text(job, "project", "NONE"));
	field(line, cell_department_of(sched_cell(l->sched), job->owner));
	field(line, t->granted.pe ? t->granted.pe : "NONE");
	fprintf(line, "%u:%u:%f:%f:%f:", local_task_slots(t), t->is_array ? t->id : 0, u->cpu_s, u->mem_gbs, u->io_gb);
	category_write(line, sched_cell(l->sched), job);
	fprintf(line, ":%f:NONE:%f:0:0\n", 0.0, u->maxvmem_bytes);
}

int accounting_add(struct local *l, const struct local_task *t, const struct local_job *job, const struct attempt_exit *exit, struct error *error)
{
	struct accounting *a = &l->accounting;
	char *text = NULL, *more;
	size_t length = 0;
	FILE *line = open_memstream(&text, &length);

	if (!line)
		return error_set(error, -ENOMEM, "out of memory");
	line_write(line, l, t, job, exit);
	if (fclose(line) || !(more = realloc(a->text, a->used + length))) {
		free(text);
		return error_set(error, -ENOMEM, "out of memory");
	}
	memcpy(more + a->used, text, length);
	a->text = more;
	a->used += length;
	free(text);
	return 0;
}

/* What was written */

#define FIELDS 36		/* up to the task */

/* A line's fields; false: it has too few. */
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
		take(context, &(struct ended_line){
			.job_number = (uint32_t)strtoul(fields[5], NULL, 10), .submission_time = strtoll(fields[8], NULL, 10), .owner = fields[3],
			.failed = (enum attempt_failed)atoi(fields[11]), .exit_status = atoi(fields[12]), .task = (uint32_t)strtoul(fields[35], NULL, 10) });
}

int accounting_lines(const struct local *l, int64_t from, ended_take *take, void *context)
{
	int fd = fcntl(l->accounting.fd, F_DUPFD_CLOEXEC, 0), rc;
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
	/* the end of the one before */
	rc = fseeko(file, from > 0 ? from - 1 : 0, SEEK_SET) || (from > 0 && getline(&line, &size, file) < 0) ? -EIO : 0;
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

int accounting_find(const struct local *l, uint32_t job_number, ended_take *take, void *context)
{
	struct finding_lines finding = { job_number, take, context };
	int64_t end = l->accounting.end;

	return accounting_lines(l, end > ACCOUNTING_LOOK_BYTES ? end - ACCOUNTING_LOOK_BYTES : 0, line_find, &finding);
}
