/* SPDX-License-Identifier: Apache-2.0 */
/* Advance reservations: reserve.c makes and deletes them, reserve_stat.c shows them. */
#ifndef CLI_RESERVE_H
#define CLI_RESERVE_H

#include "sched/cli/names.h"
#include "sched/cli/options.h"

struct reserve_stat {
	struct names numbers, users;	/* -ar, -u; none: all */
	struct format format;
	int error;			/* of the last try */
	size_t found;
};

#define RESERVE_STAT_ROWS \
	{ "-ar", ARGUMENT_CALL, .call = reserve_stat_numbers, .value = "N[,...]", .sentence = "stat: all of these reservations" }, \
	{ "-u", ARGUMENT_CALL, .call = reserve_stat_users, .value = "USER[,...]", .sentence = "stat: those of these users" }, \
	OPTION_FORMAT("--json", offsetof(struct reserve_stat, format), reserve_stat_json, "stat: as JSON")

int reserve_stat_numbers(void *stat, struct words *w);
int reserve_stat_users(void *stat, struct words *w);
section_print reserve_stat_table, reserve_stat_json;
int reserve_stat_run(const char *cell, struct words *words);

#endif
