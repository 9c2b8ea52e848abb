/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/doctor/qmaster.h"

#include "sched/cli/cli.h"
#include "sched/cli/doctor/diagnosis.h"
#include "sched/qmaster/gdi/cell.h"

int doctor_qmaster(const char *cell, const char *where, bool json)
{
	const char *directory = where ? where : cell && *cell ? cell : NULL;
	struct diagnosis diagnosis;
	int code = EXIT_OK;
	char below[4200];

	diagnosis_make(&diagnosis, directory && gdi_cell_below(directory, below, sizeof(below)) ? below : directory);
	if (json)
		code = diagnosis_print_json(&diagnosis, "ready");
	else
		diagnosis_print(&diagnosis);
	return code ? code : diagnosis.faults ? EXIT_DIFFERENCE : EXIT_OK;
}
