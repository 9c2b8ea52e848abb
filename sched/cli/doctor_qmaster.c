/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/doctor_qmaster.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "sched/cli/cli.h"
#include "sched/cli/diagnosis.h"
#include "sched/process/json.h"

static const char *const state_names[] = { [SYMPTOM_FINE] = "ok", [SYMPTOM_FAULT] = "fault", [SYMPTOM_NOTE] = "note" };

static void diagnosis_print(const struct diagnosis *d)
{
	for (size_t i = 0; i < d->n; i++) {
		const struct symptom *s = &d->symptoms[i];

		printf("%-5s  %s: %s\n", state_names[s->state], s->what, s->text);
		if (*s->remedy)
			printf("       %s\n", s->remedy);
	}
}

static int diagnosis_print_json(const struct diagnosis *d)
{
	struct out o;
	int err;

	if (out_open(&o, STDOUT_FILENO))
		return cli_fail(EXIT_NO_DATA, "out of memory");
	json_write_string(&o, "{\"cell\":", d->cell);
	json_write_bool(&o, ",\"ready\":", d->faults == 0);
	json_write_literal(&o, ",\"found\":[");
	for (size_t i = 0; i < d->n; i++) {
		json_write_string(&o, i ? ",{\"what\":" : "{\"what\":", d->symptoms[i].what);
		json_write_string(&o, ",\"state\":", state_names[d->symptoms[i].state]);
		json_write_string(&o, ",\"text\":", d->symptoms[i].text);
		json_write_string(&o, ",\"remedy\":", d->symptoms[i].remedy);
		json_write_literal(&o, "}");
	}
	json_write_literal(&o, "]}\n");
	err = out_flush(&o);
	out_close(&o);
	errno = -err;
	return err ? cli_fail(EXIT_NO_DATA, "writing the output: %m") : EXIT_OK;
}

int doctor_qmaster(const char *cell, const char *where, bool json)
{
	struct diagnosis d;
	int code = EXIT_OK;

	diagnosis_make(&d, where ? where : cell && *cell ? cell : NULL);
	if (json)
		code = diagnosis_print_json(&d);
	else
		diagnosis_print(&d);
	return code ? code : d.faults ? EXIT_DIFFERENCE : EXIT_OK;
}
