/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sched/process/log.h"
#include "sched/qmaster/local/inside.h"
#include "sched/qmaster/local/recover.h"
#include "sched/store/usage.h"
#include "sched/process/trust.h"

/*
 * A name that others have put there would have been put there before the directory was ours alone.
 * *sign: something has run here.
 */
static int active_check(struct local *l, char *sign, size_t size, struct error *error)
{
	int fd = openat(l->active_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc = 0;
	DIR *directory = fd < 0 ? NULL : fdopendir(fd);
	char path[sizeof(l->active_path) + NAME_MAX + 2];
	const struct dirent *entry;
	struct stat st;

	if (!directory)
		return error_set(error, -errno, "%.90s: %m", l->active_path);
	while (rc == 0 && (entry = readdir(directory))) {
		if (*entry->d_name == '.' || fstatat(l->active_fd, entry->d_name, &st, AT_SYMLINK_NOFOLLOW))
			continue;
		snprintf(path, sizeof(path), "%s/%s", l->active_path, entry->d_name);
		rc = trust_check(&st, path, TRUST_WRITE, error);
		snprintf(sign, size, "%s", path);
	}
	closedir(directory);
	return rc;
}

/* What stands in there is started, as whom it says: it must be nobody else's. */
static int state_open(struct local *l, struct error *error)
{
	char path[4200], sign[sizeof(l->active_path) + NAME_MAX + 2] = "";
	struct stat st;
	int rc;

	if (mkdirat(l->state_fd, "active_jobs", 0755) && errno != EEXIST)
		return error_set(error, -errno, "%.90s: %m", l->active_path);
	l->active_fd = rc = trust_openat(l->state_fd, l->state, "active_jobs", O_RDONLY | O_DIRECTORY, 0, TRUST_WRITE, error);
	if (rc < 0)
		return rc;
	snprintf(path, sizeof(path), "%s/fairlead.db", l->state);
	rc = active_check(l, sign, sizeof(sign), error);
	if (!*sign && fstatat(l->state_fd, "accounting", &st, AT_SYMLINK_NOFOLLOW) == 0 && st.st_size > 0)
		snprintf(sign, sizeof(sign), "%s/accounting", l->state);
	rc = rc ? rc : store_open_known(&l->store, path, *sign ? sign : NULL, error);
	return rc ? rc : accounting_open(l, error);
}

static int boot_read(struct local *l, struct error *error)
{
	FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
	bool read = file && fscanf(file, "%39s", l->boot) == 1;

	if (file)
		fclose(file);
	return read ? 0 : error_set(error, -EIO, "/proc/sys/kernel/random/boot_id can't be read");
}

static int attempt_read(struct local *l, struct error *error)
{
	char text[16] = "0";
	int rc = store_meta_get(l->store, "attempt", text, sizeof(text), error);

	l->attempt = (uint32_t)strtoul(text, NULL, 10);
	return rc == -ENOENT ? 0 : rc;
}

static int host_start(struct local *l, struct error *error)
{
	struct host_options options = HOST_OPTIONS;
	const char *reason;
	enum lever lever;
	int rc;

	options.force = l->options.lever;
	rc = host_open(&l->host, &options, error);
	if (rc)
		return rc;
	lever = host_lever(l->host, &reason);
	log_line(LOG_NOTE, "lever: %s, since %s", lever_name(lever), reason);
	return 0;
}

static int watch_open(struct local *l, struct error *error)
{
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = &l->ends };

	l->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	l->ends.fd = epoll_create1(EPOLL_CLOEXEC);
	if (l->epoll_fd < 0 || l->ends.fd < 0 || epoll_ctl(l->epoll_fd, EPOLL_CTL_ADD, l->ends.fd, &event))
		return error_set(error, -errno, "epoll: %m");
	return 0;
}

/* Beside this program, as in the build folder, or where it is installed. */
static char *shepherd_find(void)
{
	char self[4096], *path;
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (n < 0)
		return NULL;
	self[n] = '\0';
	*strrchr(self, '/') = '\0';
	if (asprintf(&path, "%s/fairlead-shepherd", self) < 0)
		return NULL;
	if (access(path, X_OK) == 0)
		return path;
	free(path);
	return asprintf(&path, "%s/../libexec/fairlead/fairlead-shepherd", self) < 0 ? NULL : path;
}

/* Absolute: jobs find their files below it from anywhere. */
static int places_find(struct local *l, struct error *error)
{
	char *state = NULL;
	int rc;

	l->shepherd = l->options.shepherd ? strdup(l->options.shepherd) : shepherd_find();
	l->cell = realpath(sched_cell(l->sched)->dir, NULL);
	if (!l->shepherd)
		return error_set(error, -ENOMEM, "out of memory");
	if (!l->cell)
		return error_set(error, -errno, "%.90s: %m", sched_cell(l->sched)->dir);
	if (access(l->shepherd, X_OK))
		return error_set(error, -errno, "%s: %m", l->shepherd);
	if (l->options.state ? !(state = strdup(l->options.state)) : asprintf(&state, "%s/spool", sched_cell(l->sched)->dir) < 0)
		return error_set(error, -ENOMEM, "out of memory");
	l->state_fd = rc = trust_make(state, error);
	if (rc >= 0) {
		l->state = realpath(state, NULL);	/* nobody else can make it lead elsewhere */
		rc = !l->state ? error_set(error, -errno, "%.90s: %m", state) : strlen(l->state) > 4000 ?
		     error_set(error, -ENAMETOOLONG, "%.80s...: longer than 4000 bytes", l->state) : 0;
	}
	if (rc == 0)
		snprintf(l->active_path, sizeof(l->active_path), "%s/active_jobs", l->state);
	free(state);
	return rc;
}

/*
 * Who writes there gives nobody root's rights, but decides who gets how much, and when jobs are
 * ended.
 */
static void cell_look(const struct local *l)
{
	struct error error = { "" };

	if (geteuid() == 0 && trust_survey(sched_cell(l->sched)->dir, "spool", &error) == -EPERM)
		log_line(LOG_ODD, "others than root may change this cell: %s", error.text);
}

/* One for each shepherd. */
static void descriptors_raise(struct local *l)
{
	struct rlimit wanted;

	if (getrlimit(RLIMIT_NOFILE, &l->descriptors))
		l->descriptors = (struct rlimit){ 1024, 1024 };
	wanted = (struct rlimit){ l->descriptors.rlim_max, l->descriptors.rlim_max };
	if (setrlimit(RLIMIT_NOFILE, &wanted))
		l->descriptors.rlim_max = l->descriptors.rlim_cur;
}

static int parts_open(struct local *l, struct error *error)
{
	const struct store_usage_options usage = { .history_days = l->options.retention_days };
	int rc = machine_look(&l->machine, sched_cell(l->sched), error);

	/* whatever ours was: jobs read their pe_hostfile, and users the accounting */
	umask(022);
	descriptors_raise(l);
	cell_look(l);
	rc = rc ? rc : suspension_look(l, error);
	rc = rc ? rc : watch_open(l, error);
	rc = rc ? rc : places_find(l, error);
	rc = rc ? rc : state_open(l, error);
	rc = rc ? rc : boot_read(l, error);
	rc = rc ? rc : attempt_read(l, error);
	rc = rc ? rc : store_usage_attach(l->store, sched_durable(l->sched), &usage, error);
	rc = rc ? rc : host_start(l, error);
	rc = rc ? rc : restored_attempts(l, error);
	rc = rc ? rc : recover(l, error);
	if (rc == 0 && l->accounting.restored >= 0)
		rc = restored_settle(l, l->accounting.restored, error);
	return rc ? rc : clients_open(l, error);
}

int local_open(struct qmaster **q, const struct qmaster_setup *setup, struct error *error)
{
	const struct local_options *options = setup->options;
	struct local *l = calloc(1, sizeof(*l));
	int rc;

	if (!l)
		return error_set(error, -ENOMEM, "out of memory");
	*l = (struct local){
		.qmaster.methods = &local_methods, .sched = setup->sched, .intake = setup->intake, .options = *options, .epoll_fd = -1,
		.state_fd = -1, .active_fd = -1, .due = { .look_ns = NEVER_NS, .spawn_ns = NEVER_NS, .levers_ns = NEVER_NS },
		.clients = { .watched = WATCHED_LISTENER, .listen_fd = -1 }, .accounting = { .fd = -1, .restored = -1 },
		.ends = { WATCHED_ENDS, -1 },
	};
	rc = parts_open(l, error);
	if (rc)
		local_close(l);
	else
		*q = &l->qmaster;
	return rc;
}

void local_close(struct local *l)
{
	struct error error = { "" };

	if (!l)
		return;
	/* the next one goes on with the same bits */
	if (l->ran_at && store_usage_save_all(l->store, l->ran_at, &error) == 0)
		store_commit(l->store, &error);
	clients_close(l);
	errands_close(l);
	local_tasks_free(&l->tasks);
	host_close(l->host);
	suspension_free(&l->instances);
	accounting_close(&l->accounting);
	footprints_free(&l->footprints);
	local_advances_free(&l->advances);
	values_destroy(&l->values);
	store_close(l->store);
	if (l->active_fd >= 0)
		close(l->active_fd);
	if (l->state_fd >= 0)
		close(l->state_fd);
	if (l->ends.fd >= 0)
		close(l->ends.fd);
	if (l->epoll_fd >= 0)
		close(l->epoll_fd);
	free(l->state);
	free(l->shepherd);
	free(l->cell);
	free(l);
}
