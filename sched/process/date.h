/* SPDX-License-Identifier: Apache-2.0 */
/* Dates as users write them on a command line. */
#ifndef SCHED_PROCESS_DATE_H
#define SCHED_PROCESS_DATE_H

#include <stdint.h>

/* Examples for messages about a date that was refused. */
#define DATE_DUE "a date is expected, such as 2026-12-01, 2026-12-01T10:00, 2026-12-01T10:00Z or 12011000 (MMDDhhmm)"
#define DATE_FORMS "YYYY-MM-DD[Thh:mm[:ss]][Z|+hh:mm]|[[CC]YY]MMDDhhmm[.ss]|@SECONDS"

/*
 * Read a date, in epoch seconds:
 *
 *     2026-12-01  2026-12-01T10:00  2026-12-01 10:00:05  2026-12-01T10:00Z  2026-12-01T10:00+01:00
 *     12011000  2612011000  202612011000.05      [[CC]YY]MMDDhhmm[.ss] of Grid Engine
 *     @1796119200                                seconds since 1970
 *
 * Without Z or an offset it is local time. Without a year it is the year of `now`. -EINVAL: another
 * form, or a time that does not exist, such as an hour that a change of the clock skips.
 */
int date_parse(const char *text, int64_t now, int64_t *time);

#endif
