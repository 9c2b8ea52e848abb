/* SPDX-License-Identifier: Apache-2.0 */
#include "shm/look.h"

#include <byteswap.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shm/layout.h"

static enum look_found header_look(struct segment_sight *look, const struct segment_header *header, uint32_t records)
{
	if (header->magic == bswap_64(SEGMENT_MAGIC))
		return LOOK_SWAPPED;
	if (header->magic != SEGMENT_MAGIC)
		return LOOK_NO_SEGMENT;
	look->version = header->version;
	look->records = header->records;
	if (header->version != SEGMENT_VERSION || header->records != records ||
	    header->directory_bytes != sizeof(struct generation))
		return LOOK_OTHER_VERSION;
	if (look->bytes < HOMES_OFFSET || look->bytes > header->file_bytes)
		return LOOK_DAMAGED;
	return header->current ? LOOK_SEGMENT : LOOK_STARTING;
}

static enum look_found state_look(struct segment_sight *look, int fd, uint32_t records)
{
	struct segment_header header = { 0 };
	struct stat st;
	ssize_t n = pread(fd, &header, sizeof(header), 0);

	if (n < 0 || fstat(fd, &st))
		return LOOK_FAILED;
	look->bytes = (uint64_t)st.st_size;
	if (n == 0)
		return LOOK_EMPTY;
	return n < (ssize_t)sizeof(header) && header.magic == SEGMENT_MAGIC ? LOOK_DAMAGED
									    : header_look(look, &header, records);
}

/*
 * Inspect the writer's file before its first publication. The file is locked while the writer is
 * alive.
 */
static enum look_found unpublished_look(int dirfd)
{
	struct flock lock = { .l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 1 };
	int fd = place_file(dirfd, "state.new", O_RDONLY, 0);
	enum look_found found;

	if (fd < 0)
		return fd == -ENOENT ? LOOK_ENDED : LOOK_STARTING;
	found = fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type == F_WRLCK ? LOOK_STARTING : LOOK_ENDED;
	close(fd);
	return found;
}

static enum look_found place_entries_look(struct segment_sight *look, int dirfd, uint32_t records)
{
	int fd = place_file(dirfd, "state", O_RDONLY, 0);
	enum look_found found;

	if (fd == -ENOENT)
		return unpublished_look(dirfd);
	if (fd == -EISDIR || fd == -ELOOP || fd == -ENXIO)
		return LOOK_NO_FILE;
	if (fd < 0)
		return LOOK_FAILED;
	found = state_look(look, fd, records);
	close(fd);
	return found;
}

static enum look_found absence_look(const struct segment_sight *look)
{
	const char *name = strrchr(look->paths.directory, '/');
	char usual[SEGMENT_PATH_BYTES];
	struct stat st;

	if (stat(look->shm, &st) || !S_ISDIR(st.st_mode))
		return LOOK_NO_SHM;
	if (!name || strcmp(look->shm, SEGMENT_SHM) == 0)
		return LOOK_NOTHING;
	snprintf(usual, sizeof(usual), "%s%.*s", SEGMENT_SHM, (int)(sizeof(usual) - sizeof(SEGMENT_SHM)), name);
	return lstat(usual, &st) == 0 && S_ISDIR(st.st_mode) ? LOOK_ELSEWHERE : LOOK_NOTHING;
}

void segment_look(struct segment_sight *look, const char *directory, uint32_t records)
{
	int dirfd;

	memset(look, 0, sizeof(*look));
	snprintf(look->shm, sizeof(look->shm), "%s", segment_shm());
	if (segment_paths(&look->paths, directory))
		return;
	dirfd = place_open(&look->paths);
	if (dirfd >= 0)
		look->found = place_entries_look(look, dirfd, records);
	else if (dirfd == -ENOENT || dirfd == -ENOTDIR)
		look->found = absence_look(look);
	if (dirfd >= 0)
		close(dirfd);
}
