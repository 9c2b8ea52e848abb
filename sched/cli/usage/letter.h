/* SPDX-License-Identifier: Apache-2.0 */
/* Sentences of the statement. Each function writes at most `size` bytes, with a NUL. */
#ifndef CLI_USAGE_LETTER_H
#define CLI_USAGE_LETTER_H

#include "sched/cli/usage/statement.h"

#define LETTER_BYTES 512		/* room for any sentence */

void letter_since(char *text, size_t size, const struct user_statement *statement);
void letter_used(char *text, size_t size, const struct user_statement *statement);
void letter_jobs(char *text, size_t size, const struct statement_jobs *jobs);
void letter_share(char *text, size_t size, const struct user_statement *statement);
void letter_rank(char *text, size_t size, const struct user_statement *statement);
void letter_recovery(char *text, size_t size, const struct user_statement *statement);

#endif
