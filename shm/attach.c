/* SPDX-License-Identifier: Apache-2.0 */
#include "shm/attach.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shm/map.h"

struct state_file {			/* state file that has been opened and checked */
	/*
	 * lock_fd: second descriptor, used for the reader slot; -1 = a successor's file is already
	 * there
	 */
	int fd, lock_fd;
	uint32_t records;	/* required version of the records */
	struct stat st;
	struct reader_place readers;
	uint8_t *base;
	uint64_t file_bytes, most_bytes;
};

static bool same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/*
 * Check the header. It is read with pread(2) because the size of the file is not yet known to be
 * right, so that a mapping would not be safe.
 */
static int state_check(struct state_file *state)
{
	struct segment_header header;

	if (pread(state->fd, &header, sizeof(header), 0) != (ssize_t)sizeof(header))
		return -EPROTO;
	if (header.magic != SEGMENT_MAGIC || header.version != SEGMENT_VERSION || header.records != state->records ||
	    header.directory_bytes != sizeof(struct generation))
		return -EPROTO;
	state->file_bytes = (uint64_t)state->st.st_size / PAGE_BYTES * PAGE_BYTES;
	state->most_bytes = header.file_bytes;
	state->readers = header.readers;
	if (state->file_bytes > header.file_bytes || state->file_bytes < HOMES_OFFSET || header.file_bytes % PAGE_BYTES)
		return -EPROTO;
	return header.current ? 0 : -ENOENT;
}

/* Map a part of the file, with huge pages where the writer got huge pages. */
static int state_map(uint8_t *base, int fd, uint64_t from, uint64_t to)
{
	int rc = map_file(base, fd, from, to, PROT_READ);

	if (!rc)
		madvise(base + from, to - from, MADV_HUGEPAGE);
	return rc;
}

static int state_load(struct state_file *state)
{
	int rc = fstat(state->fd, &state->st) ? -errno : state_check(state);

	if (!rc)
		rc = map_reserve(&state->base, state->most_bytes);
	if (!rc)
		rc = state_map(state->base, state->fd, 0, state->file_bytes);
	return rc == -EINVAL ? -EPROTO : rc;
}

static int lock_open(const struct state_file *state, int dirfd)
{
	struct stat st;
	int fd = place_file(dirfd, "state", O_RDONLY, 0);

	if (fd >= 0 && fstat(fd, &st) == 0 && same_file(&st, &state->st))
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

static int state_open(struct state_file *state, const struct segment_paths *paths)
{
	int dirfd = place_open(paths), rc;

	if (dirfd < 0)
		return dirfd;
	state->base = NULL;
	state->fd = rc = place_file(dirfd, "state", O_RDONLY, 0);
	if (state->fd >= 0) {
		rc = state_load(state);
		if (rc) {
			map_release(state->base, state->most_bytes);
			close(state->fd);
		} else {
			state->lock_fd = lock_open(state, dirfd);
		}
	}
	close(dirfd);
	return rc == -EISDIR ? -EPROTO : rc;
}

static void state_adopt(struct attachment *attachment, const struct state_file *state)
{
	attachment->header = (const struct segment_header *)state->base;
	attachment->file_bytes = state->file_bytes;
	attachment->most_bytes = state->most_bytes;
	attachment->fd = state->fd;
	attachment->records = state->records;
	attachment->device = state->st.st_dev;
	attachment->inode = state->st.st_ino;
	readers_claim(&attachment->readers, state->lock_fd, &state->readers);
}

int attach_open(struct attachment *attachment, const char *directory, uint32_t records)
{
	struct state_file state = { .records = records };

	memset(attachment, 0, sizeof(*attachment));
	int rc = segment_paths(&attachment->paths, directory);

	if (!rc)
		rc = state_open(&state, &attachment->paths);
	if (!rc)
		state_adopt(attachment, &state);
	return rc;
}

int attach_descriptor(struct attachment *attachment, int fd, uint32_t records)
{
	struct state_file state = { .lock_fd = -1, .records = records };

	memset(attachment, 0, sizeof(*attachment));
	state.fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	int rc = state.fd < 0 ? -errno : state_load(&state);

	if (!rc) {
		state_adopt(attachment, &state);
		return 0;
	}
	map_release(state.base, state.most_bytes);
	if (state.fd >= 0)
		close(state.fd);
	return rc;
}

void attach_close(struct attachment *attachment)
{
	if (!attachment->header)
		return;
	readers_close(&attachment->readers);
	map_release((const uint8_t *)attachment->header, attachment->most_bytes);
	close(attachment->fd);
	memset(attachment, 0, sizeof(*attachment));
}

static bool state_new(const struct attachment *attachment)
{
	struct stat st;

	return stat(attachment->paths.state, &st) == 0 &&
	       (st.st_dev != attachment->device || st.st_ino != attachment->inode);
}

void attach_move(struct attachment *attachment)
{
	const struct attachment old = *attachment;
	struct state_file state = { .records = attachment->records };

	if (!state_new(attachment) || state_open(&state, &attachment->paths))
		return;
	readers_close(&attachment->readers);
	state_adopt(attachment, &state);
	map_release((const uint8_t *)old.header, old.most_bytes);
	close(old.fd);
}

void attach_grow(struct attachment *attachment)
{
	struct stat st;
	uint64_t bytes = fstat(attachment->fd, &st) ? 0 : (uint64_t)st.st_size / PAGE_BYTES * PAGE_BYTES;

	bytes = bytes < attachment->most_bytes ? bytes : attachment->most_bytes;
	if (bytes > attachment->file_bytes &&
	    state_map((uint8_t *)(uintptr_t)attachment->header, attachment->fd, attachment->file_bytes, bytes) == 0)
		attachment->file_bytes = bytes;
}

bool attach_writer_alive(const struct attachment *attachment)
{
	struct flock lock = { .l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 1 };

	return fcntl(attachment->fd, F_OFD_GETLK, &lock) == 0 && lock.l_type == F_WRLCK;
}
