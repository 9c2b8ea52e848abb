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
 * Check the entries of active_jobs. Other users could have made entries before the directory was
 * restricted. *sign: path of an entry, which shows that tasks have run here.
 */
static int active_check(struct local *local, char *sign, size_t size, struct error *error)
{
	int fd = openat(local->active_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc = 0;
	DIR *directory = fd < 0 ? NULL : fdopendir(fd);
	char path[sizeof(local->active_path) + NAME_MAX + 2];
	const struct dirent *entry;
	struct stat st;

	if (!directory)
		return error_set(error, -errno, "%.90s: %m", local->active_path);
	while (rc == 0 && (entry = readdir(directory))) {
		if (*entry->d_name == '.' || fstatat(local->active_fd, entry->d_name, &st, AT_SYMLINK_NOFOLLOW))
			continue;
		snprintf(path, sizeof(path), "%s/%s", local->active_path, entry->d_name);
		rc = trust_check(&st, path, TRUST_WRITE, error);
		snprintf(sign, size, "%s", path);
	}
	closedir(directory);
	return rc;
}

/*
 * Open the files of the cell. Commands in active_jobs are run as the users named there, so no other
 * user may have made the files.
 */
static int state_open(struct local *local, struct error *error)
{
	char path[4200], sign[sizeof(local->active_path) + NAME_MAX + 2] = "";
	struct stat st;
	int rc;

	if (mkdirat(local->state_fd, "active_jobs", 0755) && errno != EEXIST)
		return error_set(error, -errno, "%.90s: %m", local->active_path);
	local->active_fd = rc = trust_openat(local->state_fd, local->state, "active_jobs", O_RDONLY | O_DIRECTORY, 0,
					     TRUST_WRITE, error);
	if (rc < 0)
		return rc;
	snprintf(path, sizeof(path), "%s/fairlead.db", local->state);
	rc = active_check(local, sign, sizeof(sign), error);
	if (!*sign && fstatat(local->state_fd, "accounting", &st, AT_SYMLINK_NOFOLLOW) == 0 && st.st_size > 0)
		snprintf(sign, sizeof(sign), "%s/accounting", local->state);
	rc = rc ? rc : store_open_known(&local->store, path, *sign ? sign : NULL, error);
	return rc ? rc : accounting_open(local, error);
}

static int boot_read(struct local *local, struct error *error)
{
	FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
	bool read = file && fscanf(file, "%39s", local->boot) == 1;

	if (file)
		fclose(file);
	return read ? 0 : error_set(error, -EIO, "cannot read /proc/sys/kernel/random/boot_id");
}

static int attempt_read(struct local *local, struct error *error)
{
	char text[16] = "0";
	int rc = store_meta_get(local->store, "attempt", text, sizeof(text), error);

	local->attempt = (uint32_t)strtoul(text, NULL, 10);
	return rc == -ENOENT ? 0 : rc;
}

static int host_start(struct local *local, struct error *error)
{
	struct host_options options = HOST_OPTIONS;
	const char *reason;
	enum lever lever;
	int rc;

	options.force = local->options.lever;
	rc = host_open(&local->host, &options, error);
	if (rc)
		return rc;
	lever = host_lever(local->host, &reason);
	log_line(LOG_NOTE, "CPU control mechanism: %s (%s)", lever_name(lever), reason);
	return 0;
}

static int watch_open(struct local *local, struct error *error)
{
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = &local->ends };

	local->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	local->ends.fd = epoll_create1(EPOLL_CLOEXEC);
	if (local->epoll_fd < 0 || local->ends.fd < 0 ||
	    epoll_ctl(local->epoll_fd, EPOLL_CTL_ADD, local->ends.fd, &event))
		return error_set(error, -errno, "epoll: %m");
	return 0;
}

/* Find the shepherd beside this program, as in the build directory, or where it is installed. */
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

/* Find the paths of the cell. They are absolute, because jobs use them from any directory. */
static int places_find(struct local *local, struct error *error)
{
	char *state = NULL;
	int rc;

	local->shepherd = local->options.shepherd ? strdup(local->options.shepherd) : shepherd_find();
	local->cell = realpath(sched_cell(local->sched)->dir, NULL);
	if (!local->shepherd)
		return error_set(error, -ENOMEM, "out of memory");
	if (!local->cell)
		return error_set(error, -errno, "%.90s: %m", sched_cell(local->sched)->dir);
	if (access(local->shepherd, X_OK))
		return error_set(error, -errno, "%s: %m", local->shepherd);
	if (local->options.state ? !(state = strdup(local->options.state))
				 : asprintf(&state, "%s/spool", sched_cell(local->sched)->dir) < 0)
		return error_set(error, -ENOMEM, "out of memory");
	local->state_fd = rc = trust_make(state, error);
	if (rc >= 0) {
		/* no other user can change where it leads */
		local->state = realpath(state, NULL);
		rc = !local->state ? error_set(error, -errno, "%.90s: %m", state) : strlen(local->state) > 4000 ?
		     error_set(error, -ENAMETOOLONG, "%.80s...: longer than 4000 bytes", local->state) : 0;
	}
	if (rc == 0)
		snprintf(local->active_path, sizeof(local->active_path), "%s/active_jobs", local->state);
	free(state);
	return rc;
}

/*
 * Log whether users other than root can change the cell. They do not get root's rights, but can
 * change shares and end jobs.
 */
static void cell_look(const struct local *local)
{
	struct error error = { "" };

	if (geteuid() == 0 && trust_survey(sched_cell(local->sched)->dir, "spool", &error) == -EPERM)
		log_line(LOG_ODD, "users other than root can change this cell: %s", error.text);
}

/* Raise the limit of descriptors: each shepherd needs one. */
static void descriptors_raise(struct local *local)
{
	struct rlimit wanted;

	if (getrlimit(RLIMIT_NOFILE, &local->descriptors))
		local->descriptors = (struct rlimit){ 1024, 1024 };
	wanted = (struct rlimit){ local->descriptors.rlim_max, local->descriptors.rlim_max };
	if (setrlimit(RLIMIT_NOFILE, &wanted))
		local->descriptors.rlim_max = local->descriptors.rlim_cur;
}

static int parts_open(struct local *local, struct error *error)
{
	const struct store_usage_options usage = { .history_days = local->options.retention_days };
	int rc = machine_look(&local->machine, sched_cell(local->sched), error);

	/* regardless of our umask: jobs read their pe_hostfile, and users the accounting */
	umask(022);
	descriptors_raise(local);
	cell_look(local);
	rc = rc ? rc : suspension_look(local, error);
	rc = rc ? rc : watch_open(local, error);
	rc = rc ? rc : places_find(local, error);
	rc = rc ? rc : state_open(local, error);
	rc = rc ? rc : boot_read(local, error);
	rc = rc ? rc : attempt_read(local, error);
	rc = rc ? rc : store_usage_attach(local->store, sched_durable(local->sched), &usage, error);
	rc = rc ? rc : host_start(local, error);
	rc = rc ? rc : restored_attempts(local, error);
	rc = rc ? rc : recover(local, error);
	if (rc == 0 && local->accounting.restored >= 0)
		rc = restored_settle(local, local->accounting.restored, error);
	return rc ? rc : clients_open(local, error);
}

int local_open(struct qmaster **qmaster, const struct qmaster_setup *setup, struct error *error)
{
	const struct local_options *options = setup->options;
	struct local *local = calloc(1, sizeof(*local));
	int rc;

	if (!local)
		return error_set(error, -ENOMEM, "out of memory");
	*local = (struct local){
		.qmaster.methods = &local_methods,
		.sched = setup->sched,
		.intake = setup->intake,
		.options = *options,
		.epoll_fd = -1,
		.state_fd = -1,
		.active_fd = -1,
		.due = { .look_ns = NEVER_NS, .spawn_ns = NEVER_NS, .levers_ns = NEVER_NS },
		.clients = { .watched = WATCHED_LISTENER, .listen_fd = -1 },
		.accounting = { .fd = -1, .restored = -1 },
		.ends = { WATCHED_ENDS, -1 },
	};
	rc = parts_open(local, error);
	if (rc)
		local_close(local);
	else
		*qmaster = &local->qmaster;
	return rc;
}

void local_close(struct local *local)
{
	struct error error = { "" };

	if (!local)
		return;
	/* the next scheduler continues with exactly the same values */
	if (local->ran_at && store_usage_save_all(local->store, local->ran_at, &error) == 0)
		store_commit(local->store, &error);
	clients_close(local);
	errands_close(local);
	local_tasks_free(&local->tasks);
	host_close(local->host);
	suspension_free(&local->instances);
	accounting_close(&local->accounting);
	footprints_free(&local->footprints);
	local_advances_free(&local->advances);
	values_destroy(&local->values);
	store_close(local->store);
	if (local->active_fd >= 0)
		close(local->active_fd);
	if (local->state_fd >= 0)
		close(local->state_fd);
	if (local->ends.fd >= 0)
		close(local->ends.fd);
	if (local->epoll_fd >= 0)
		close(local->epoll_fd);
	free(local->state);
	free(local->shepherd);
	free(local->cell);
	free(local);
}
