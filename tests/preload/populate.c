/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Preloaded: memory requested in advance is reported as present and is not. The negative control of
 * tests/shm/full.sh.
 */
#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23		/* Linux 5.14 */
#endif

__attribute__((visibility("default"))) int madvise(void *at, size_t bytes, int advice)
{
	return advice == MADV_POPULATE_WRITE ? 0 : (int)syscall(SYS_madvise, at, bytes, advice);
}
