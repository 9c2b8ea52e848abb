/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/symptoms.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "conf/utf8.h"
#include "sched/cli/cli.h"
#include "sched/process/json.h"

static const char *const state_names[] = {
	[SYMPTOM_FINE] = "ok", [SYMPTOM_NOTE] = "note", [SYMPTOM_WARNING] = "warning", [SYMPTOM_FAULT] = "fault",
};

struct symptom *symptom_add(struct diagnosis *d, const char *what, enum symptom_state state, const char *format, ...)
{
	struct symptom *s = &d->symptoms[d->n < SYMPTOMS_MOST ? d->n++ : SYMPTOMS_MOST - 1];
	va_list arguments;

	*s = (struct symptom){ .what = what, .state = state };
	d->faults += state == SYMPTOM_FAULT;
	d->warnings += state == SYMPTOM_WARNING;
	va_start(arguments, format);
	vsnprintf(s->text, sizeof(s->text), format, arguments);
	va_end(arguments);
	utf8_clean(s->text);
	return s;
}

void symptom_remedy(struct symptom *s, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(s->remedy, sizeof(s->remedy), format, arguments);
	va_end(arguments);
	utf8_clean(s->remedy);
}

void diagnosis_print(const struct diagnosis *d)
{
	for (size_t i = 0; i < d->n; i++) {
		const struct symptom *s = &d->symptoms[i];

		printf("%-*s  %s: %s\n", d->warnings ? 7 : 5, state_names[s->state], s->what, s->text);
		if (*s->remedy)
			printf("%*s  %s\n", d->warnings ? 7 : 5, "", s->remedy);
	}
}

int diagnosis_print_json(const struct diagnosis *d, const char *no_faults)
{
	struct out o;
	int err;

	if (out_open(&o, STDOUT_FILENO))
		return cli_fail(EXIT_NO_DATA, "out of memory");
	json_write_string(&o, "{\"cell\":", d->cell);
	json_write_string(&o, ",", no_faults);
	json_write_bool(&o, ":", d->faults == 0);
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
