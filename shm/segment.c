/* SPDX-License-Identifier: Apache-2.0 */
#include "shm/segment.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "shm/generation.h"
#include "shm/map.h"
#include "shm/numa.h"

#define DEFAULT_BYTES ((uint64_t)16 << 30)
#define DEFAULT_MODE 0644u
#define NEW "state.new"
/* a pin is a generation shifted by one; more is somebody's joke */
#define LAST_GENERATION ((uint64_t)1 << 62)

static int file_lock(int fd, off_t start, off_t length)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = start, .l_len = length };

	return fcntl(fd, F_OFD_SETLK, &lock) ? -errno : 0;
}

static uint32_t pid_read(int fd)
{
	char text[16] = "";
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);

	return n > 0 ? (uint32_t)strtoul(text, NULL, 10) : 0;
}

/*
 * The pid is there for a message; a full /dev/shm must not keep a writer from starting for its
 * sake.
 */
static void pid_write(int fd)
{
	char text[16];
	int n = snprintf(text, sizeof(text), "%d\n", (int)getpid());

	if (ftruncate(fd, 0) == 0 && pwrite(fd, text, (size_t)n, 0) < 0)
		return;
}

/* A name that an error is about; the error goes on. */
static int about(struct segment_trouble *trouble, const struct segment *s, const char *name, int rc)
{
	if (rc < 0)
		snprintf(trouble->path, sizeof(trouble->path), "%.*s%s", SEGMENT_PATH_BYTES - 16, s->paths.directory, name);
	return rc;
}

static int place_take(struct segment *s, struct segment_trouble *trouble)
{
	s->place_fd = place_make(&s->paths, &s->stranger);
	if (s->place_fd == -EPERM)
		trouble->stranger = s->stranger;
	return s->place_fd < 0 ? s->place_fd : 0;
}

static int lock_take(struct segment *s, struct segment_trouble *trouble)
{
	s->lock_fd = place_file(s->place_fd, "lock", O_RDWR | O_CREAT, 0600);
	if (s->lock_fd < 0)
		return s->lock_fd;
	int rc = file_lock(s->lock_fd, 0, 0);

	if (rc == -EAGAIN || rc == -EACCES) {
		trouble->pid = pid_read(s->lock_fd);
		return -EBUSY;
	}
	if (!rc)
		pid_write(s->lock_fd);
	return rc;
}

/*
 * The predecessor's file: where its generation numbers ended. Read by pread(2), for it may be
 * anything.
 */
static int old_open(struct segment *s)
{
	struct segment_header old;

	s->old_fd = place_file(s->place_fd, "state", O_RDWR, 0);
	if (s->old_fd == -ENOENT)
		return 0;
	if (s->old_fd < 0)
		return s->old_fd;
	if (pread(s->old_fd, &old, sizeof(old), 0) == (ssize_t)sizeof(old) && old.magic == SEGMENT_MAGIC && old.current < LAST_GENERATION)
		s->last_gen = old.current;
	return 0;
}

/*
 * Under the lock nobody else makes one, so a file of this name is a killed predecessor's. Locked
 * before anybody else can open it.
 */
static int state_create(struct segment *s, const struct segment_options *options)
{
	if (unlinkat(s->place_fd, NEW, 0) && errno != ENOENT)
		return -errno;
	s->fd = place_file(s->place_fd, NEW, O_RDWR | O_CREAT | O_EXCL, 0600);
	if (s->fd < 0)
		return s->fd;
	int rc = file_lock(s->fd, 0, 1);

	if (rc)
		return rc;
	if (options->group >= 0 && fchown(s->fd, (uid_t)-1, (gid_t)options->group))
		return -errno;
	return fchmod(s->fd, options->mode ? options->mode & 0777 : DEFAULT_MODE) ? -errno : 0;
}

/* Nodes are bound before the first touch, which would decide where a page lies. */
static int head_make(struct segment *s, uint64_t bytes, size_t n)
{
	int rc = 0;

	/* does the kernel know each of them? */
	for (unsigned k = 0; k < s->placement.nodes && !rc; k++)
		rc = numa_bind(&s->placement, s->base, n * EXTENT_BYTES, numa_home_of(&s->placement, k));
	if (!rc)
		rc = numa_bind(&s->placement, s->base, n * EXTENT_BYTES, numa_home_of_all(&s->placement));
	if (rc) {
		s->placement.state = PLACEMENT_REFUSED;
		s->placement.error = (uint32_t)-rc;
	}
	rc = segment_populate(s, 0, bytes);
	if (rc)
		return rc;
	s->homes = s->base + HOMES_OFFSET;
	segment_hold(s, n);
	return 0;
}

static int state_map(struct segment *s, const struct topology *topology)
{
	uint64_t head = HOMES_OFFSET + s->nextents, n = (head + EXTENT_BYTES - 1) / EXTENT_BYTES;
	int rc = n < s->nextents ? segment_grow(s, n * EXTENT_BYTES) : -EFBIG;

	if (rc)
		return rc;
	s->extents = calloc(s->nextents, 1);
	if (!s->extents)
		return -ENOMEM;
	rc = map_reserve(&s->base, s->file_bytes);
	if (!rc)
		rc = map_file(s->base, s->fd, 0, s->file_bytes, PROT_READ | PROT_WRITE);
	if (rc)
		return rc;
	/* a child must not keep the memory of a dead writer */
	madvise(s->base, s->file_bytes, MADV_DONTFORK);
	numa_plan(&s->placement, topology);
	return head_make(s, head, n);
}

static void header_fill(struct segment *s, uint32_t records)
{
	struct segment_header *header = (struct segment_header *)s->base;

	header->magic = SEGMENT_MAGIC;
	header->version = SEGMENT_VERSION;
	header->records = records;
	header->directory_bytes = sizeof(struct generation);
	header->file_bytes = s->file_bytes;
	atomic_store_explicit(&header->grown, s->grown, memory_order_relaxed);
	header->writer_pid = (uint32_t)getpid();
	header->created = (int64_t)time(NULL);
	header->placement = s->placement;
	header->readers = s->readers.place;
}

static int segment_make(struct segment *s, const struct segment_options *options, struct segment_trouble *trouble)
{
	uint64_t bytes = options->file_bytes ? options->file_bytes : DEFAULT_BYTES;
	unsigned mode = options->mode ? options->mode & 0777 : DEFAULT_MODE;
	int rc;

	s->file_bytes = (bytes + EXTENT_BYTES - 1) / EXTENT_BYTES * EXTENT_BYTES;
	s->nextents = s->file_bytes / EXTENT_BYTES;
	if (s->file_bytes < bytes)
		return -EFBIG;
	if ((rc = about(trouble, s, "", place_take(s, trouble))) || (rc = about(trouble, s, "/lock", lock_take(s, trouble))) ||
	    (rc = about(trouble, s, "/state", old_open(s))) || (rc = about(trouble, s, "/" NEW, state_create(s, options))))
		return rc;
	rc = about(trouble, s, "/" NEW, segment_limited(s->file_bytes) ? -EFBIG : state_map(s, options->topology));
	if (rc)
		return rc;
	readers_create(&s->readers, s->fd, mode | (mode & 0444) >> 1, options->group);
	header_fill(s, options->records);
	return 0;
}

int segment_create(struct segment *s, const char *directory, const struct segment_options *options, struct segment_trouble *trouble)
{
	struct segment_trouble unheard;

	trouble = trouble ? trouble : &unheard;
	memset(trouble, 0, sizeof(*trouble));
	memset(s, 0, sizeof(*s));
	s->fd = s->lock_fd = s->old_fd = s->place_fd = -1;
	s->open = true;
	int rc = segment_paths(&s->paths, directory);

	if (!rc)
		rc = segment_make(s, options, trouble);
	trouble->lack = s->lack;
	if (rc)
		segment_close(s);
	return rc;
}

int segment_create_private(struct segment *s, uint64_t file_bytes, uint32_t records)
{
	memset(s, 0, sizeof(*s));
	s->lock_fd = s->old_fd = s->place_fd = -1;
	s->open = s->announced = true;
	s->readers = (struct readers){ .writer = true, .fd = -1, .place.shmid = -1 };
	s->file_bytes = (file_bytes + EXTENT_BYTES - 1) / EXTENT_BYTES * EXTENT_BYTES;
	s->nextents = s->file_bytes / EXTENT_BYTES;
	s->fd = memfd_create("fairlead", MFD_CLOEXEC);
	int rc = s->fd < 0 ? -errno : s->file_bytes < file_bytes || segment_limited(s->file_bytes) ? -EFBIG : state_map(s, NULL);

	if (rc)
		segment_close(s);
	else
		header_fill(s, records);
	return rc;
}

static void descriptor_close(int fd)
{
	if (fd >= 0)
		close(fd);
}

int segment_announce(struct segment *s)
{
	const uint32_t retired = 1;

	if (s->announced)
		return 0;
	if (s->old_fd >= 0 && pwrite(s->old_fd, &retired, sizeof(retired), offsetof(struct segment_header, retired)) < 0)
		return -errno;
	if (renameat(s->place_fd, NEW, s->place_fd, "state"))
		return -errno;
	s->announced = true;
	descriptor_close(s->old_fd);
	s->old_fd = -1;
	return 0;
}

/* The lock goes last: until then nobody else may touch the temporary file. */
void segment_close(struct segment *s)
{
	if (!s->open)
		return;
	if (s->fd >= 0 && !s->announced)
		unlinkat(s->place_fd, NEW, 0);
	generation_close(s);
	readers_close(&s->readers);
	map_release(s->base, s->file_bytes);
	free(s->extents);
	free(s->facts_holders);
	descriptor_close(s->old_fd);
	descriptor_close(s->fd);
	descriptor_close(s->lock_fd);
	descriptor_close(s->place_fd);
	memset(s, 0, sizeof(*s));
}
