/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/gdi/subscription.h"

#define COUNT(A) (sizeof(A) / sizeof((A)[0]))

/*
 * Write bytes as text in the registration's packet: two hexadecimal digits for each byte, the lower
 * digit first.
 */
static void hexadecimal_write(struct gdi_writer *writer, const struct gdi_writer *packed)
{
	static const char digits[] = "0123456789ABCDEF";

	for (size_t i = 0; i < packed->n; i++) {
		const char text[2] = { digits[packed->bytes[i] & 15], digits[packed->bytes[i] >> 4] };

		gdi_write_bytes(writer, text, sizeof(text));
	}
	gdi_write_text(writer, "");
	if (packed->rc)
		writer->rc = packed->rc;
}

static void packed_write(struct gdi_writer *writer, uint32_t id, const struct gdi_writer *packed)
{
	static const struct gdi_word words[] = { { PACK_id, GDI_U32 },
						 { PACK_compressed, GDI_BOOL },
						 { PACK_string, GDI_STRING } };

	gdi_object_begin(writer, words, COUNT(words));
	gdi_write_u32(writer, id);
	gdi_write_u32(writer, 0);
	hexadecimal_write(writer, packed);
}

static void what_write(struct gdi_writer *writer, const struct gdi_subscribed *subscribed)
{
	struct gdi_writer packed = { .rc = 0 };

	if (!subscribed->what) {
		gdi_write_null(writer);
		return;
	}
	gdi_write_header(&packed);
	gdi_write_wanted(&packed, subscribed->what, subscribed->nwhat);
	packed_write(writer, 1, &packed);
	gdi_writer_free(&packed);
}

/*
 * Write the conditions of the built-in scheduler: not (name like "template"), and queue not equal
 * to "template".
 */
static void where_write(struct gdi_writer *writer, const struct gdi_subscribed *subscribed)
{
	static const struct {
		uint32_t op, position, mt, field;
	} hosts = { 26, 0, 0x10270c, EH_name }, queues = { 20, 1, 0x82008, QU_qname };
	struct gdi_writer packed = { .rc = 0 };

	if (subscribed->where == GDI_ALL_OBJECTS) {
		gdi_write_null(writer);
		return;
	}
	gdi_write_header(&packed);
	if (subscribed->where == GDI_NOT_TEMPLATE_HOST) {
		gdi_write_u32(&packed, 1);
		gdi_write_u32(&packed, 31);	/* not */
	}
	gdi_write_u32(&packed, 1);
	gdi_write_u32(&packed, subscribed->where == GDI_NOT_TEMPLATE_HOST ? hosts.op : queues.op);
	gdi_write_u32(&packed, subscribed->where == GDI_NOT_TEMPLATE_HOST ? hosts.position : queues.position);
	gdi_write_u32(&packed, subscribed->where == GDI_NOT_TEMPLATE_HOST ? hosts.mt : queues.mt);
	gdi_write_u32(&packed, subscribed->where == GDI_NOT_TEMPLATE_HOST ? hosts.field : queues.field);
	gdi_write_text(&packed, "template");
	packed_write(writer, 2, &packed);
	gdi_writer_free(&packed);
}

void gdi_write_subscribed(struct gdi_writer *writer, const struct gdi_subscribed *events, size_t n)
{
	static const struct gdi_word words[] = {
		{ EVS_id, GDI_U32 },	  { EVS_flush, GDI_BOOL },   { EVS_interval, GDI_U32 },
		{ EVS_what, GDI_OBJECT }, { EVS_where, GDI_OBJECT },
	};
	size_t list = gdi_list_begin(writer, "", words, COUNT(words));

	for (size_t i = 0; i < n; i++) {
		gdi_element_begin(writer, list);
		gdi_write_u32(writer, events[i].event);
		gdi_write_u32(writer, events[i].flush != GDI_NO_FLUSH);
		gdi_write_u32(writer, events[i].flush);
		what_write(writer, &events[i]);
		where_write(writer, &events[i]);
	}
	gdi_list_end(writer, list);
}
