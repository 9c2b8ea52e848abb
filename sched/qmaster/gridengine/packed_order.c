/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/gridengine/packed.h"

#include "sched/qmaster/gdi/packet.h"

#define COUNT(WORDS) (sizeof(WORDS) / sizeof(*(WORDS)))

static const struct gdi_word order_words[] = {
	{ OR_type, 0x3 }, { OR_job_number, 0x3 }, { OR_ja_task_number, 0x3 }, { OR_job_version, 0x3 }, { OR_queuelist, 0x9 },
	{ OR_ticket, 0x2 }, { OR_joker, 0x9 }, { OR_pe, 0x8 }, { OR_ntix, 0x2 }, { OR_prio, 0x2 },
};

static const struct gdi_word queue_words[] = {
	{ OQ_slots, 0x3 }, { OQ_dest_queue, 0x8 }, { OQ_dest_version, 0x3 }, { OQ_ticket, 0x2 }, { OQ_oticket, 0x2 },
	{ OQ_fticket, 0x2 }, { OQ_sticket, 0x2 },
};

void packed_free(struct packed *p)
{
	gdi_writer_free(&p->w);
}

/* The last word of a task says whether another one follows. */
void packed_list_begin(struct packed *p)
{
	if (p->w.n == 0)
		gdi_write_header(&p->w);
	else if (p->w.rc == 0 && p->tasks > 0)
		p->w.bytes[p->w.n - 1] = 1;
	p->begin = p->w.n;
	gdi_task_begin(&p->w, GDI_ADD, GDI_ORDERS);
	p->list = gdi_list_begin(&p->w, "orderlist", order_words, COUNT(order_words));
}

/* A list without an order is as if it had never been begun. */
void packed_list_end(struct packed *p)
{
	gdi_list_end(&p->w, p->list);
	if (p->w.rc == 0 && p->w.n == p->list + sizeof(uint32_t)) {
		p->w.n = p->begin;
		if (p->tasks > 0)
			p->w.bytes[p->w.n - 1] = 0;
		return;
	}
	gdi_task_simple(&p->w, p->credential, ++p->tasks, false);
}

void packed_order_begin(struct packed *p, const struct packed_order *order)
{
	gdi_element_begin(&p->w, p->list);
	gdi_write_u32(&p->w, order->kind);
	gdi_write_u32(&p->w, order->job_number);
	gdi_write_u32(&p->w, order->task);
	gdi_write_u32(&p->w, order->version);
}

void packed_order_ticket(struct packed *p, const struct packed_order *order)
{
	gdi_write_double(&p->w, order->tickets);
}

void packed_order_end(struct packed *p, const struct packed_order *order)
{
	gdi_write_text(&p->w, order->pe);
	gdi_write_double(&p->w, order->ntix);
	gdi_write_double(&p->w, order->prio);
}

void packed_queues(struct packed *p, const char *name, const struct packed_instance *instances, size_t n)
{
	size_t list = gdi_list_begin(&p->w, name, queue_words, COUNT(queue_words));

	for (size_t i = 0; i < n; i++) {
		gdi_element_begin(&p->w, list);
		gdi_write_u32(&p->w, instances[i].slots);
		gdi_write_text(&p->w, instances[i].queue);
		gdi_write_u32(&p->w, instances[i].version);
		gdi_write_double(&p->w, instances[i].tickets);
		gdi_write_double(&p->w, instances[i].otickets);
		gdi_write_double(&p->w, instances[i].ftickets);
		gdi_write_double(&p->w, instances[i].stickets);
	}
	gdi_list_end(&p->w, list);
}

void packed_plain(struct packed *p, enum packed_kind kind, uint32_t job_number, uint32_t task)
{
	const struct packed_order order = { .kind = kind, .job_number = job_number, .task = task };

	packed_list_begin(p);
	packed_order_begin(p, &order);
	gdi_write_null(&p->w);
	packed_order_ticket(p, &order);
	gdi_write_null(&p->w);
	packed_order_end(p, &order);
	packed_list_end(p);
}

void packed_start(struct packed *p, const struct packed_start *start)
{
	const struct packed_order order = { .kind = PACKED_START, .job_number = start->job_number, .task = start->task, .version = start->version,
					    .tickets = start->tickets, .ntix = start->ntix, .prio = start->prio, .pe = start->pe };

	packed_list_begin(p);
	packed_order_begin(p, &order);
	packed_queues(p, "orderlist", start->instances, start->n);
	packed_order_ticket(p, &order);
	gdi_write_null(&p->w);
	packed_order_end(p, &order);
	packed_list_end(p);
}
