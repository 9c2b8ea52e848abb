/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tickets of tasks. Tickets that hosts must receive are in one list. The qmaster sends one message
 * for each host and list, and a host handles the jobs of one message at a time.
 */
#include <string.h>

#include "sched/qmaster/gridengine/packed.h"

#define COUNT(WORDS) (sizeof(WORDS) / sizeof(*(WORDS)))
#define DOUBLE (GDI_REDUCED | GDI_DOUBLE)
#define LIST (GDI_REDUCED | GDI_LIST)

/* The order of these fields is fixed: see packed.h. */
static const struct gdi_word job_words[] = {
	{ JB_nppri, DOUBLE }, { JB_nurg, DOUBLE }, { JB_urg, DOUBLE }, { JB_rrcontr, DOUBLE }, { JB_dlcontr, DOUBLE },
	{ JB_wtcontr, DOUBLE }, { JB_ja_tasks, LIST },
};

/* The last field is only written if hosts must receive the tickets. */
static const struct gdi_word task_words[] = {
	{ JAT_task_number, GDI_REDUCED | GDI_U32 }, { JAT_tix, DOUBLE }, { JAT_oticket, DOUBLE },
	{ JAT_fticket, DOUBLE }, { JAT_sticket, DOUBLE }, { JAT_share, DOUBLE }, { JAT_prio, DOUBLE },
	{ JAT_ntix, DOUBLE }, { JAT_granted_destin_identifier_list, LIST },
};

static const struct gdi_word granted_words[] = {
	{ JG_qname, 0x10708 }, { JG_qversion, 0x803 }, { JG_qhostname, 0x1020c }, { JG_slots, 0x10003 },
	{ JG_queue, 0x8080a }, { JG_tag_slave_job, 0x803 }, { JG_task_id_range, 0x803 }, { JG_ticket, 0x802 },
	{ JG_oticket, 0x802 }, { JG_fticket, 0x802 }, { JG_sticket, 0x802 }, { JG_jcoticket, 0x802 },
	{ JG_jcfticket, 0x802 }, { JG_processors, 0x808 },
};

static void write_granted(struct gdi_writer *writer, const struct packed_ticket *ticket)
{
	size_t list = gdi_list_begin(writer, "", granted_words, COUNT(granted_words));

	for (size_t i = 0; i < ticket->n; i++) {
		const struct packed_instance *instance = &ticket->granted[i];
		const char *at = strchr(instance->queue, '@');

		gdi_element_begin(writer, list);
		gdi_write_text(writer, instance->queue);
		gdi_write_u32(writer, 0);
		gdi_write_text(writer, at ? at + 1 : "");
		gdi_write_u32(writer, instance->slots);
		gdi_write_null(writer);
		gdi_write_u32(writer, 0);
		gdi_write_u32(writer, 0);
		gdi_write_double(writer, instance->tickets);
		gdi_write_double(writer, instance->otickets);
		gdi_write_double(writer, instance->ftickets);
		gdi_write_double(writer, instance->stickets);
		gdi_write_double(writer, 0.0);
		gdi_write_double(writer, 0.0);
		gdi_write_text(writer, "");
	}
	gdi_list_end(writer, list);
}

static void write_task(struct gdi_writer *writer, const struct packed_ticket *ticket)
{
	size_t list = gdi_list_begin(writer, "", task_words, COUNT(task_words) - (ticket->n == 0));
	const double values[] = { ticket->tickets, ticket->otickets, ticket->ftickets, ticket->stickets,
				  ticket->share,   ticket->prio,     ticket->ntix };

	gdi_element_begin(writer, list);
	gdi_write_u32(writer, ticket->task);
	for (size_t i = 0; i < COUNT(values); i++)
		gdi_write_double(writer, values[i]);
	if (ticket->n > 0)
		write_granted(writer, ticket);
	gdi_list_end(writer, list);
}

static void write_job(struct gdi_writer *writer, const struct packed_ticket *ticket)
{
	size_t list = gdi_list_begin(writer, "", job_words, COUNT(job_words));
	const double values[] = { ticket->npprior, ticket->nurg,    ticket->urg,
				  ticket->rrcontr, ticket->dlcontr, ticket->wtcontr };

	gdi_element_begin(writer, list);
	for (size_t i = 0; i < COUNT(values); i++)
		gdi_write_double(writer, values[i]);
	write_task(writer, ticket);
	gdi_list_end(writer, list);
}

void packed_tickets_begin(struct packed *packed)
{
	packed_list_begin(packed);
}

void packed_tickets(struct packed *packed, enum packed_kind kind, const struct packed_ticket *ticket)
{
	const struct packed_order order = { .kind = kind,
					    .job_number = ticket->job_number,
					    .task = ticket->task,
					    .tickets = ticket->tickets,
					    .ntix = ticket->ntix,
					    .prio = ticket->prio };

	packed_order_begin(packed, &order);
	if (ticket->spread)
		packed_queues(packed, "", ticket->granted, ticket->n);
	else
		gdi_write_null(&packed->w);
	packed_order_ticket(packed, &order);
	write_job(&packed->w, ticket);
	packed_order_end(packed, &order);
}

void packed_tickets_end(struct packed *packed)
{
	packed_list_end(packed);
}
