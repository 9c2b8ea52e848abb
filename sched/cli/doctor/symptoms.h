/* SPDX-License-Identifier: Apache-2.0 */
/* What the doctor found: a line for each thing that was looked at, with what puts it right. */
#ifndef CLI_DOCTOR_SYMPTOMS_H
#define CLI_DOCTOR_SYMPTOMS_H

#include <stdbool.h>
#include <stddef.h>

/* A note is good to know; a warning wants somebody soon, a fault now. */
enum symptom_state { SYMPTOM_FINE, SYMPTOM_NOTE, SYMPTOM_WARNING, SYMPTOM_FAULT };

struct symptom {
	const char *what;		/* "port" */
	enum symptom_state state;
	char text[400];			/* what was found; printable */
	char remedy[300];		/* the command that puts it right; "": there is none, or nothing to do */
};

#define SYMPTOMS_MOST 16

struct diagnosis {			/* zero: nothing was looked at */
	struct symptom symptoms[SYMPTOMS_MOST];
	size_t n, faults, warnings;
	char cell[300];			/* its directory */
};

struct symptom *symptom_add(struct diagnosis *diagnosis, const char *what, enum symptom_state state, const char *format,
			    ...) __attribute__((format(printf, 4, 5)));
void symptom_remedy(struct symptom *symptom, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* On stdout, a line each. */
void diagnosis_print(const struct diagnosis *diagnosis);

/* "cell", "ready" or whatever stands for: no faults, "found". An exit code, with a message. */
int diagnosis_print_json(const struct diagnosis *diagnosis, const char *no_faults);

#endif
