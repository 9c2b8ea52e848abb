/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests to a qmaster and its answers: packets of tasks. A request:
 *
 *     gdi_write_header(&writer);
 *     gdi_task_begin(&writer, GDI_GET, GDI_JOBS);
 *     gdi_write_null(&writer);			its data: a list, or NULL
 *     gdi_task_where(&writer);			answers NULL; a condition follows
 *     gdi_write_everywhere(&writer);
 *     gdi_write_wanted(&writer, NULL, 0);		and the fields
 *     gdi_task_end(&writer, credential, 1, false);
 *
 * gdi_task_simple() writes the last four for a task without condition and fields, which is any
 * except a GET. writer.packet is the number of the packet, which the answer repeats.
 */
#ifndef SCHED_QMASTER_GDI_PACKET_H
#define SCHED_QMASTER_GDI_PACKET_H

#include "sched/qmaster/gdi/element.h"
#include "sched/qmaster/gdi/writer.h"

enum gdi_command {
	GDI_GET = 1,
	GDI_ADD = 2,
	GDI_DEL = 3,
	GDI_MOD = 4,
	GDI_TRIGGER = 5,
	GDI_PERMCHECK = 6,
	GDI_RETURN_NEW = 0x100
};

enum gdi_target {
	GDI_ADMIN_HOSTS = 1,
	GDI_SUBMIT_HOSTS,
	GDI_EXEC_HOSTS,
	GDI_CLUSTER_QUEUES,
	GDI_JOB_LIST,
	GDI_EVENT_CLIENTS,
	GDI_COMPLEXES,
	GDI_ORDERS,
	GDI_MASTER_EVENT,
	GDI_CONFIGURATIONS,
	GDI_MANAGERS,
	GDI_OPERATORS,
	GDI_PES,
	GDI_SCHED_CONF,
	GDI_USERS,
	GDI_USERSETS,
	GDI_PROJECTS,
	GDI_SHARE_TREE,
	GDI_CHECKPOINTS,
	GDI_CALENDARS,
	GDI_JOB_INFO,
	GDI_ZOMBIES,
	GDI_USER_MAPPING,
	GDI_HOST_GROUPS,
	GDI_QUOTAS,
	GDI_RESERVATIONS,
	GDI_DUMMY,
};

enum gdi_status {
	GDI_OK = 1,
	GDI_DENIED_HOST = 8,
	GDI_NOT_MANAGER = 9,
	GDI_NOT_OPERATOR = 10,
	GDI_NO_USER = 15,
	GDI_DENIED = 20,
	GDI_VERSION = 21
};
enum gdi_quality { GDI_CRITICAL, GDI_ERROR, GDI_WARNING, GDI_INFO, GDI_END };

void gdi_task_begin(struct gdi_writer *writer, uint32_t command, enum gdi_target target);
void gdi_task_where(struct gdi_writer *writer);
void gdi_task_end(struct gdi_writer *writer, const char *credential, uint32_t id, bool more);
void gdi_task_simple(struct gdi_writer *writer, const char *credential, uint32_t id, bool more);

struct gdi_answer {			/* answer to one task */
	uint32_t command, target, id, packet;
	struct gdi_list data;
	/*
	 * Status, quality and text of the worst answer that is not OK. GDI_OK with "": success.
	 * Success with another status is reported with quality GDI_INFO.
	 */
	uint32_t status, quality;
	const char *text;
	bool more;			/* another task follows */
};

/*
 * Take the answer to the next task. It is checked as a whole; after the last one no bytes may be
 * left. -EPROTO.
 */
int gdi_take_answer(struct gdi_buffer *buffer, struct gdi_answer *answer, struct error *error);

#endif
