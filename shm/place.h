/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The directory in which a cell's shared files lie, as $FAIRLEAD_SHM or /dev/shm is everybody's:
 * whoever makes a name there first has it.
 *
 * In the directory nobody but the writer's user makes names, so what is found there is the
 * writer's own, or that of one before. Only the directory's own name can be taken by somebody
 * else: root moves what has it out of the way, at any time and without a gap; others can't and say
 * whose it is. Readers look at its owner before they believe a byte. Files in it are opened
 * relative to its descriptor.
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

/* Where the directories of all cells are: $FAIRLEAD_SHM or /dev/shm. */
const char *segment_shm(void);

/*
 * The files of the cell in `directory`: $FAIRLEAD_SHM or /dev/shm, "fairlead-" + base name + "-" +
 * 16 hex digits of a hash of its real path; in there "state" and so on. -ENOENT, -EACCES, -ENOTDIR:
 * no such directory; -ENAMETOOLONG.
 */
int segment_paths(struct segment_paths *paths, const char *directory);

struct stranger {		/* what had the directory's name and was not ours */
	char path[SEGMENT_PATH_BYTES];	/* where it is now; "": there was none */
	const char *what;	/* "a file" "a directory", never freed */
	uid_t owner;
};

/*
 * Scheduler: a descriptor of the directory, made if there is none. It is ours when nobody else may
 * write there and it belongs to this user; or, for root, to the owner of the cell, from whom root
 * takes it over. Root moves a stranger to another name, and so does its owner.
 *   -EPERM       there is a stranger, which `stranger` describes in its place: not ours to move
 *   -EACCES, -ENOENT, -ENOSPC, ...
 */
int place_make(const struct segment_paths *paths, struct stranger *stranger);

/*
 * Reader: a descriptor of the directory, if its owner is root, this user, or the owner of the cell,
 * and nobody else may write there.
 *   -ENOENT      there is none
 *   -EPERM       there is one, or something else, of another user: place_look() says more
 */
int place_open(const struct segment_paths *paths);

/* What has the directory's name. 0, or -ENOENT: nothing. */
int place_look(const struct segment_paths *paths, struct stranger *stranger);

/*
 * Move a descriptor above those of the standard streams, which a program may have closed and may
 * open again. Return the new one, or -1 with errno. -1 is returned unchanged.
 */
int descriptor_above_stdio(int fd);
/*
 * A regular file in the directory: never through a link, never waiting for a pipe's other end. Its
 * descriptor; -EISDIR: no regular file, or one with other names, too.
 */
int place_file(int dirfd, const char *name, int flags, mode_t mode);

#endif
