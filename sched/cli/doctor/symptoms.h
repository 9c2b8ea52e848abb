/* SPDX-License-Identifier: Apache-2.0 */
/* Findings of the doctor: a line for each check, with the remedy. */
#ifndef CLI_DOCTOR_SYMPTOMS_H
#define CLI_DOCTOR_SYMPTOMS_H

#include <stdbool.h>
#include <stddef.h>

/* A note is information. A warning needs attention soon, a fault needs it now. */
enum symptom_state { SYMPTOM_FINE, SYMPTOM_NOTE, SYMPTOM_WARNING, SYMPTOM_FAULT };

struct symptom {
	const char *what;		/* name of the check, "port" */
	enum symptom_state state;
	char text[400];			/* finding, printable */
	/* command that removes the cause; "": none, or nothing to do */
	char remedy[300];
};

#define SYMPTOMS_MOST 16

struct diagnosis {			/* zero: no check was made */
	struct symptom symptoms[SYMPTOMS_MOST];
	size_t n, faults, warnings;
	char cell[300];			/* directory of the cell */
};

struct symptom *symptom_add(struct diagnosis *diagnosis, const char *what, enum symptom_state state, const char *format,
			    ...) __attribute__((format(printf, 4, 5)));
void symptom_remedy(struct symptom *symptom, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Print a line for each finding to stdout. */
void diagnosis_print(const struct diagnosis *diagnosis);

/*
 * Print JSON. `no_faults` is the member that is true without faults, such as "cell" or "ready".
 * Return an exit code, with a message.
 */
int diagnosis_print_json(const struct diagnosis *diagnosis, const char *no_faults);

#endif
