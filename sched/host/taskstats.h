/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the kernel reports of threads as they end, also of those whom nobody waits for (taskstats,
 * by generic netlink).
 *
 *     taskstats_open(&t, &error)	requests the records of all processors, and proves it with a child of its own
 *     taskstats_next(&t, &record)	one after the other, until there is none left; never waits
 *     taskstats_close(&t)
 *
 * In: nothing. Out: a record for each thread that has ended on this machine, in the order of their
 * ends. It is written before /proc ceases to show the thread, so who has seen a process gone finds
 * its record. Nothing is allocated: what has not been read waits in the kernel,
 * TASKSTATS_WAITING_BYTES of it at most. What comes beyond is lost, and counted.
 *
 * The request needs CAP_NET_ADMIN in the initial user and PID namespaces; reading afterwards needs
 * nothing.
 */
#ifndef SCHED_HOST_TASKSTATS_H
#define SCHED_HOST_TASKSTATS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "conf/error.h"

#define TASKSTATS_WAITING_BYTES (32 << 20)

struct taskstats_record {
	pid_t process;			/* of this thread */
	pid_t parent;			/* of that, when the thread ended; 0: not known */
	uint64_t cpu_ns;		/* of this thread alone */
	/* not later than this, clock ticks since boot as in /proc/PID/stat */
	uint64_t began;
	bool last;			/* no thread of the process is left */
};

struct taskstats_socket {		/* private to taskstats.c */
	int fd;				/* -1: closed */
	uint16_t family;
	uint32_t drops;			/* the kernel's count, as far as reported */
	long ticks_per_s;
};

/*
 * -ENOTSUP: *error says why, as a clause. *t is closed then. Forks a child that ends at once, and
 * waits for it.
 */
int taskstats_open(struct taskstats_socket *socket, struct error *error);
/* No-op if it is closed. */
void taskstats_close(struct taskstats_socket *socket);

/*
 * 1: there was one; 0: none at present; -ENOBUFS: some were lost here, the next call goes on behind
 * them; another -errno
 */
int taskstats_next(struct taskstats_socket *socket, struct taskstats_record *record);
/* How many have been lost since the last call. */
uint32_t taskstats_lost(struct taskstats_socket *socket);

#endif
