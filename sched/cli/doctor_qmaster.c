/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/doctor_qmaster.h"

#include "sched/cli/cli.h"
#include "sched/cli/diagnosis.h"
#include "sched/qmaster/gdi/cell.h"

int doctor_qmaster(const char *cell, const char *where, bool json)
{
	const char *directory = where ? where : cell && *cell ? cell : NULL;
	struct diagnosis d;
	int code = EXIT_OK;
	char below[4200];

	diagnosis_make(&d, directory && gdi_cell_below(directory, below, sizeof(below)) ? below : directory);
	if (json)
		code = diagnosis_print_json(&d, "ready");
	else
		diagnosis_print(&d);
	return code ? code : d.faults ? EXIT_DIFFERENCE : EXIT_OK;
}
