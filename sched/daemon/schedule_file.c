/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/daemon/schedule_file.h"

#include <errno.h>

#include "sched/process/append.h"
#include "sched/process/log.h"

void schedule_file_close(struct schedule_file *f)
{
	schedule_free(&f->lines);
}

struct schedule_lines *schedule_file_begin(struct schedule_file *f, bool monitor)
{
	if (!f->path || !monitor) {
		schedule_free(&f->lines);
		return NULL;
	}
	schedule_begin(&f->lines);
	return &f->lines;
}

void schedule_file_append(struct schedule_file *f)
{
	int rc;

	if (!f->lines.text && !f->lines.incomplete)
		return;
	rc = f->lines.incomplete ? -ENOMEM : append_text(f->path, f->lines.text, f->lines.length);
	if (rc && !f->failing)
		log_line(LOG_ODD, "%s: the bookings of this run are not written: %s", f->path, append_error_text(rc));
	else if (rc == 0 && f->failing)
		log_line(LOG_NOTE, "%s: written again", f->path);
	f->failing = rc != 0;
}
