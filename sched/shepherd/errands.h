/* SPDX-License-Identifier: Apache-2.0 */
/* What a scheduler has done by a process that is not it, since it may take long, or as a user. */
#ifndef SHEPHERD_ERRANDS_H
#define SHEPHERD_ERRANDS_H

/*
 *     --tidy DIR                              what a shepherd that was killed has left of an attempt,
 *                                             and DIR
 *     --mail USER UID GID PROGRAM WORD...     a letter from standard input, by sendmail(8), as USER
 *
 * An exit status: 0; 1, with the reason on standard error.
 */
int errand_tidy(const char *path);
int errand_mail(int argc, char **argv);

#endif
