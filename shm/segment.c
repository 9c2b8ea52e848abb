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
/*
 * largest number accepted from a file: a pin is a generation shifted by one bit, and no real cell
 * gets there
 */
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
 * Write the pid, which is only used in messages. A full /dev/shm must not prevent the writer from
 * starting, so errors are ignored.
 */
static void pid_write(int fd)
{
	char text[16];
	int n = snprintf(text, sizeof(text), "%d\n", (int)getpid());

	if (ftruncate(fd, 0) == 0 && pwrite(fd, text, (size_t)n, 0) < 0)
		return;
}

/* Store the name that an error is about, and return the error. */
static int about(struct segment_trouble *trouble, const struct segment *segment, const char *name, int rc)
{
	if (rc < 0)
		snprintf(trouble->path, sizeof(trouble->path), "%.*s%s", SEGMENT_PATH_BYTES - 16,
			 segment->paths.directory, name);
	return rc;
}

static int place_take(struct segment *segment, struct segment_trouble *trouble)
{
	segment->place_fd = place_make(&segment->paths, &segment->other_owner);
	if (segment->place_fd == -EPERM)
		trouble->other_owner = segment->other_owner;
	return segment->place_fd < 0 ? segment->place_fd : 0;
}

static int lock_take(struct segment *segment, struct segment_trouble *trouble)
{
	segment->lock_fd = place_file(segment->place_fd, "lock", O_RDWR | O_CREAT, 0600);
	if (segment->lock_fd < 0)
		return segment->lock_fd;
	int rc = file_lock(segment->lock_fd, 0, 0);

	if (rc == -EAGAIN || rc == -EACCES) {
		trouble->pid = pid_read(segment->lock_fd);
		return -EBUSY;
	}
	if (!rc)
		pid_write(segment->lock_fd);
	return rc;
}

/*
 * Open the predecessor's file to continue its generation numbers. The file may have any contents,
 * so it is read with pread(2).
 */
static int old_open(struct segment *segment)
{
	struct segment_header old;

	segment->old_fd = place_file(segment->place_fd, "state", O_RDWR, 0);
	if (segment->old_fd == -ENOENT)
		return 0;
	if (segment->old_fd < 0)
		return segment->old_fd;
	if (pread(segment->old_fd, &old, sizeof(old), 0) == (ssize_t)sizeof(old) && old.magic == SEGMENT_MAGIC &&
	    old.current < LAST_GENERATION)
		segment->last_gen = old.current;
	return 0;
}

/*
 * Create the new state file. The caller holds the writer's lock, so a file of this name was left by
 * a killed predecessor. The file is locked before any other process can open it.
 */
static int state_create(struct segment *segment, const struct segment_options *options)
{
	if (unlinkat(segment->place_fd, NEW, 0) && errno != ENOENT)
		return -errno;
	segment->fd = place_file(segment->place_fd, NEW, O_RDWR | O_CREAT | O_EXCL, 0600);
	if (segment->fd < 0)
		return segment->fd;
	int rc = file_lock(segment->fd, 0, 1);

	if (rc)
		return rc;
	if (options->group >= 0 && fchown(segment->fd, (uid_t)-1, (gid_t)options->group))
		return -errno;
	return fchmod(segment->fd, options->mode ? options->mode & 0777 : DEFAULT_MODE) ? -errno : 0;
}

/*
 * Map the head. Nodes are bound before the first touch, which would decide where a page is
 * allocated.
 */
static int head_make(struct segment *segment, uint64_t bytes, size_t n)
{
	int rc = 0;

	/* Check that the kernel knows each node. */
	for (unsigned k = 0; k < segment->placement.nodes && !rc; k++)
		rc = numa_bind(&segment->placement, segment->base, n * EXTENT_BYTES,
			       numa_home_of(&segment->placement, k));
	if (!rc)
		rc = numa_bind(&segment->placement, segment->base, n * EXTENT_BYTES,
			       numa_home_of_all(&segment->placement));
	if (rc) {
		segment->placement.state = PLACEMENT_REFUSED;
		segment->placement.error = (uint32_t)-rc;
	}
	rc = segment_populate(segment, 0, bytes);
	if (rc)
		return rc;
	segment->homes = segment->base + HOMES_OFFSET;
	segment_hold(segment, n);
	return 0;
}

static int state_map(struct segment *segment, const struct topology *topology)
{
	uint64_t head = HOMES_OFFSET + segment->nextents, n = (head + EXTENT_BYTES - 1) / EXTENT_BYTES;
	int rc = n < segment->nextents ? segment_grow(segment, n * EXTENT_BYTES) : -EFBIG;

	if (rc)
		return rc;
	segment->extents = calloc(segment->nextents, 1);
	if (!segment->extents)
		return -ENOMEM;
	rc = map_reserve(&segment->base, segment->file_bytes);
	if (!rc)
		rc = map_file(segment->base, segment->fd, 0, segment->file_bytes, PROT_READ | PROT_WRITE);
	if (rc)
		return rc;
	/* a child must not keep the memory of a dead writer */
	madvise(segment->base, segment->file_bytes, MADV_DONTFORK);
	numa_plan(&segment->placement, topology);
	return head_make(segment, head, n);
}

static void header_fill(struct segment *segment, uint32_t records)
{
	struct segment_header *header = (struct segment_header *)segment->base;

	header->magic = SEGMENT_MAGIC;
	header->version = SEGMENT_VERSION;
	header->records = records;
	header->directory_bytes = sizeof(struct generation);
	header->file_bytes = segment->file_bytes;
	atomic_store_explicit(&header->grown, segment->grown, memory_order_relaxed);
	header->writer_pid = (uint32_t)getpid();
	header->created = (int64_t)time(NULL);
	header->placement = segment->placement;
	header->readers = segment->readers.place;
}

static int segment_make(struct segment *segment, const struct segment_options *options, struct segment_trouble *trouble)
{
	uint64_t bytes = options->file_bytes ? options->file_bytes : DEFAULT_BYTES;
	unsigned mode = options->mode ? options->mode & 0777 : DEFAULT_MODE;
	int rc;

	segment->file_bytes = (bytes + EXTENT_BYTES - 1) / EXTENT_BYTES * EXTENT_BYTES;
	segment->nextents = segment->file_bytes / EXTENT_BYTES;
	if (segment->file_bytes < bytes)
		return -EFBIG;
	if ((rc = about(trouble, segment, "", place_take(segment, trouble))) ||
	    (rc = about(trouble, segment, "/lock", lock_take(segment, trouble))) ||
	    (rc = about(trouble, segment, "/state", old_open(segment))) ||
	    (rc = about(trouble, segment, "/" NEW, state_create(segment, options))))
		return rc;
	rc = about(trouble, segment, "/" NEW,
		   segment_limited(segment->file_bytes) ? -EFBIG : state_map(segment, options->topology));
	if (rc)
		return rc;
	readers_create(&segment->readers, segment->fd, mode | (mode & 0444) >> 1, options->group);
	header_fill(segment, options->records);
	return 0;
}

int segment_create(struct segment *segment, const char *directory, const struct segment_options *options,
		   struct segment_trouble *trouble)
{
	struct segment_trouble unheard;

	trouble = trouble ? trouble : &unheard;
	memset(trouble, 0, sizeof(*trouble));
	memset(segment, 0, sizeof(*segment));
	segment->fd = segment->lock_fd = segment->old_fd = segment->place_fd = -1;
	segment->open = true;
	int rc = segment_paths(&segment->paths, directory);

	if (!rc)
		rc = segment_make(segment, options, trouble);
	trouble->lack = segment->lack;
	if (rc)
		segment_close(segment);
	return rc;
}

int segment_create_private(struct segment *segment, uint64_t file_bytes, uint32_t records)
{
	memset(segment, 0, sizeof(*segment));
	segment->lock_fd = segment->old_fd = segment->place_fd = -1;
	segment->open = segment->announced = true;
	segment->readers = (struct readers){ .writer = true, .fd = -1, .place.shmid = -1 };
	segment->file_bytes = (file_bytes + EXTENT_BYTES - 1) / EXTENT_BYTES * EXTENT_BYTES;
	segment->nextents = segment->file_bytes / EXTENT_BYTES;
	segment->fd = memfd_create("fairlead", MFD_CLOEXEC);
	int rc = segment->fd < 0							    ? -errno
		 : segment->file_bytes < file_bytes || segment_limited(segment->file_bytes) ? -EFBIG
											    : state_map(segment, NULL);

	if (rc)
		segment_close(segment);
	else
		header_fill(segment, records);
	return rc;
}

static void descriptor_close(int fd)
{
	if (fd >= 0)
		close(fd);
}

int segment_announce(struct segment *segment)
{
	const uint32_t retired = 1;

	if (segment->announced)
		return 0;
	if (segment->old_fd >= 0 &&
	    pwrite(segment->old_fd, &retired, sizeof(retired), offsetof(struct segment_header, retired)) < 0)
		return -errno;
	if (renameat(segment->place_fd, NEW, segment->place_fd, "state"))
		return -errno;
	segment->announced = true;
	descriptor_close(segment->old_fd);
	segment->old_fd = -1;
	return 0;
}

/*
 * Close the segment. The lock is released last, because no other process may touch the temporary
 * file until then.
 */
void segment_close(struct segment *segment)
{
	if (!segment->open)
		return;
	if (segment->fd >= 0 && !segment->announced)
		unlinkat(segment->place_fd, NEW, 0);
	generation_close(segment);
	readers_close(&segment->readers);
	map_release(segment->base, segment->file_bytes);
	free(segment->extents);
	free(segment->facts_holders);
	descriptor_close(segment->old_fd);
	descriptor_close(segment->fd);
	descriptor_close(segment->lock_fd);
	descriptor_close(segment->place_fd);
	memset(segment, 0, sizeof(*segment));
}
