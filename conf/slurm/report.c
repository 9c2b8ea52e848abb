/* SPDX-License-Identifier: Apache-2.0 */
/* What is wrong with a line of slurm.conf(5), or of what it includes. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "conf/slurm/files.h"

void slurm_report(const struct slurm_files *f, enum severity severity, struct slurm_place place, const char *format, ...)
{
	va_list arguments;
	char *text;

	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) < 0)
		text = NULL;
	va_end(arguments);
	report_add(f->report, severity, place.file ? place.file : f->paths[0], place.line, "%s", text ? text : "out of memory");
	free(text);
}
