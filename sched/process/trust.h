/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Check who could have changed a file before it is used. A scheduler that runs as root starts
 * commands from its store as users named in its store, so a user who can write the store is as
 * powerful as root. Therefore such files and directories are opened here. A file is trusted if it
 * and each directory of its path belong to root or to the user of this process, and no other user
 * may write there. Permissions of the group count, which are also the mask of an access control
 * list. A directory with the sticky bit, such as /tmp, may be part of the path: entries below it
 * must be trusted, and other users cannot move them away.
 *
 * Each part of the path is opened relative to the descriptor of the part before, and the opened
 * file itself is checked. So nothing can be exchanged between check and use. Links in the path are
 * resolved, and their targets are checked in the same way.
 *
 *     int state = trust_open("/var/lib/fairlead", O_RDONLY | O_DIRECTORY, 0, TRUST_WRITE, &error);
 *     int file = trust_openat(state, "/var/lib/fairlead", "accounting", O_RDWR | O_CREAT, 0644,
 *                             TRUST_WRITE, &error);
 *
 * A refusal names the file, its owner, its mode, and the expected ones. All functions may be called
 * on any thread.
 */
#ifndef SCHED_PROCESS_TRUST_H
#define SCHED_PROCESS_TRUST_H

#include <sys/stat.h>
#include <sys/types.h>

#include "conf/base/error.h"

#define TRUST_WRITE 022		/* permissions that others must not have: writing */
#define TRUST_READ 077		/* also reading, for secret files */
/* Flag: a directory is only part of the path to something. */
#define TRUST_PASSING 020000
/*
 * Flag: accept another owner of a directory of the path if root or this user has created it, such
 * as the spool of a daemon.
 */
#define TRUST_DELEGATED 010000

/*
 * Open a file. Returns a descriptor, or
 *   -EPERM   another user could have written it: because of the owner or mode of the file or of
 *            a directory of the path, or because it has a second name (a hard link)
 *   -ELOOP   it is a link, and `flags` have O_NOFOLLOW; or the path has too many links
 *   -EINVAL  it is not a plain file or, with O_DIRECTORY, not a directory
 *   others of open(2)
 *
 * O_CLOEXEC, O_NOCTTY and O_NONBLOCK are added to `flags`. With O_CREAT, `mode` is the mode of a
 * new file.
 */
int trust_open(const char *path, int flags, mode_t mode, unsigned others, struct error *error);

/*
 * Open a name in a directory that is already trusted and is named `directory` in messages. Links
 * are not followed.
 */
int trust_openat(int at, const char *directory, const char *name, int flags, mode_t mode, unsigned others,
		 struct error *error);

/* Open the directory of `path` for reading. *name is the name of the entry, part of `path`. */
int trust_open_above(const char *path, const char **name, unsigned others, struct error *error);

/* Open a directory, and create it with mode 0755 if it does not exist. Its parent must exist. */
int trust_make(const char *path, struct error *error);

/*
 * Check a directory or plain file that was opened or inspected by other means and is named `path`
 * in messages. Returns 0, -EPERM, -EINVAL.
 */
int trust_check(const struct stat *st, const char *path, unsigned others, struct error *error);

/*
 * Check all entries of a directory and of its subdirectories, except `except`. Returns 0, or the
 * error of trust_open() about the first untrusted entry.
 */
int trust_survey(const char *path, const char *except, struct error *error);

#endif
