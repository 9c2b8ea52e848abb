/* SPDX-License-Identifier: Apache-2.0 */
/* Problems of a line of slurm.conf(5), or of a file that it includes. */
#include <stdarg.h>

#include "conf/slurm/files.h"

void slurm_report(const struct slurm_files *files, enum severity severity, struct slurm_place place, const char *format,
		  ...)
{
	va_list arguments;

	va_start(arguments, format);
	report_add_arguments(files->report, severity, place.file ? place.file : files->paths[0], place.line, "", format,
			     arguments);
	va_end(arguments);
}
