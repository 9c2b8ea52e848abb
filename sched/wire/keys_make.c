/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Creation of key pairs with libzmq.
 *
 * libzmq is loaded only when it is needed. Otherwise every `fairlead stat` would load it and the
 * score of libraries that it depends on.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sched/wire/keys.h"

#define LIBRARY "libzmq.so.5"
#define PATH_BYTES 4096

static int pair_make(struct key *public, struct key *secret, struct error *error)
{
	void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	int (*keypair)(char *, char *), rc = 0;

	if (!library)
		return error_set(error, -ENOSYS, "%s", dlerror());
	*(void **)&keypair = dlsym(library, "zmq_curve_keypair");
	if (!keypair || keypair(public->text, secret->text))
		rc = error_set(error, -ENOSYS, LIBRARY " cannot make keys: it was built without CURVE");
	dlclose(library);
	return rc;
}

static int text_write(int fd, const char *text)
{
	size_t length = strlen(text);

	while (length) {
		ssize_t n = write(fd, text, length);

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0) {
			text += n;
			length -= (size_t)n;
		}
	}
	return fsync(fd) ? -errno : 0;
}

/* Write a new file. After an error the file does not exist. */
static int key_write(const char *path, bool secret, const char *owner, const struct key *key, struct error *error)
{
	mode_t mode = secret ? 0600 : 0644;
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode), rc;
	char text[400];

	if (fd < 0)
		return errno == EEXIST ? error_set(error, -EEXIST, "%s exists; keys are not overwritten", path)
				       : error_set(error, -errno, "%s: %m", path);
	snprintf(text, sizeof(text), "# fairlead: %s key of %s; see fairlead-keygen(1)\n%s\n",
		 secret ? "SECRET" : "public", owner, key->text);
	rc = fchmod(fd, mode) ? -errno : text_write(fd, text);	/* regardless of the umask */
	explicit_bzero(text, sizeof(text));
	if (close(fd) && rc == 0)
		rc = -errno;
	if (rc) {
		unlink(path);
		error_set(error, rc, "%s: %s", path, strerror(-rc));
	}
	return rc;
}

static int directory_make(const char *dir, struct error *error)
{
	return mkdir(dir, 0755) == 0 || errno == EEXIST ? 0 : error_set(error, -errno, "%s: %m", dir);
}

static int directories_make(const char *dir, struct error *error)
{
	char path[PATH_BYTES];
	int rc = directory_make(dir, error);

	if (rc)
		return rc;
	if (snprintf(path, sizeof(path), "%s/hosts", dir) >= (int)sizeof(path))
		return error_set(error, -ENAMETOOLONG, "%.80s: the path is too long", dir);
	return directory_make(path, error);
}

int keys_make(const char *dir, const char *host, struct error *error)
{
	char secret_path[PATH_BYTES], public_path[PATH_BYTES], owner[HOST_NAME_CHARS + 16];
	struct key public, secret;
	int rc;

	if (host && !host_name_is_valid(host))
		return error_set(error, -EINVAL, "\"%.60s\" is not a valid host name", host);
	snprintf(owner, sizeof(owner), "%s%s", host ? "host " : "the scheduler", host ? host : "");
	if (key_path(secret_path, PATH_BYTES, dir, host, true) || key_path(public_path, PATH_BYTES, dir, host, false))
		return error_set(error, -ENAMETOOLONG, "%.80s: the path is too long", dir);
	rc = pair_make(&public, &secret, error);
	if (rc == 0)
		rc = directories_make(dir, error);
	if (rc == 0)
		rc = key_write(secret_path, true, owner, &secret, error);
	explicit_bzero(&secret, sizeof(secret));
	if (rc)
		return rc;
	rc = key_write(public_path, false, owner, &public, error);
	if (rc)
		unlink(secret_path);
	return rc;
}
