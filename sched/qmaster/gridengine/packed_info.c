/* SPDX-License-Identifier: Apache-2.0 */
/* Scheduling information: the pending reasons that qstat -j shows. */
#include "sched/qmaster/gridengine/packed.h"

#define COUNT(WORDS) (sizeof(WORDS) / sizeof(*(WORDS)))

static const struct gdi_word info_words[] = { { SME_message_list, 0x80009 }, { SME_global_message_list, 0x80009 } };
static const struct gdi_word message_words[] = { { MES_job_number_list, 0x9 },
						 { MES_message_number, 0x3 },
						 { MES_message, 0x8 } };
static const struct gdi_word number_words[] = { { ULNG_value, 0x603 } };

static void write_jobs(struct gdi_writer *writer, const struct packed_message *message)
{
	size_t list = gdi_list_begin(writer, "", number_words, COUNT(number_words));

	for (size_t i = 0; i < message->n; i++) {
		gdi_element_begin(writer, list);
		gdi_write_u32(writer, message->jobs[i]);
	}
	gdi_list_end(writer, list);
}

static void write_messages(struct gdi_writer *writer, const struct packed_message *messages, size_t n, bool of_jobs)
{
	size_t list = gdi_list_begin(writer, "", message_words, COUNT(message_words));

	for (size_t i = 0; i < n; i++) {
		if ((messages[i].n > 0) != of_jobs)
			continue;
		gdi_element_begin(writer, list);
		write_jobs(writer, &messages[i]);
		gdi_write_u32(writer, messages[i].number);
		gdi_write_text(writer, messages[i].text);
	}
	gdi_list_end(writer, list);
}

void packed_info(struct packed *packed, const struct packed_message *messages, size_t n)
{
	const struct packed_order order = { .kind = PACKED_INFO };
	size_t list;

	packed_list_begin(packed);
	packed_order_begin(packed, &order);
	gdi_write_null(&packed->w);
	packed_order_ticket(packed, &order);
	list = gdi_list_begin(&packed->w, "", info_words, COUNT(info_words));
	gdi_element_begin(&packed->w, list);
	write_messages(&packed->w, messages, n, true);
	write_messages(&packed->w, messages, n, false);
	gdi_list_end(&packed->w, list);
	packed_order_end(packed, &order);
	packed_list_end(packed);
}
