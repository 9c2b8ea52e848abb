/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/doctor_qmaster.h"

#include "sched/cli/cli.h"
#include "sched/cli/diagnosis.h"

int doctor_qmaster(const char *cell, const char *where, bool json)
{
	struct diagnosis d;
	int code = EXIT_OK;

	diagnosis_make(&d, where ? where : cell && *cell ? cell : NULL);
	if (json)
		code = diagnosis_print_json(&d, "ready");
	else
		diagnosis_print(&d);
	return code ? code : d.faults ? EXIT_DIFFERENCE : EXIT_OK;
}
