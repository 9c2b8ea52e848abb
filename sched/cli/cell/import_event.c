/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "sched/cli/cell/import.h"
#include "sched/qmaster/members/event.h"

int import_event_check(struct values *values, const char *text, size_t bytes, struct error *error)
{
	const struct value *object = values_read(values, text, bytes, error);
	const char *name = object ? member_text(object, "event") : NULL;
	const struct event_form *form = name ? event_form(name) : NULL;
	struct taking taking = { .blocks = NULL };
	struct event event;
	int rc;

	if (!object)
		return -EINVAL;
	if (!form)
		return error_set(error, -EINVAL, "there is no such event");
	rc = event_read(form, object, &taking, &event);
	if (rc)
		*error = taking.error;
	event_clear(&event, &taking);
	return rc;
}
