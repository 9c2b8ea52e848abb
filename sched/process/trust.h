/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whose is what we act on? A scheduler that runs as root starts what its store says, as whom its
 * store says: who could have written that is root. So a file or a directory that we act on is
 * opened here. It is trusted if it and each directory on the way to it belong to root or to the
 * user of this process, and nobody else may write there, be it by the group's permissions, which
 * are the mask of an access control list, too. A directory with the sticky bit, such as /tmp, may
 * be on the way: what stands below it must be ours all the same, and nobody else can move it away.
 *
 * The way is gone from descriptor to descriptor, and what is looked at is what was opened: nothing
 * can be exchanged between the two. Links on the way are resolved, and where they lead is looked at
 * like the rest.
 *
 * 	int state = trust_open("/var/lib/fairlead", O_RDONLY | O_DIRECTORY, 0, TRUST_WRITE, &error);
 * 	int file = trust_openat(state, "/var/lib/fairlead", "accounting", O_RDWR | O_CREAT, 0644, TRUST_WRITE, &error);
 *
 * A refusal names what was found, whose it is, its mode, and what is due. All functions may be
 * called on any thread.
 */
#ifndef SCHED_PROCESS_TRUST_H
#define SCHED_PROCESS_TRUST_H

#include <sys/stat.h>
#include <sys/types.h>

#include "conf/base/error.h"

#define TRUST_WRITE 022		/* what others must not be allowed: to write; */
#define TRUST_READ 077		/* to read either, for what is secret */
/* besides: a directory may be one that is only on the way to something */
#define TRUST_PASSING 020000
/*
 * besides: a user to whom root, or ourselves, have given a directory on the way, as it is with a
 * daemon's spool
 */
#define TRUST_DELEGATED 010000

/*
 * A descriptor, or
 * 	-EPERM	 somebody else could have written it: owner or mode of it or of a directory on the way, or it has a second name (a hard link)
 * 	-ELOOP	 it is a link, and `flags` have O_NOFOLLOW; or there are too many on the way
 * 	-EINVAL	 it is neither a plain file nor, with O_DIRECTORY, a directory
 * 	others of open(2)
 * O_CLOEXEC, O_NOCTTY and O_NONBLOCK are added to `flags`. With O_CREAT, `mode` is that of what was
 * not there.
 */
int trust_open(const char *path, int flags, mode_t mode, unsigned others, struct error *error);

/*
 * The same for a name in a directory that is trusted already, and is called `directory` in
 * messages. Links are not followed.
 */
int trust_openat(int at, const char *directory, const char *name, int flags, mode_t mode, unsigned others,
		 struct error *error);

/*
 * The directory in which `path` stands, opened to be read; *name is what it is called there, in
 * `path`.
 */
int trust_open_above(const char *path, const char **name, unsigned others, struct error *error);

/* A directory, made with mode 0755 if it is not there; what is above it must be. */
int trust_make(const char *path, struct error *error);

/*
 * What was opened or looked at otherwise, and is called `path`: 0, -EPERM, -EINVAL. Of directories
 * and plain files.
 */
int trust_check(const struct stat *st, const char *path, unsigned others, struct error *error);

/*
 * All that is in a directory, and in those in it but `except`: 0, or as trust_open() about the
 * first thing found.
 */
int trust_survey(const char *path, const char *except, struct error *error);

#endif
