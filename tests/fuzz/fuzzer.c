/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parts of a harness besides libFuzzer's main(). At the end it prints how much of the input was
 * accepted and fails if none was.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/fuzz/support.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);

static void counts_report(void)
{
	fprintf(stderr, "%llu pieces, %llu taken\n", (unsigned long long)fuzz_counts.pieces,
		(unsigned long long)fuzz_counts.taken);
	if (fuzz_counts.taken == 0)
		_exit(3);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc, (void)argv;
	return atexit(counts_report);
}
