/* SPDX-License-Identifier: Apache-2.0 */
#include "shm/attach.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shm/map.h"

#define HEAD_BYTES (PAGE_BYTES + GENERATIONS * sizeof(struct generation))

struct state {			/* a state file, opened and checked */
	int fd;
	struct stat st;
	uint8_t *base;
};

/* Read, not mapped, until its size is known to be true. */
static int state_check(const struct state *state)
{
	struct segment_header header;

	if (!S_ISREG(state->st.st_mode) || pread(state->fd, &header, sizeof(header), 0) != (ssize_t)sizeof(header))
		return -EPROTO;
	if (header.magic != SEGMENT_MAGIC || header.version != SEGMENT_VERSION || header.directory_bytes != sizeof(struct generation))
		return -EPROTO;
	if (header.file_bytes != (uint64_t)state->st.st_size || header.file_bytes < HEAD_BYTES || header.file_bytes % PAGE_BYTES)
		return -EPROTO;
	return header.current ? 0 : -ENOENT;
}

static int state_open(struct state *state, const char *path)
{
	state->base = NULL;
	state->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (state->fd < 0)
		return -errno;
	int err = fstat(state->fd, &state->st) ? -errno : state_check(state);

	if (!err)
		err = map_file(&state->base, state->fd, (uint64_t)state->st.st_size, PROT_READ);
	if (err)
		close(state->fd);
	else
		madvise(state->base, (size_t)state->st.st_size, MADV_HUGEPAGE);	/* where the writer got huge pages, map them as such */
	return err;
}

static void state_adopt(struct attachment *a, const struct state *state)
{
	a->header = (const struct segment_header *)state->base;
	a->file_bytes = (uint64_t)state->st.st_size;
	a->fd = state->fd;
	a->device = state->st.st_dev;
	a->inode = state->st.st_ino;
}

int attach_open(struct attachment *a, const char *directory)
{
	struct state state;

	memset(a, 0, sizeof(*a));
	int err = segment_paths(&a->paths, directory);

	if (!err)
		err = state_open(&state, a->paths.state);
	if (err)
		return err;
	state_adopt(a, &state);
	err = readers_claim(&a->readers, a->paths.readers);
	if (err)
		attach_close(a);
	return err;
}

void attach_close(struct attachment *a)
{
	readers_close(&a->readers);
	if (!a->header)
		return;
	map_release((const uint8_t *)a->header, a->file_bytes);
	close(a->fd);
	memset(a, 0, sizeof(*a));
}

static bool state_new(const struct attachment *a)
{
	struct stat st;

	return stat(a->paths.state, &st) == 0 && (st.st_dev != a->device || st.st_ino != a->inode);
}

/* The slot stays when the reader table is still the one under its name, which is what schedulers leave each other. */
static void slot_renew(struct attachment *a)
{
	struct stat mine, there;

	if (a->readers.slot && fstat(a->readers.fd, &mine) == 0 && stat(a->paths.readers, &there) == 0 &&
	    mine.st_dev == there.st_dev && mine.st_ino == there.st_ino)
		return;
	readers_close(&a->readers);
	if (readers_claim(&a->readers, a->paths.readers))
		readers_close(&a->readers);
}

void attach_move(struct attachment *a)
{
	struct state state;

	if (!state_new(a) || state_open(&state, a->paths.state))
		return;
	map_release((const uint8_t *)a->header, a->file_bytes);
	close(a->fd);
	state_adopt(a, &state);
	slot_renew(a);
}

bool attach_writer_alive(const struct attachment *a)
{
	struct flock lock = { .l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 1 };

	return fcntl(a->fd, F_OFD_GETLK, &lock) == 0 && lock.l_type == F_WRLCK;
}
