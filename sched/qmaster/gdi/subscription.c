/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/gdi/subscription.h"

#define COUNT(A) (sizeof(A) / sizeof((A)[0]))

/*
 * What is sent in the registration's own packet as text: the bytes as hexadecimal digits, the lower
 * one first.
 */
static void hexadecimal_write(struct gdi_writer *w, const struct gdi_writer *packed)
{
	static const char digits[] = "0123456789ABCDEF";

	for (size_t i = 0; i < packed->n; i++) {
		const char text[2] = { digits[packed->bytes[i] & 15], digits[packed->bytes[i] >> 4] };

		gdi_write_bytes(w, text, sizeof(text));
	}
	gdi_write_text(w, "");
	if (packed->rc)
		w->rc = packed->rc;
}

static void packed_write(struct gdi_writer *w, uint32_t id, const struct gdi_writer *packed)
{
	static const struct gdi_word words[] = { { PACK_id, GDI_U32 }, { PACK_compressed, GDI_BOOL }, { PACK_string, GDI_STRING } };

	gdi_object_begin(w, words, COUNT(words));
	gdi_write_u32(w, id);
	gdi_write_u32(w, 0);
	hexadecimal_write(w, packed);
}

static void what_write(struct gdi_writer *w, const struct gdi_subscribed *s)
{
	struct gdi_writer packed = { .rc = 0 };

	if (!s->what) {
		gdi_write_null(w);
		return;
	}
	gdi_write_header(&packed);
	gdi_write_wanted(&packed, s->what, s->nwhat);
	packed_write(w, 1, &packed);
	gdi_writer_free(&packed);
}

/*
 * As the built-in scheduler writes them: not (name like "template"), queue other than "template".
 */
static void where_write(struct gdi_writer *w, const struct gdi_subscribed *s)
{
	static const struct { uint32_t op, position, mt, field; } hosts = { 26, 0, 0x10270c, EH_name }, queues = { 20, 1, 0x82008, QU_qname };
	struct gdi_writer packed = { .rc = 0 };

	if (s->where == GDI_ALL_OBJECTS) {
		gdi_write_null(w);
		return;
	}
	gdi_write_header(&packed);
	if (s->where == GDI_NOT_TEMPLATE_HOST) {
		gdi_write_u32(&packed, 1);
		gdi_write_u32(&packed, 31);	/* not */
	}
	gdi_write_u32(&packed, 1);
	gdi_write_u32(&packed, s->where == GDI_NOT_TEMPLATE_HOST ? hosts.op : queues.op);
	gdi_write_u32(&packed, s->where == GDI_NOT_TEMPLATE_HOST ? hosts.position : queues.position);
	gdi_write_u32(&packed, s->where == GDI_NOT_TEMPLATE_HOST ? hosts.mt : queues.mt);
	gdi_write_u32(&packed, s->where == GDI_NOT_TEMPLATE_HOST ? hosts.field : queues.field);
	gdi_write_text(&packed, "template");
	packed_write(w, 2, &packed);
	gdi_writer_free(&packed);
}

void gdi_write_subscribed(struct gdi_writer *w, const struct gdi_subscribed *events, size_t n)
{
	static const struct gdi_word words[] = {
		{ EVS_id, GDI_U32 }, { EVS_flush, GDI_BOOL }, { EVS_interval, GDI_U32 }, { EVS_what, GDI_OBJECT }, { EVS_where, GDI_OBJECT },
	};
	size_t list = gdi_list_begin(w, "", words, COUNT(words));

	for (size_t i = 0; i < n; i++) {
		gdi_element_begin(w, list);
		gdi_write_u32(w, events[i].event);
		gdi_write_u32(w, events[i].flush != GDI_NO_FLUSH);
		gdi_write_u32(w, events[i].flush);
		what_write(w, &events[i]);
		where_write(w, &events[i]);
	}
	gdi_list_end(w, list);
}
