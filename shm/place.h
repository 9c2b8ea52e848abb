/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The directory of a cell's shared files. Every user may create names in $FAIRLEAD_SHM or /dev/shm,
 * so the first user who makes a name has it.
 *
 * Inside the directory only the writer's user can create names, so every file in it belongs to the
 * writer or to a previous writer. Only the name of the directory itself can be taken by another
 * user. Root moves such a foreign directory aside at any time and in one step. Other users cannot
 * move it and report its owner. Readers check the owner before they believe any byte. Files in the
 * directory are opened relative to its descriptor.
 */
#ifndef SHM_PLACE_H
#define SHM_PLACE_H

#include <stdint.h>
#include <sys/types.h>

#define SEGMENT_PATH_BYTES 512

struct segment_paths {
	char directory[SEGMENT_PATH_BYTES], state[SEGMENT_PATH_BYTES], lock[SEGMENT_PATH_BYTES];
	uid_t cell_owner;
};

#define SEGMENT_SHM "/dev/shm"

/* Return the parent of the directories of all cells: $FAIRLEAD_SHM or /dev/shm. */
const char *segment_shm(void);

/*
 * Compute the paths of the cell in `directory`: $FAIRLEAD_SHM or /dev/shm, then "fairlead-" + base
 * name + "-" + 16 hex digits of a hash of its real path. "state" and the other files are in it.
 * Returns -ENOENT, -EACCES or -ENOTDIR if `directory` is not usable, or -ENAMETOOLONG.
 */
int segment_paths(struct segment_paths *paths, const char *directory);

struct other_owner {		/* foreign file or directory that had the directory's name */
	char path[SEGMENT_PATH_BYTES];	/* present path; "": none */
	const char *what;	/* "a file" or "a directory", never freed */
	uid_t owner;
};

/*
 * Open the directory for the scheduler and make it if it does not exist. The directory is ours if
 * it belongs to this user and no other user may write there. For root, a directory of the owner of
 * the cell is also accepted, and root takes it over. Root and the owner of a foreign directory move
 * it to another name.
 *
 *   -EPERM    there is a foreign directory that this user may not move; *stranger describes it
 *   -EACCES, -ENOENT, -ENOSPC, ...
 */
int place_make(const struct segment_paths *paths, struct other_owner *other_owner);

/*
 * Open the directory for a reader. Its owner must be root, this user, or the owner of the cell, and
 * no other user may write there.
 *
 *   -ENOENT   the directory does not exist
 *   -EPERM    the name belongs to another user: place_look() describes it
 */
int place_open(const struct segment_paths *paths);

/*
 * Describe the file or directory that has the directory's name. Returns 0, or -ENOENT if there is
 * none.
 */
int place_look(const struct segment_paths *paths, struct other_owner *other_owner);

/*
 * Move a descriptor above those of the standard streams, which a program may have closed and may
 * open again. Return the new one, or -1 with errno. -1 is returned unchanged.
 */
int descriptor_above_stdio(int fd);
/*
 * Open a regular file in the directory. Never follows a link and never waits for the other end of a
 * pipe. Returns its descriptor, or -EISDIR if it is not a regular file or has other names.
 */
int place_file(int dirfd, const char *name, int flags, mode_t mode);

#endif
