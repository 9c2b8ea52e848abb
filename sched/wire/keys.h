/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CURVE keys in files.
 *
 * A directory of keys has the same layout on every machine. Each machine holds only the files that
 * it needs:
 *
 *     DIR/scheduler.key      secret of the scheduler       0600, on its machine only
 *     DIR/scheduler.pub      public key by which hosts recognize the scheduler
 *     DIR/hosts/NAME.key     secret of host NAME           0600, on that host only
 *     DIR/hosts/NAME.pub     public key by which the scheduler recognizes host NAME
 *
 * A file has comment lines ("#") and one line of 40 characters in Z85 (ZeroMQ RFC 32).
 */
#ifndef WIRE_KEYS_H
#define WIRE_KEYS_H

#include <stdbool.h>
#include <stddef.h>

#include "conf/base/error.h"

#define KEY_CHARS 40
#define HOST_NAME_CHARS 255

struct key {
	char text[KEY_CHARS + 1];
};

/*
 * Make a pair of keys for `host`; NULL: for the scheduler. Missing directories are made with mode
 * 0755.
 *
 * Existing files are never changed (-EEXIST). Returns -EINVAL if `host` is not a host name, -ENOSYS
 * if there is no libzmq with CURVE, or an error of open(2) or write(2). After an error neither file
 * exists.
 */
int keys_make(const char *dir, const char *host, struct error *error);

/*
 * Return whether the name is safe as a file name: letters, digits, '-', '_' and '.', where '-' and
 * '.' are not the first character.
 */
bool host_name_is_valid(const char *name);
/*
 * Return whether the endpoint is tcp://HOST:PORT. ZeroMQ does not report invalid endpoints; it
 * tries to connect forever.
 */
bool endpoint_is_valid(const char *endpoint);

/* Write the path of a key file below `dir`, e.g. "hosts/node1.key". Returns 0 or -ENAMETOOLONG. */
int key_path(char *path, size_t size, const char *dir, const char *host, bool secret);

/*
 * Read a key file.
 *
 * Returns -ENOENT or another error of open(2), or -EINVAL if the file has no key. Returns -EPERM if
 * users other than root and the caller can write the file or read a secret (sched/process/trust.h).
 */
int key_read(const char *path, bool secret, struct key *key, struct error *error);

struct host_key {
	struct key key;
	char name[HOST_NAME_CHARS + 1];
};

struct host_keys {		/* Zero-initialized; sorted by key. */
	struct host_key *items;
	size_t n;
};

/*
 * Read all files *.pub of DIR/hosts/. Returns the errors of key_read(), or -EINVAL if two hosts
 * have the same key. After an error `keys` is unchanged.
 */
int host_keys_read(struct host_keys *keys, const char *dir, struct error *error);
void host_keys_free(struct host_keys *keys);

/* Return the host that has the key `text`, or NULL. */
const struct host_key *host_keys_find(const struct host_keys *keys, const char *text);

#endif
