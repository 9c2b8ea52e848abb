/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/doctor/symptoms.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "conf/base/utf8.h"
#include "sched/cli/cli.h"
#include "sched/process/json.h"

static const char *const state_names[] = {
	[SYMPTOM_FINE] = "ok", [SYMPTOM_NOTE] = "note", [SYMPTOM_WARNING] = "warning", [SYMPTOM_FAULT] = "fault",
};

struct symptom *symptom_add(struct diagnosis *diagnosis, const char *what, enum symptom_state state, const char *format,
			    ...)
{
	struct symptom *symptom =
		&diagnosis->symptoms[diagnosis->n < SYMPTOMS_MOST ? diagnosis->n++ : SYMPTOMS_MOST - 1];
	va_list arguments;

	*symptom = (struct symptom){ .what = what, .state = state };
	diagnosis->faults += state == SYMPTOM_FAULT;
	diagnosis->warnings += state == SYMPTOM_WARNING;
	va_start(arguments, format);
	vsnprintf(symptom->text, sizeof(symptom->text), format, arguments);
	va_end(arguments);
	utf8_clean(symptom->text);
	return symptom;
}

void symptom_remedy(struct symptom *symptom, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(symptom->remedy, sizeof(symptom->remedy), format, arguments);
	va_end(arguments);
	utf8_clean(symptom->remedy);
}

void diagnosis_print(const struct diagnosis *diagnosis)
{
	for (size_t i = 0; i < diagnosis->n; i++) {
		const struct symptom *symptom = &diagnosis->symptoms[i];

		printf("%-*s  %s: %s\n", diagnosis->warnings ? 7 : 5, state_names[symptom->state], symptom->what,
		       symptom->text);
		if (*symptom->remedy)
			printf("%*s  %s\n", diagnosis->warnings ? 7 : 5, "", symptom->remedy);
	}
}

int diagnosis_print_json(const struct diagnosis *diagnosis, const char *no_faults)
{
	struct out out;
	int err;

	if (out_open(&out, STDOUT_FILENO))
		return cli_fail(EXIT_NO_DATA, "out of memory");
	json_write_string(&out, "{\"cell\":", diagnosis->cell);
	json_write_string(&out, ",", no_faults);
	json_write_bool(&out, ":", diagnosis->faults == 0);
	json_write_literal(&out, ",\"found\":[");
	for (size_t i = 0; i < diagnosis->n; i++) {
		json_write_string(&out, i ? ",{\"what\":" : "{\"what\":", diagnosis->symptoms[i].what);
		json_write_string(&out, ",\"state\":", state_names[diagnosis->symptoms[i].state]);
		json_write_string(&out, ",\"text\":", diagnosis->symptoms[i].text);
		json_write_string(&out, ",\"remedy\":", diagnosis->symptoms[i].remedy);
		json_write_literal(&out, "}");
	}
	json_write_literal(&out, "]}\n");
	err = out_flush(&out);
	out_close(&out);
	return err ? cli_unwritten(-err) : EXIT_OK;
}
