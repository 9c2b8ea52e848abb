/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Receipt: a line in a small file beside the store, FILE-receipt. It contains the random name of
 * the store that belongs here and the number of acknowledged commits. The store contains both as
 * well (`identity` and `commits` of meta). So the following cases are detected:
 *
 * 	the store is missing or empty		there is a receipt, which a new store does not have
 * 	it is another store			it has another name
 * 	it has lost commits			it has fewer commits: its log is damaged or missing,
 * 						or an older copy replaced it
 *
 * A start with an empty or an older store would silently forget jobs and usage. An administrator
 * who wants that removes the receipt. The existing file is then the store, and gets a new name.
 *
 * The order on disk is: the tables, the name, then the receipt, completely or not at all. A start
 * that was killed at any point leaves a store without a receipt, which needs only the remaining
 * steps.
 *
 * After a commit is on disk, the receipt is rewritten in place, without waiting for the disk. So it
 * never has a larger number than the store. After the death of the process it has the same number,
 * after a power failure possibly a smaller one. Its content is shorter than a sector. If it is
 * empty or has only zero bytes nevertheless, it proves that there was a store, but not which one.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sched/store/base.h"
#include "sched/store/page.h"

#define COUNT_CHARS 20
#define SUM_CHARS 16
#define TEXT_BYTES (COUNT_CHARS + 1 + IDENTITY_CHARS + 1 + SUM_CHARS + 1)
#define READS 3				/* reads of a receipt that is being written */

/* Line of the receipt */

/* Write a line like "00000000000000000017 9f...e3 0123456789abcdef\n". */
static void receipt_text(const char *identity, uint64_t commits, char text[TEXT_BYTES + 1])
{
	uint64_t sum = page_mix(7, commits), word;

	for (size_t i = 0; i < IDENTITY_CHARS; i += 8) {
		memcpy(&word, identity + i, 8);
		sum = page_mix(sum, le64toh(word));
	}
	snprintf(text, TEXT_BYTES + 1, "%0*llu %s %0*llx\n", COUNT_CHARS, (unsigned long long)commits, identity,
		 SUM_CHARS, (unsigned long long)sum);
}

static int receipt_parse(const char *found, size_t n, struct receipt *receipt)
{
	char text[TEXT_BYTES + 1];

	*receipt = (struct receipt){ .commits = 0 };
	for (size_t i = 0; i <= n; i++)
		if (i == n)
			return 0;
		else if (found[i])
			break;
	if (n != TEXT_BYTES)
		return -EUCLEAN;
	receipt->commits = strtoull(found, NULL, 10);
	memcpy(receipt->identity, found + COUNT_CHARS + 1, IDENTITY_CHARS);
	if (strspn(receipt->identity, "0123456789abcdef") != IDENTITY_CHARS)
		return -EUCLEAN;
	receipt_text(receipt->identity, receipt->commits, text);
	return memcmp(found, text, TEXT_BYTES) == 0 ? 0 : -EUCLEAN;
}

int receipt_read(int fd, const char *path, struct receipt *receipt, struct error *error)
{
	int rc = -EUCLEAN;

	for (int i = 0; rc == -EUCLEAN && i < READS; i++) {
		char found[TEXT_BYTES + 2] = "";
		ssize_t n = pread(fd, found, TEXT_BYTES + 1, 0);

		if (n < 0)
			return error_set(error, -errno, "%.90s-receipt: %m", path);
		rc = receipt_parse(found, (size_t)n, receipt);
	}
	return rc ? error_set(
			    error, rc,
			    "%.60s-receipt is damaged; if the store %.40s is the right one, and undamaged "
			    "(fairlead doctor store), remove the receipt",
			    path, path)
		  : 0;
}

/* Comparison with the store */

static bool is_beside(const struct store *store, const char *suffix, bool or_empty)
{
	char file[NAME_MAX + 16];
	struct stat st;

	snprintf(file, sizeof(file), "%s%s", store->opening.name, suffix);
	return fstatat(store->opening.directory, file, &st, AT_SYMLINK_NOFOLLOW) == 0 && (or_empty || st.st_size > 0);
}

int receipt_new_check(const struct store *store, bool nothing, struct error *error)
{
	const char *path = store->opening.path, *sign = store->opening.sign, *suffix = "";

	if (is_beside(store, "-receipt", true))
		suffix = "-receipt";
	else if (nothing && is_beside(store, "-wal", false))	/* SQLite would remove it */
		suffix = "-wal";
	else if (!sign)
		return 0;
	return error_set(
		error, -EUCLEAN,
		"the store %.60s is missing or empty, but %.60s%s exists: restore a backup, without -wal, -shm and "
		"-receipt; or, to start empty, move all files away",
		path, *suffix ? path : sign, suffix);
}

int receipt_load(struct store *store, struct error *error)
{
	int rc, fd;

	if (!is_beside(store, "-receipt", true))
		return 0;
	fd = rc = store_open_beside(store, "-receipt", O_RDONLY, 0, error);
	if (fd >= 0) {
		rc = receipt_read(fd, store->opening.path, &store->receipt, error);
		close(fd);
	}
	return rc;
}

int receipt_check(struct store *store, struct error *error)
{
	char own[IDENTITY_CHARS + 1] = "";
	int64_t commits = 0;
	int rc = meta_get_number(store, "commits", 0, INT64_MAX, &commits, error);

	if (rc && rc != -ENOENT)	/* stores of older versions have none */
		return rc;
	store->commits = (uint64_t)commits;
	rc = store_meta_get(store, "identity", own, sizeof(own), error);
	if (rc && rc != -ENOENT && rc != -EFBIG)
		return rc;
	if (*store->receipt.identity && strcmp(own, store->receipt.identity) != 0)
		return error_set(
			error, -EUCLEAN,
			"the store %.50s is not the one that belongs here according to %.50s-receipt: restore the "
			"right one; or, to use this one instead, remove the receipt",
			store->path, store->path);
	if (store->commits < store->receipt.commits)
		return error_set(
			error, -EUCLEAN,
			"the store %.50s is missing %llu acknowledged commits: its log was lost or damaged, or it is "
			"an older copy; to use it nevertheless, remove -receipt; see fairlead-store(5), DAMAGE",
			store->path, (unsigned long long)(store->receipt.commits - store->commits));
	return 0;
}

/* Creation and updates */

static int identity_make(char identity[IDENTITY_CHARS + 1], struct error *error)
{
	unsigned char random[IDENTITY_CHARS / 2];

	if (getrandom(random, sizeof(random), 0) != sizeof(random))
		return error_set(error, -EIO, "getrandom: %m");
	for (size_t i = 0; i < sizeof(random); i++)
		snprintf(identity + 2 * i, 3, "%02x", random[i]);
	return 0;
}

/* Write the receipt. A partial receipt is worse than none, so it is truncated. */
static int receipt_put(int fd, const struct store *store)
{
	char text[TEXT_BYTES + 1];
	ssize_t n;

	receipt_text(store->receipt.identity, store->commits, text);
	n = pwrite(fd, text, TEXT_BYTES, 0);
	if (n < 0)
		return -errno;
	if (n < TEXT_BYTES)
		return ftruncate(fd, 0) ? -errno : -ENOSPC;
	return 0;
}

/* Give the receipt the group and the permissions of the store. */
static int receipt_share(int fd, int store_fd)
{
	struct stat st;

	if (fstat(store_fd, &st) || fchmod(fd, st.st_mode & 0777) ||
	    (fchown(fd, (uid_t)-1, st.st_gid) && errno != EPERM))
		return -errno;
	return 0;
}

/*
 * Create the receipt under a temporary name and sync it before it gets its own name. The name of
 * the store must be on disk before.
 */
static int receipt_make(struct store *store)
{
	int at = store->opening.directory, fd, rc;
	char file[NAME_MAX + 16], new[NAME_MAX + 32];

	snprintf(file, sizeof(file), "%s-receipt", store->opening.name);
	snprintf(new, sizeof(new), "%s.new", file);
	if (unlinkat(at, new, 0) && errno != ENOENT)
		return -errno;
	fd = openat(at, new, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return -errno;
	rc = receipt_put(fd, store);
	rc = rc ? rc : receipt_share(fd, store->lock_fd);
	if (rc == 0 && (fsync(fd) || fsync(at) || renameat(at, new, at, file) || fsync(at)))
		rc = -errno;
	if (rc == 0) {
		store->receipt_fd = fd;
		return 0;
	}
	close(fd);
	unlinkat(at, new, 0);
	return rc;
}

int receipt_settle(struct store *store, struct error *error)
{
	int rc = 0;

	if (!*store->receipt.identity) {
		rc = identity_make(store->receipt.identity, error);
		rc = rc ? rc : store_meta_put(store, "identity", store->receipt.identity, error);
		rc = rc ? rc : store_commit(store, error);
		if (rc)
			return rc;
	}
	rc = receipt_make(store);
	return rc ? error_set(error, rc, "%.120s-receipt: %s", store->opening.path, strerror(-rc)) : 0;
}

void receipt_write(struct store *store)
{
	if (store->receipt_fd >= 0)
		receipt_put(store->receipt_fd, store);
}
