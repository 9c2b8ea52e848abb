/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/gdi/packet.h"

#include <errno.h>

#define GDI_VERSION_PACKET 0x10003001u

void gdi_task_begin(struct gdi_writer *w, uint32_t command, enum gdi_target target)
{
	gdi_write_u32(w, command);
	gdi_write_u32(w, target);
	gdi_write_u32(w, GDI_VERSION_PACKET);
}

void gdi_task_where(struct gdi_writer *w)
{
	gdi_write_null(w);
}

void gdi_task_end(struct gdi_writer *w, const char *credential, uint32_t id, bool more)
{
	gdi_write_text(w, credential);
	gdi_write_u32(w, id);
	gdi_write_u32(w, w->packet);
	gdi_write_u32(w, more);
}

void gdi_task_simple(struct gdi_writer *w, const char *credential, uint32_t id, bool more)
{
	gdi_task_where(w);
	gdi_write_everywhere(w);
	gdi_write_null(w);			/* no enumeration of fields */
	gdi_task_end(w, credential, id, more);
}

/*
 * The answers to one task: that of the worst quality counts, and among those of one quality the
 * first that is not an OK. Texts of an OK are not to be relied upon: they can be another thread's.
 */
static void answer_worst(struct gdi_answer *answer, struct gdi_list *said)
{
	struct gdi_element one;

	answer->status = GDI_OK;
	answer->quality = GDI_END;
	answer->text = "";
	while (gdi_next(said, &one)) {
		uint32_t status = gdi_u32(&one, AN_status), quality = gdi_u32(&one, AN_quality);

		if (status == GDI_OK)
			continue;
		if (answer->status == GDI_OK || quality < answer->quality) {
			answer->status = status;
			answer->quality = quality;
			answer->text = gdi_text(&one, AN_text);
		}
	}
}

int gdi_take_answer(struct gdi_buffer *b, struct gdi_answer *answer, struct error *error)
{
	struct gdi_list said;
	const char *credential;
	uint32_t version, more;
	int rc;

	/* the version comes back as it was sent: a qmaster of another one says so with GDI_VERSION */
	if ((rc = gdi_take_u32(b, &answer->command, error)) != 0 || (rc = gdi_take_u32(b, &answer->target, error)) != 0 ||
	    (rc = gdi_take_u32(b, &version, error)) != 0 || (rc = gdi_take_list(b, &answer->data, error)) != 0 ||
	    (rc = gdi_take_list(b, &said, error)) != 0 || (rc = gdi_take_condition(b, error)) != 0 ||
	    (rc = gdi_take_enumeration(b, error)) != 0 || (rc = gdi_take_text(b, &credential, error)) != 0 ||
	    (rc = gdi_take_u32(b, &answer->id, error)) != 0 || (rc = gdi_take_u32(b, &answer->packet, error)) != 0 ||
	    (rc = gdi_take_u32(b, &more, error)) != 0)
		return rc;
	if (more > 1)
		return error_set(error, -EPROTO, "a task that says %u to whether another follows", more);
	answer->more = more;
	answer_worst(answer, &said);
	return answer->more ? 0 : gdi_take_end(b, error);
}
