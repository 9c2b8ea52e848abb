/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private directory of a task for temporary files (TMPDIR).
 *
 * Its parent is writable by all users, so an entry of the same name may exist already. The owner
 * and remaining processes may change the directory while it is removed. Therefore root makes the
 * directory, and an existing entry is not used. The content is removed with the rights of the
 * owner, without following links and without entering other file systems.
 *
 *     DIR/tmpdir    name of the directory, from before it is made until it is removed
 */
#ifndef SHEPHERD_TMPDIR_H
#define SHEPHERD_TMPDIR_H

#include <limits.h>

#include "sched/shepherd/task.h"

struct tmpdir {			/* Zero-initialized: no directory. */
	char name[NAME_MAX + 1];
	ino_t inode;		/* 0: not made, or still empty and owned by root */
};

/*
 * Make the directory and set TMPDIR, TMP and PATH (with the directory first) of the task. Does
 * nothing if the task has no such directory. Returns 0, or -ECANCELED with the reason. Call
 * tmpdir_remove() even if this fails.
 */
int tmpdir_make(int dirfd, struct shepherd_task *task, struct tmpdir *tmpdir, struct failure *failure);
/*
 * Read the name of a directory that a killed shepherd has left. Returns 0 or an error of
 * file_read().
 */
int tmpdir_recall(int dirfd, struct tmpdir *tmpdir);
/*
 * Remove the directory with its content within `most_s` seconds. Returns 0 if it is removed or
 * there was none. Otherwise a part of it and DIR/tmpdir remain.
 */
int tmpdir_remove(int dirfd, const struct shepherd_task *task, const struct tmpdir *tmpdir, unsigned most_s);

#endif
