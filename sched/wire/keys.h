/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CURVE keys as files. A directory of keys looks the same on every machine, only that each one
 * holds no more than it needs:
 *
 *     DIR/scheduler.key      secret of the scheduler          0600, on its machine only
 *     DIR/scheduler.pub      by which hosts know it
 *     DIR/hosts/NAME.key     secret of a host                 0600, on that host only
 *     DIR/hosts/NAME.pub     by which the scheduler knows it: whose key it is, that host it is
 *
 * A file has comment lines, "#", and one line of 40 characters in Z85 (ZeroMQ RFC 32).
 */
#ifndef WIRE_KEYS_H
#define WIRE_KEYS_H

#include <stdbool.h>
#include <stddef.h>

#include "conf/error.h"

#define KEY_CHARS 40
#define HOST_NAME_CHARS 255

struct key {
	char text[KEY_CHARS + 1];
};

/*
 * Make a pair, the scheduler's if `host` is NULL; directories that are missing are made with mode
 * 0755. Files that are there are never touched: -EEXIST. -EINVAL: no name of a host; -ENOSYS: no
 * libzmq with CURVE here; others of open(2), write(2). With an error neither file was made.
 */
int keys_make(const char *dir, const char *host, struct error *error);

/* Letters, digits, '-', '_' and '.', not at the beginning: safe as the name of a file. */
bool host_name_is_valid(const char *name);
/* Is it tcp://HOST:PORT? ZeroMQ would not say: it tries for ever. */
bool endpoint_is_valid(const char *endpoint);

/* The file's name below `dir`, e.g. "hosts/node1.key". -ENAMETOOLONG. */
int key_path(char *path, size_t size, const char *dir, const char *host, bool secret);

/*
 * Read one. -ENOENT, -EACCES, ...; -EPERM: others than root and ourselves could have written it,
 * see sched/process/trust.h, or read what is secret; -EINVAL: no key in it.
 */
int key_read(const char *path, bool secret, struct key *key, struct error *error);

struct host_key {
	struct key key;
	char name[HOST_NAME_CHARS + 1];
};

struct host_keys {		/* zero at first; sorted by key */
	struct host_key *items;
	size_t n;
};

/*
 * All of DIR/hosts/, the files *.pub. As key_read(), and -EINVAL: two hosts have the same key. With
 * an error `keys` is as it was.
 */
int host_keys_read(struct host_keys *keys, const char *dir, struct error *error);
void host_keys_free(struct host_keys *keys);

/* NULL: nobody's. */
const struct host_key *host_keys_find(const struct host_keys *keys, const char *text);

#endif
