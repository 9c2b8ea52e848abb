/* SPDX-License-Identifier: Apache-2.0 */
#include "shm/segment.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "shm/generation.h"
#include "shm/map.h"
#include "shm/numa.h"

#define DEFAULT_BYTES ((uint64_t)16 << 30)
#define DEFAULT_MODE 0644u
#define HEAD_BYTES (PAGE_BYTES + GENERATIONS * sizeof(struct generation))
#define LAST_GENERATION ((uint64_t)1 << 62)	/* a pin is a generation shifted by one; more is somebody's joke */

_Static_assert(HEAD_BYTES <= EXTENT_BYTES, "header and directories fit the first extent");

static int file_lock(int fd, off_t start, off_t length)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = start, .l_len = length };

	return fcntl(fd, F_OFD_SETLK, &lock) ? -errno : 0;
}

/* Never through a link; never waiting for a pipe's other end. */
static int file_open(const char *path, int flags, unsigned mode)
{
	struct stat st;
	int fd = open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, mode);

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		close(fd);
		return -EACCES;
	}
	return fd;
}

/* O_CREAT on a file that exists is forbidden in /dev/shm when it is somebody else's (fs.protected_regular): try without first. */
static int lock_open(const char *path)
{
	int fd = file_open(path, O_RDWR, 0);

	if (fd == -ENOENT)
		fd = file_open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
	return fd == -EEXIST ? file_open(path, O_RDWR, 0) : fd;
}

static uint32_t pid_read(int fd)
{
	char text[16] = "";
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);

	return n > 0 ? (uint32_t)strtoul(text, NULL, 10) : 0;
}

/* The pid is there for a message; a full /dev/shm must not keep a scheduler from starting for its sake. */
static void pid_write(int fd)
{
	char text[16];
	int n = snprintf(text, sizeof(text), "%d\n", (int)getpid());

	if (ftruncate(fd, 0) == 0 && pwrite(fd, text, (size_t)n, 0) < 0)
		return;
}

static int lock_take(struct segment *s, uint32_t *other)
{
	s->lock_fd = lock_open(s->paths.lock);
	if (s->lock_fd < 0)
		return s->lock_fd;
	int err = file_lock(s->lock_fd, 0, 0);

	if (err == -EAGAIN || err == -EACCES) {
		if (other)
			*other = pid_read(s->lock_fd);
		return -EBUSY;
	}
	if (!err)
		pid_write(s->lock_fd);
	return err;
}

/* The predecessor's file: where its generation numbers ended. Read by pread(2), for it may be anything. */
static int old_open(struct segment *s)
{
	struct segment_header old;

	s->old_fd = file_open(s->paths.state, O_RDWR, 0);
	if (s->old_fd == -ENOENT)
		return 0;
	if (s->old_fd < 0)
		return s->old_fd;
	if (pread(s->old_fd, &old, sizeof(old), 0) == (ssize_t)sizeof(old) && old.magic == SEGMENT_MAGIC && old.current < LAST_GENERATION)
		s->last_gen = old.current;
	return 0;
}

static void temporary_name(const struct segment *s, char *name)
{
	snprintf(name, SEGMENT_PATH_BYTES, "%.*s.new", SEGMENT_PATH_BYTES - 8, s->paths.state);
}

/* Under the lock nobody else makes one, so a file of this name is a killed predecessor's. */
static int state_create(struct segment *s, const struct segment_options *options)
{
	char name[SEGMENT_PATH_BYTES];

	temporary_name(s, name);
	if (unlink(name) && errno != ENOENT)
		return -errno;
	s->fd = file_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
	if (s->fd < 0)
		return s->fd;
	if (options->group >= 0 && fchown(s->fd, (uid_t)-1, (gid_t)options->group))
		return -errno;
	if (fchmod(s->fd, options->mode ? options->mode & 0777 : DEFAULT_MODE))
		return -errno;
	return file_lock(s->fd, 0, 1);
}

/* Growing beyond the limit is not only refused but answered with SIGXFSZ: ask first. */
static int state_size(const struct segment *s)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && s->file_bytes > limit.rlim_cur)
		return -EFBIG;
	return ftruncate(s->fd, (off_t)s->file_bytes) ? -errno : 0;
}

/* Nodes are bound before the first touch, which would decide where a page lies. */
static int state_map(struct segment *s, const struct topology *topology)
{
	s->nextents = s->file_bytes / EXTENT_BYTES;
	s->extents = calloc(s->nextents, 1);
	if (!s->extents)
		return -ENOMEM;
	int err = map_file(&s->base, s->fd, s->file_bytes, PROT_READ | PROT_WRITE);

	if (err)
		return err;
	madvise(s->base, s->file_bytes, MADV_DONTFORK);		/* a child must not keep the memory of a dead scheduler */
	numa_plan(&s->placement, topology, s->file_bytes);
	numa_bind(&s->placement, s->base);
	return segment_populate(s, 0, HEAD_BYTES);
}

static void header_fill(struct segment *s)
{
	struct segment_header *header = (struct segment_header *)s->base;

	header->magic = SEGMENT_MAGIC;
	header->version = SEGMENT_VERSION;
	header->directory_bytes = sizeof(struct generation);
	header->file_bytes = s->file_bytes;
	header->writer_pid = (uint32_t)getpid();
	header->created = (int64_t)time(NULL);
	header->placement = s->placement;
}

static int readers_open(struct segment *s, const struct segment_options *options)
{
	unsigned mode = options->mode ? options->mode & 0777 : DEFAULT_MODE;

	return readers_create(&s->readers, s->paths.readers, mode | (mode & 0444) >> 1, options->group);
}

static int segment_make(struct segment *s, const struct segment_options *options, uint32_t *other)
{
	uint64_t bytes = options->file_bytes ? options->file_bytes : DEFAULT_BYTES;
	int err;

	s->file_bytes = (bytes + EXTENT_BYTES - 1) / EXTENT_BYTES * EXTENT_BYTES;
	if (s->file_bytes < bytes)
		return -EFBIG;
	if ((err = lock_take(s, other)) || (err = old_open(s)) || (err = state_create(s, options)) || (err = state_size(s)) ||
	    (err = state_map(s, options->topology)))
		return err;
	header_fill(s);
	return readers_open(s, options);
}

int segment_create(struct segment *s, const char *directory, const struct segment_options *options, uint32_t *other)
{
	memset(s, 0, sizeof(*s));
	s->fd = s->lock_fd = s->old_fd = s->readers.fd = -1;
	s->open = true;
	int err = segment_paths(&s->paths, directory);

	if (!err)
		err = segment_make(s, options, other);
	if (err)
		segment_close(s);
	return err;
}

static void descriptor_close(int fd)
{
	if (fd >= 0)
		close(fd);
}

int segment_announce(struct segment *s)
{
	char name[SEGMENT_PATH_BYTES];
	const uint32_t retired = 1;

	if (s->announced)
		return 0;
	if (s->old_fd >= 0 && pwrite(s->old_fd, &retired, sizeof(retired), offsetof(struct segment_header, retired)) < 0)
		return -errno;
	temporary_name(s, name);
	if (rename(name, s->paths.state))
		return -errno;
	s->announced = true;
	descriptor_close(s->old_fd);
	s->old_fd = -1;
	return 0;
}

/* The lock goes last: until then nobody else may touch the temporary file. */
void segment_close(struct segment *s)
{
	char name[SEGMENT_PATH_BYTES];

	if (!s->open)
		return;
	temporary_name(s, name);
	if (s->fd >= 0 && !s->announced)
		unlink(name);
	generation_close(s);
	readers_close(&s->readers);
	map_release(s->base, s->file_bytes);
	free(s->extents);
	free(s->facts_holders);
	descriptor_close(s->old_fd);
	descriptor_close(s->fd);
	descriptor_close(s->lock_fd);
	memset(s, 0, sizeof(*s));
}
