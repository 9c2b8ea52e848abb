/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/daemon/schedule_file.h"

#include <errno.h>

#include "sched/process/append.h"
#include "sched/process/log.h"

void schedule_file_close(struct schedule_file *file)
{
	schedule_free(&file->lines);
}

struct schedule_lines *schedule_file_begin(struct schedule_file *file, bool monitor)
{
	if (!file->path || !monitor) {
		schedule_free(&file->lines);
		return NULL;
	}
	schedule_begin(&file->lines);
	return &file->lines;
}

void schedule_file_append(struct schedule_file *file)
{
	int rc;

	if (!file->lines.text && !file->lines.incomplete)
		return;
	rc = file->lines.incomplete ? -ENOMEM : append_text(file->path, file->lines.text, file->lines.length);
	if (rc && !file->failing)
		log_line(LOG_ODD, "%s: the bookings of this run are not written: %s", file->path,
			 append_error_text(rc));
	else if (rc == 0 && file->failing)
		log_line(LOG_NOTE, "%s: bookings are written again", file->path);
	file->failing = rc != 0;
}
