/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The directory for temporary files that a task has for itself: TMPDIR. It lies where everybody may
 * have put something before us, and its owner, and whoever of his processes is left, may change it
 * while we remove it. So root makes it, and an entry that is there already is not used; what is in
 * it is removed as its owner, without following a link, and never in another file system.
 *
 *     DIR/tmpdir    its name, before it is made until it is gone
 */
#ifndef SHEPHERD_TMPDIR_H
#define SHEPHERD_TMPDIR_H

#include <limits.h>

#include "sched/shepherd/task.h"

struct tmpdir {			/* zero: none */
	char name[NAME_MAX + 1];
	ino_t inode;		/* 0: it was not made, or is still root's, and empty */
};

/*
 * Makes it, and sets TMPDIR, TMP and, with it in front, PATH of the task. No-op if it is to have
 * none. 0, or -ECANCELED and why; `d` is to be removed in both cases.
 */
int tmpdir_make(int dirfd, struct shepherd_task *task, struct tmpdir *tmpdir, struct failure *failure);
/* What a shepherd that was killed has left. 0; errors of file_read(). */
int tmpdir_recall(int dirfd, struct tmpdir *tmpdir);
/*
 * Removes it with all that is in it, for at most so many seconds. 0: it is gone, or there was none;
 * else some of it is left, and DIR/tmpdir with it.
 */
int tmpdir_remove(int dirfd, const struct shepherd_task *task, const struct tmpdir *tmpdir, unsigned most_s);

#endif
