/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel's records of threads that have ended, including threads that were not waited for
 * (taskstats, by generic netlink).
 *
 *     taskstats_open(&socket, &error)     request the records of all processors, and test this with a
 *                                         child process
 *     taskstats_next(&socket, &record)    read one record; never waits
 *     taskstats_close(&socket)
 *
 * Output: one record for each thread that has ended on this machine, in the order of their ends. A
 * record is written before /proc stops showing the thread, so a reader that sees that a process has
 * ended finds its record. Nothing is allocated. Records that were not read wait in the kernel, at
 * most TASKSTATS_WAITING_BYTES of them. Further records are lost and counted.
 *
 * The request needs CAP_NET_ADMIN in the initial user and PID namespaces. Reading afterwards needs
 * no privilege.
 */
#ifndef SCHED_HOST_TASKSTATS_H
#define SCHED_HOST_TASKSTATS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "conf/base/error.h"

#define TASKSTATS_WAITING_BYTES (32 << 20)

struct taskstats_record {
	pid_t process;			/* process of this thread */
	pid_t parent;			/* parent when the thread ended; 0: not known */
	uint64_t cpu_ns;		/* CPU time of this thread only */
	/* latest possible start, clock ticks since boot as in /proc/PID/stat */
	uint64_t began;
	bool last;			/* no thread of the process is left */
};

struct taskstats_socket {		/* Private to taskstats.c. */
	int fd;				/* -1: closed */
	uint16_t family;
	uint32_t drops;			/* the kernel's count, as far as reported */
	long ticks_per_s;
};

/*
 * Open the socket. Forks a child that ends at once, and waits for it. On -ENOTSUP *error has the
 * reason as a clause, and the socket is closed.
 */
int taskstats_open(struct taskstats_socket *socket, struct error *error);
/* Close the socket, if it is open. */
void taskstats_close(struct taskstats_socket *socket);

/*
 * Read a record. Returns 1 if there was one, 0 if there is none at present, or -errno. -ENOBUFS:
 * records were lost here; the next call continues after them.
 */
int taskstats_next(struct taskstats_socket *socket, struct taskstats_record *record);
/* Return the number of records lost since the last call. */
uint32_t taskstats_lost(struct taskstats_socket *socket);

#endif
