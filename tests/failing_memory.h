/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A malloc(3) that fails on request and counts live allocations. For one file of a program.
 * CAN_FAIL is not defined with sanitizers, which have an allocator of their own.
 */
#ifndef TESTS_FAILING_MEMORY_H
#define TESTS_FAILING_MEMORY_H

#ifndef __SANITIZE_ADDRESS__
#ifndef __SANITIZE_THREAD__
#define CAN_FAIL

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *old);
#pragma GCC visibility push(default)	/* for the libraries, too */
void *malloc(size_t size);
void *calloc(size_t n, size_t size);
void *realloc(void *old, size_t size);
void *reallocarray(void *old, size_t n, size_t size);
void *aligned_alloc(size_t alignment, size_t size);
void free(void *old);
#pragma GCC visibility pop

static volatile long left = -1;		/* allocations that succeed before one fails; -1: all do */
/* volatile: compilers assume that malloc() changes no variable. */
static volatile long alive;

static bool fails(void)
{
	if (left < 0 || left-- > 0)
		return false;
	errno = ENOMEM;
	return true;
}

static void *counted(void *new)
{
	alive += new != NULL;
	return new;
}

void *malloc(size_t size)
{
	return fails() ? NULL : counted(__libc_malloc(size));
}

void *calloc(size_t n, size_t size)
{
	return fails() ? NULL : counted(__libc_calloc(n, size));
}

void *realloc(void *old, size_t size)
{
	return !old ? malloc(size) : fails() ? NULL : __libc_realloc(old, size);
}

void *reallocarray(void *old, size_t n, size_t size)
{
	return realloc(old, n * size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
	return fails() ? NULL : counted(__libc_memalign(alignment, size));
}

void free(void *old)
{
	alive -= old != NULL;
	__libc_free(old);
}

#endif
#endif
#endif
