/* SPDX-License-Identifier: Apache-2.0 */
/* Options of the commands that make and delete advance reservations. */
#ifndef CLIENT_RESERVE_H
#define CLIENT_RESERVE_H

#include "sched/client/job.h"

struct reservation_wish {
	struct job job;			/* only its members are used */
	bool verify, terse;
};

#define RESERVE_SUB_ROWS \
	{ "-a", ARGUMENT_CALL, .call = job_take_date, .detail = "start_time", .value = "DATE", \
	  .sentence = "sub: begin at this time, 2026-12-01T10:00 or MMDDhhmm (default: now)" }, \
	{ "-A", ARGUMENT_CALL, .call = job_take_text, .detail = "account", .value = "ACCOUNT", \
	  .sentence = "sub: set the account" }, \
	{ "-ckpt", ARGUMENT_CALL, .call = job_take_text, .detail = "checkpoint", .value = "NAME", \
	  .sentence = "sub: use queues with this checkpointing environment" }, \
	{ "-d", ARGUMENT_CALL, .call = reserve_take_duration, .detail = "duration", .value = "TIME", \
	  .sentence = "sub: last this long: 8:0:0, 8h or seconds" }, \
	{ "-e", ARGUMENT_CALL, .call = job_take_date, .detail = "end_time", .value = "DATE", \
	  .sentence = "sub: end at this time" }, \
	{ "-he", ARGUMENT_CALL, .call = job_take_bool, .detail = "hard_error", .value = "y|n", \
	  .sentence = "sub: y: start no job in it while it is in error" }, \
	{ "-l", ARGUMENT_CALL, .call = job_take_resources, .value = "NAME[=VALUE][,...]", \
	  .sentence = "sub: reserve these resources for each slot" }, \
	{ "-masterq", ARGUMENT_CALL, .call = job_take_queues, .detail = "master_queue_list", .value = "QUEUE[,...]", \
	  .sentence = "sub: run master tasks in these queues" }, \
	{ "-N", ARGUMENT_CALL, .call = job_take_name, .detail = "name", .value = "NAME", \
	  .sentence = "sub: set the name" }, \
	{ "-now", ARGUMENT_CALL, .call = job_take_bool, .detail = "now", .value = "y|n", \
	  .sentence = "sub: y: use queues of type INTERACTIVE" }, \
	{ "-pe", ARGUMENT_CALL, .call = job_take_pe, .detail = "pe", .value = "NAME N[-M][,...]", \
	  .sentence = "sub: reserve slots of a parallel environment" }, \
	{ "-q", ARGUMENT_CALL, .call = job_take_queues, .value = "QUEUE[,...]", .sentence = "sub: use these queues" }, \
	{ "-terse", ARGUMENT_FLAG, .field = offsetof(struct reservation_wish, terse), .sentence = "sub: print only its number" }, \
	{ "-u", ARGUMENT_CALL, .call = job_take_text, .detail = "access_list", .value = "USER|@USERSET[,...]", \
	  .sentence = "sub: allow these users to use it (default: its owner)" }, \
	{ "-w", ARGUMENT_CALL, .field = offsetof(struct reservation_wish, verify), .call = reserve_take_validation, .value = "e|v", .sentence = "sub: v: check only whether it is possible" }

#define RESERVE_DEL_ROWS \
	{ "-u", ARGUMENT_CALL, .call = reserve_take_users, .value = "USER[,...]", \
	  .sentence = "del: delete the reservations of these users: all, or the named ones" }

int reserve_take_duration(void *wish, struct words *words);
int reserve_take_validation(void *verify, struct words *words);
int reserve_take_users(void *users, struct words *words);

#endif
