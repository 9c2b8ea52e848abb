/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/gridengine/packed.h"

#include "sched/qmaster/gdi/packet.h"

#define COUNT(WORDS) (sizeof(WORDS) / sizeof(*(WORDS)))

static const struct gdi_word order_words[] = {
	{ OR_type, 0x3 }, { OR_job_number, 0x3 }, { OR_ja_task_number, 0x3 }, { OR_job_version, 0x3 },
	{ OR_queuelist, 0x9 },
	{ OR_ticket, 0x2 }, { OR_joker, 0x9 }, { OR_pe, 0x8 }, { OR_ntix, 0x2 }, { OR_prio, 0x2 },
};

static const struct gdi_word queue_words[] = {
	{ OQ_slots, 0x3 }, { OQ_dest_queue, 0x8 }, { OQ_dest_version, 0x3 }, { OQ_ticket, 0x2 }, { OQ_oticket, 0x2 },
	{ OQ_fticket, 0x2 }, { OQ_sticket, 0x2 },
};

void packed_free(struct packed *packed)
{
	gdi_writer_free(&packed->w);
}

/* Begin a list. The last word of a task says whether another one follows. */
void packed_list_begin(struct packed *packed)
{
	if (packed->w.n == 0)
		gdi_write_header(&packed->w);
	else if (packed->w.rc == 0 && packed->tasks > 0)
		packed->w.bytes[packed->w.n - 1] = 1;
	packed->begin = packed->w.n;
	gdi_task_begin(&packed->w, GDI_ADD, GDI_ORDERS);
	packed->list = gdi_list_begin(&packed->w, "orderlist", order_words, COUNT(order_words));
}

/* End a list. A list without an order is removed. */
void packed_list_end(struct packed *packed)
{
	gdi_list_end(&packed->w, packed->list);
	if (packed->w.rc == 0 && packed->w.n == packed->list + sizeof(uint32_t)) {
		packed->w.n = packed->begin;
		if (packed->tasks > 0)
			packed->w.bytes[packed->w.n - 1] = 0;
		return;
	}
	gdi_task_simple(&packed->w, packed->credential, ++packed->tasks, false);
}

void packed_order_begin(struct packed *packed, const struct packed_order *order)
{
	gdi_element_begin(&packed->w, packed->list);
	gdi_write_u32(&packed->w, order->kind);
	gdi_write_u32(&packed->w, order->job_number);
	gdi_write_u32(&packed->w, order->task);
	gdi_write_u32(&packed->w, order->version);
}

void packed_order_ticket(struct packed *packed, const struct packed_order *order)
{
	gdi_write_double(&packed->w, order->tickets);
}

void packed_order_end(struct packed *packed, const struct packed_order *order)
{
	gdi_write_text(&packed->w, order->pe);
	gdi_write_double(&packed->w, order->ntix);
	gdi_write_double(&packed->w, order->prio);
}

void packed_queues(struct packed *packed, const char *name, const struct packed_instance *instances, size_t n)
{
	size_t list = gdi_list_begin(&packed->w, name, queue_words, COUNT(queue_words));

	for (size_t i = 0; i < n; i++) {
		gdi_element_begin(&packed->w, list);
		gdi_write_u32(&packed->w, instances[i].slots);
		gdi_write_text(&packed->w, instances[i].queue);
		gdi_write_u32(&packed->w, instances[i].version);
		gdi_write_double(&packed->w, instances[i].tickets);
		gdi_write_double(&packed->w, instances[i].otickets);
		gdi_write_double(&packed->w, instances[i].ftickets);
		gdi_write_double(&packed->w, instances[i].stickets);
	}
	gdi_list_end(&packed->w, list);
}

void packed_plain(struct packed *packed, enum packed_kind kind, uint32_t job_number, uint32_t task)
{
	const struct packed_order order = { .kind = kind, .job_number = job_number, .task = task };

	packed_list_begin(packed);
	packed_order_begin(packed, &order);
	gdi_write_null(&packed->w);
	packed_order_ticket(packed, &order);
	gdi_write_null(&packed->w);
	packed_order_end(packed, &order);
	packed_list_end(packed);
}

void packed_start(struct packed *packed, const struct packed_start *start)
{
	const struct packed_order order = { .kind = PACKED_START,
					    .job_number = start->job_number,
					    .task = start->task,
					    .version = start->version,
					    .tickets = start->tickets,
					    .ntix = start->ntix,
					    .prio = start->prio,
					    .pe = start->pe };

	packed_list_begin(packed);
	packed_order_begin(packed, &order);
	packed_queues(packed, "orderlist", start->instances, start->n);
	packed_order_ticket(packed, &order);
	gdi_write_null(&packed->w);
	packed_order_end(packed, &order);
	packed_list_end(packed);
}
