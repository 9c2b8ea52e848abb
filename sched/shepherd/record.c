/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/shepherd/record.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <limits.h>
#include <linux/posix_acl.h>
#include <linux/posix_acl_xattr.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "conf/base/utf8.h"
#include "sched/shepherd/file.h"
#include "sched/shepherd/process.h"

#define RECORD_BYTES (64u << 10)	/* limit of `begun` and `exit`; they need a few hundred */
#define USAGE_MAX 1e30
#define AT(member) offsetof(struct attempt_usage, member)

static const struct {
	const char *name;
	size_t at;
} usage_members[] = {
	{ "ru_wallclock", AT(ru_wallclock) }, { "ru_utime", AT(ru_utime) }, { "ru_stime", AT(ru_stime) },
	{ "ru_maxrss", AT(ru_maxrss) },
	{ "ru_ixrss", AT(ru_ixrss) }, { "ru_ismrss", AT(ru_ismrss) }, { "ru_idrss", AT(ru_idrss) },
	{ "ru_isrss", AT(ru_isrss) },
	{ "ru_minflt", AT(ru_minflt) }, { "ru_majflt", AT(ru_majflt) }, { "ru_nswap", AT(ru_nswap) },
	{ "ru_inblock", AT(ru_inblock) },
	{ "ru_oublock", AT(ru_oublock) }, { "ru_msgsnd", AT(ru_msgsnd) }, { "ru_msgrcv", AT(ru_msgrcv) },
	{ "ru_nsignals", AT(ru_nsignals) }, { "ru_nvcsw", AT(ru_nvcsw) }, { "ru_nivcsw", AT(ru_nivcsw) },
	{ "cpu", AT(cpu_s) },
	{ "mem", AT(mem_gbs) }, { "io", AT(io_gb) }, { "maxvmem", AT(maxvmem_bytes) },
};

/* Members */

static bool take_integer(const json_t *object, const char *name, json_int_t min, json_int_t max, json_int_t *value)
{
	const json_t *member = json_object_get(object, name);

	*value = json_integer_value(member);
	return json_is_integer(member) && *value >= min && *value <= max;
}

static bool take_int(const json_t *object, const char *name, int min, int max, int *value)
{
	json_int_t wide;
	bool good = take_integer(object, name, min, max, &wide);

	*value = good ? (int)wide : 0;
	return good;
}

static bool take_number(const json_t *object, const char *name, double max, double *value)
{
	const json_t *member = json_object_get(object, name);

	*value = json_number_value(member);
	return json_is_number(member) && isfinite(*value) && *value >= 0 && *value <= max;
}

static bool take_bool(const json_t *object, const char *name, bool *value)
{
	const json_t *member = json_object_get(object, name);

	*value = json_is_true(member);
	return json_is_boolean(member);
}

static bool take_text(const json_t *object, const char *name, char *text, size_t size)
{
	const char *value = json_string_value(json_object_get(object, name));

	if (!value || strlen(value) >= size)
		return false;
	strcpy(text, value);
	/* the text may contain input of a user, such as a file name */
	utf8_clean(text);
	return true;
}

static bool take_usage(const json_t *object, struct attempt_usage *usage)
{
	bool good = json_is_object(object);

	for (size_t k = 0; k < sizeof(usage_members) / sizeof(*usage_members); k++)
		good = good && take_number(object, usage_members[k].name, USAGE_MAX,
					   (double *)((char *)usage + usage_members[k].at));
	return good;
}

static bool take_process(const json_t *object, const char *pid, const char *start, struct attempt_process *process)
{
	json_int_t ticks;
	bool good =
		take_int(object, pid, 0, INT_MAX, &process->pid) && take_integer(object, start, 0, INT64_MAX, &ticks);

	process->start = good ? (uint64_t)ticks : 0;
	return good;
}

/* Read the members of vacating. Shepherds of older versions have not written them. */
static bool take_vacated(const json_t *object, struct attempt_exit *exit)
{
	int vacated = ATTEMPT_NOT_VACATED;
	bool good = !json_object_get(object, "vacated") ||
		    (take_int(object, "vacated", ATTEMPT_NOT_VACATED, ATTEMPT_VACATED_HARD, &vacated) &&
		     take_number(object, "signalled", 0x1p53, &exit->signalled));

	exit->vacated = (enum attempt_vacated)vacated;
	return good;
}

static bool take_exit(const json_t *object, struct attempt_exit *exit)
{
	int failed;
	bool good = take_int(object, "wait_status", INT_MIN, INT_MAX, &exit->wait_status) &&
		    take_int(object, "exit_status", 0, 255, &exit->exit_status) &&
		    take_int(object, "signal", 0, 127, &exit->signal) && take_bool(object, "core", &exit->core) &&
		    take_int(object, "failed", 0, 255, &failed) &&
		    take_text(object, "text", exit->text, sizeof(exit->text)) &&
		    take_number(object, "start_time", 0x1p53, &exit->start_time) &&
		    take_number(object, "end_time", 0x1p53, &exit->end_time) && exit->end_time >= exit->start_time &&
		    take_vacated(object, exit) && take_usage(json_object_get(object, "usage"), &exit->usage);

	exit->failed = good ? (enum attempt_failed)failed : FAILED_NOT;
	return good;
}

/* Files */

/*
 * Read a JSON object, which the caller releases. NULL: the file is empty. Returns -ENOENT,
 * -EUCLEAN, -ENOMEM or another error of file_read().
 */
static int record_read(int dirfd, const char *name, json_t **object)
{
	size_t length;
	char *bytes;
	int rc = file_read(dirfd, name, RECORD_BYTES, &bytes, &length);

	*object = NULL;
	if (rc)
		return rc;
	if (length) {
		errno = 0;
		*object = json_loadb(bytes, length, JSON_REJECT_DUPLICATES, NULL);
		rc = json_is_object(*object) ? 0 : !*object && errno == ENOMEM ? -ENOMEM : -EUCLEAN;
	}
	free(bytes);
	return rc;
}

static int begun_look(int dirfd, struct attempt *attempt)
{
	json_t *object;
	int rc = record_read(dirfd, "begun", &object);

	if (rc == -ENOENT)
		return 0;
	if (rc && rc != -EUCLEAN)
		return rc;
	attempt->begun = rc || object ? ATTEMPT_BY_SHEPHERD : ATTEMPT_VOID;
	if (rc == 0 && object &&
	    (!take_process(object, "shepherd", "shepherd_start", &attempt->shepherd) ||
	     !take_process(object, "pid", "pid_start", &attempt->leader)))
		rc = -EUCLEAN;
	if (rc)
		attempt->shepherd = attempt->leader = (struct attempt_process){ 0 };
	json_decref(object);
	return rc;
}

static int lock_look(int dirfd, bool *held)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	int fd = openat(dirfd, "lock", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	int rc = 0;

	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	if (fcntl(fd, F_OFD_GETLK, &lock))
		rc = -errno;
	close(fd);
	*held = rc == 0 && lock.l_type != F_UNLCK;
	return rc;
}

static int exit_look(int dirfd, struct attempt *attempt)
{
	json_t *object;
	int rc = record_read(dirfd, "exit", &object);

	if (rc == -ENOENT)
		return 0;
	if (rc == 0 && !take_exit(object, &attempt->exit))
		rc = -EUCLEAN;
	attempt->exited = rc == 0;
	if (rc)
		memset(&attempt->exit, 0, sizeof(attempt->exit));
	json_decref(object);
	return rc;
}

/* Scheduler's side */

/*
 * Read the state of the attempt.
 *
 * The order matters. `begun` is made under the lock. If a reader finds `begun` and then no lock,
 * the shepherd has ended, and all its files are written. In any other order a shepherd that starts
 * or ends between two reads would seem lost.
 */
int attempt_look(int dirfd, struct attempt *attempt, struct error *error)
{
	int begun, lock, ended;

	memset(attempt, 0, sizeof(*attempt));
	begun = begun_look(dirfd, attempt);
	if (begun && begun != -EUCLEAN)
		return error_set(error, begun, "begun: %s", strerror(-begun));
	lock = lock_look(dirfd, &attempt->lock_held);
	if (lock)
		return error_set(error, lock, "lock: %s", strerror(-lock));
	ended = exit_look(dirfd, attempt);
	if (ended && ended != -EUCLEAN)
		return error_set(error, ended, "exit: %s", strerror(-ended));
	if (begun || ended)
		return error_set(error, -EUCLEAN, "%s: not written by a shepherd, or damaged",
				 begun ? "begun" : "exit");
	return 0;
}

/* Make an empty `begun`. An empty file needs no space on a full disk and is complete at once. */
int attempt_void(int dirfd, struct error *error)
{
	int fd = openat(dirfd, "begun", O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);

	if (fd < 0) {
		int rc = -errno;

		return error_set(error, rc, "begun: %s", strerror(-rc));
	}
	close(fd);
	return 0;
}

/* Write the file completely, or leave the old one unchanged. */
static int text_write(int dirfd, const char *name, const char *text, struct error *error)
{
	size_t length = text ? strlen(text) : 0;
	char made[32];
	int rc;

	if (!text)
		return error_set(error, -ENOMEM, "%s: out of memory", name);
	snprintf(made, sizeof(made), "%s.new", name);
	rc = length > ATTEMPT_CONFIG_BYTES ? -EFBIG : file_write(dirfd, made, text, length, 0600, false);
	if (rc == 0 && renameat(dirfd, made, dirfd, name))
		rc = -errno;
	return rc ? error_set(error, rc, "%s: %s", name, strerror(-rc)) : 0;
}

static int record_write(int dirfd, const char *name, const json_t *object, struct error *error)
{
	char *text = object ? json_dumps(object, JSON_COMPACT) : NULL;
	int rc = text_write(dirfd, name, text, error);

	free(text);
	return rc;
}

int attempt_config_write(int dirfd, const char *config, struct error *error)
{
	return text_write(dirfd, "config", config, error);
}

void attempt_sweep(int dirfd)
{
	static const char *const files[] = {
		"config", "config.new", "lock", "begun",    "begun.new",   "vacate", "vacate.new",
		"limit",  "limit.new",	"exit", "exit.new", "pe_hostfile", "tmpdir", ATTEMPT_SCRIPT,
	};

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		unlinkat(dirfd, files[i], 0);
}

bool attempt_is_untidy(int dirfd)
{
	return faccessat(dirfd, "tmpdir", F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

/* Allow one user to read and run a file that root owns, by an access control list; see acl(5). */
static int user_allow(int dirfd, const char *name, uid_t uid)
{
	const struct {
		struct posix_acl_xattr_header header;
		struct posix_acl_xattr_entry entries[5];
	} acl = {
		{ htole32(POSIX_ACL_XATTR_VERSION) },
		{ { htole16(ACL_USER_OBJ), htole16(ACL_READ | ACL_EXECUTE), htole32(ACL_UNDEFINED_ID) },
		  { htole16(ACL_USER), htole16(ACL_READ | ACL_EXECUTE), htole32(uid) },
		  { htole16(ACL_GROUP_OBJ), 0, htole32(ACL_UNDEFINED_ID) },
		  { htole16(ACL_MASK), htole16(ACL_READ | ACL_EXECUTE), htole32(ACL_UNDEFINED_ID) },
		  { htole16(ACL_OTHER), 0, htole32(ACL_UNDEFINED_ID) } },
	};
	int fd = openat(dirfd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC), rc;

	if (fd < 0)
		return -errno;
	rc = fsetxattr(fd, "system.posix_acl_access", &acl, sizeof(acl), 0) ? -errno : 0;
	close(fd);
	return rc;
}

/* Without access control lists: allow the user's group, whose other members can read it, too. */
static int group_allow(int dirfd, const char *name, gid_t gid)
{
	return fchownat(dirfd, name, (uid_t)-1, gid, AT_SYMLINK_NOFOLLOW) || fchmodat(dirfd, name, 0550, 0) ? -errno
													    : 0;
}

int attempt_script_write(int dirfd, const char *text, uid_t uid, gid_t gid, struct error *error)
{
	int rc = file_write(dirfd, ATTEMPT_SCRIPT, text, strlen(text), 0500, false);

	if (rc == 0 && geteuid() == 0) {
		rc = user_allow(dirfd, ATTEMPT_SCRIPT, uid);
		rc = rc == -EOPNOTSUPP || rc == -EINVAL || rc == -EPERM ? group_allow(dirfd, ATTEMPT_SCRIPT, gid) : rc;
	}
	return rc ? error_set(error, rc, ATTEMPT_SCRIPT ": %s", strerror(-rc)) : 0;
}

/* Read a time. JSON null: VACATION_NEVER_NS. */
static bool take_time(const json_t *object, const char *name, uint64_t *ns)
{
	json_int_t value = 0;
	bool never = json_is_null(json_object_get(object, name)),
	     good = never || take_integer(object, name, 0, VACATION_MOST_NS, &value);

	*ns = never ? VACATION_NEVER_NS : (uint64_t)value;
	return good;
}

int attempt_vacation_read(int dirfd, struct attempt_vacation *vacation, struct error *error)
{
	json_t *object;
	int rc = record_read(dirfd, "vacate", &object);

	*vacation = (struct attempt_vacation){ .retired_ns = VACATION_NEVER_NS };
	if (rc == 0 &&
	    (!object || !take_time(object, "retired_ns", &vacation->retired_ns) ||
	     !take_time(object, "vacate_ns", &vacation->vacate_ns) || vacation->vacate_ns == VACATION_NEVER_NS ||
	     !take_int(object, "signal", 1, SIGRTMAX, &vacation->signal)))
		rc = -EUCLEAN;
	json_decref(object);
	return rc ? error_set(error, rc, "vacate: %s",
			      rc == -EUCLEAN ? "not written by a scheduler, or damaged" : strerror(-rc))
		  : 0;
}

int attempt_vacation_write(int dirfd, const struct attempt_vacation *vacation, struct error *error)
{
	json_t *object =
		json_pack("{s:o,s:I,s:i}", "retired_ns",
			  vacation->retired_ns == VACATION_NEVER_NS ? json_null()
								    : json_integer((json_int_t)vacation->retired_ns),
			  "vacate_ns", (json_int_t)vacation->vacate_ns, "signal", vacation->signal);
	int rc = record_write(dirfd, "vacate", object, error);

	json_decref(object);
	return rc;
}

int attempt_limit_read(int dirfd, struct attempt_limit *limit, struct error *error)
{
	json_t *object;
	int rc = record_read(dirfd, "limit", &object);

	memset(limit, 0, sizeof(*limit));
	if (rc == 0 && (!object || !take_text(object, "text", limit->text, sizeof(limit->text)) ||
			!take_bool(object, "kills", &limit->kills)))
		rc = -EUCLEAN;
	json_decref(object);
	return rc ? error_set(error, rc, "limit: %s",
			      rc == -EUCLEAN ? "not written by a scheduler, or damaged" : strerror(-rc))
		  : 0;
}

int attempt_limit_write(int dirfd, const struct attempt_limit *limit, struct error *error)
{
	json_t *object = json_pack("{s:s,s:b}", "text", limit->text, "kills", limit->kills);
	int rc = record_write(dirfd, "limit", object, error);

	json_decref(object);
	return rc;
}

uint64_t attempt_process_start(pid_t pid)
{
	struct process_status status;

	return process_read(pid, &status) == 0 ? status.start : 0;
}
