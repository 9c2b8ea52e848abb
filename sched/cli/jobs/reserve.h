/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Output of advance reservations: jobs/reserve_stat.c shows them, and jobs/reserve_xml.c prints
 * them like qrstat -xml.
 */
#ifndef CLI_JOBS_RESERVE_H
#define CLI_JOBS_RESERVE_H

#include "sched/process/names.h"
#include "sched/cli/options.h"
#include "sched/mirror/event.h"

struct reserve_stat {
	struct names numbers, users;	/* -ar, -u; empty: all */
	struct format format;
	int error;			/* result of the last attempt */
	size_t found;
};

#define RESERVE_STAT_ROWS \
	{ "-ar", ARGUMENT_CALL, .call = reserve_stat_numbers, .value = "N[,...]", \
	  .sentence = "stat: show all data of these reservations" }, \
	{ "-u", ARGUMENT_CALL, .call = reserve_stat_users, .value = "USER[,...]", \
	  .sentence = "stat: show only reservations of these users" }, \
	OPTION_FORMAT("-xml", offsetof(struct reserve_stat, format), reserve_stat_xml, "stat: print XML, like qrstat -xml"), \
	OPTION_FORMAT("--json", offsetof(struct reserve_stat, format), reserve_stat_json, "stat: print JSON")

/* Print each requested reservation of a section. Return an exit code. */
typedef void reserve_print(struct out *out, struct reserve_stat *stat, const struct advance_event *event);
int reserve_each(const struct fl_view *view, struct out *out, struct reserve_stat *stat, reserve_print *print);
/* Print "hh:mm:ss". Hours may have more digits. */
void reserve_duration(struct out *out, int64_t seconds);

int reserve_stat_numbers(void *stat, struct words *words);
int reserve_stat_users(void *stat, struct words *words);
section_print reserve_stat_json, reserve_stat_xml;
verb_show reserve_stat_show;

#endif
