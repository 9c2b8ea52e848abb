/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work that the scheduler delegates to another process, because it may take long or needs the
 * rights of a user.
 */
#ifndef SHEPHERD_ERRANDS_H
#define SHEPHERD_ERRANDS_H

/*
 * Run an errand:
 *
 *     --tidy DIR                              remove the remains of an attempt whose shepherd was
 *                                             killed, and DIR
 *     --mail USER UID GID PROGRAM WORD...     send a message from standard input by sendmail(8),
 *                                             as USER
 *
 * Returns the exit status: 0, or 1 with the reason on standard error.
 */
int errand_tidy(const char *path);
int errand_mail(int argc, char **argv);

#endif
