/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/gdi/packet.h"

#include <errno.h>

#define GDI_VERSION_PACKET 0x10003001u

void gdi_task_begin(struct gdi_writer *writer, uint32_t command, enum gdi_target target)
{
	gdi_write_u32(writer, command);
	gdi_write_u32(writer, target);
	gdi_write_u32(writer, GDI_VERSION_PACKET);
}

void gdi_task_where(struct gdi_writer *writer)
{
	gdi_write_null(writer);
}

void gdi_task_end(struct gdi_writer *writer, const char *credential, uint32_t id, bool more)
{
	gdi_write_text(writer, credential);
	gdi_write_u32(writer, id);
	gdi_write_u32(writer, writer->packet);
	gdi_write_u32(writer, more);
}

void gdi_task_simple(struct gdi_writer *writer, const char *credential, uint32_t id, bool more)
{
	gdi_task_where(writer);
	gdi_write_everywhere(writer);
	gdi_write_null(writer);			/* no enumeration of fields */
	gdi_task_end(writer, credential, id, more);
}

/*
 * Find the worst of the answers to one task. The worst quality counts; within it, the first answer
 * that is not OK. Texts of an OK are not reliable, because they may come from another thread of the
 * qmaster.
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

int gdi_take_answer(struct gdi_buffer *buffer, struct gdi_answer *answer, struct error *error)
{
	struct gdi_list said;
	const char *credential;
	uint32_t version, more;
	int rc;

	/*
	 * the version is returned as it was sent; a qmaster of another version answers GDI_VERSION
	 */
	if ((rc = gdi_take_u32(buffer, &answer->command, error)) != 0 ||
	    (rc = gdi_take_u32(buffer, &answer->target, error)) != 0 ||
	    (rc = gdi_take_u32(buffer, &version, error)) != 0 ||
	    (rc = gdi_take_list(buffer, &answer->data, error)) != 0 ||
	    (rc = gdi_take_list(buffer, &said, error)) != 0 || (rc = gdi_take_condition(buffer, error)) != 0 ||
	    (rc = gdi_take_enumeration(buffer, error)) != 0 || (rc = gdi_take_text(buffer, &credential, error)) != 0 ||
	    (rc = gdi_take_u32(buffer, &answer->id, error)) != 0 ||
	    (rc = gdi_take_u32(buffer, &answer->packet, error)) != 0 || (rc = gdi_take_u32(buffer, &more, error)) != 0)
		return rc;
	if (more > 1)
		return error_set(error, -EPROTO, "a task has the value %u instead of 0 or 1 for \"more follow\"",
				 more);
	answer->more = more;
	answer_worst(answer, &said);
	return answer->more ? 0 : gdi_take_end(buffer, error);
}
