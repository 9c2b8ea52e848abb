/* SPDX-License-Identifier: Apache-2.0 */
/* Included first into every file of `make coverage`: a process that ends by _exit() stores its counters, too.
 * Processes that a signal kills lose theirs. */
#pragma once

#include <unistd.h>

void __gcov_dump(void);

#define _exit(status) (__gcov_dump(), _exit(status))
