/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sched_conf(5) is read in three steps: the table, the types that only it has, and the checks
 * across parameters.
 */
#ifndef CONF_GRIDENGINE_SCHED_CONF_H
#define CONF_GRIDENGINE_SCHED_CONF_H

#include <stdbool.h>

#include "conf/fields.h"
#include "conf/gridengine/readers.h"

/* Types, see fields.h. The texts begin with what Grid Engine says. */
/* char * */
int field_algorithm(const struct field *field, void *member, const char *text, struct error *error);
/* bool: seqno */
int field_sort_method(const struct field *field, void *member, const char *text, struct error *error);
/* char * */
int field_job_info(const struct field *field, void *member, const char *text, struct error *error);
/* struct sched_conf: params, with */
int field_params(const struct field *field, void *member, const char *text, struct error *error);
/* char[4] */
int field_hierarchy(const struct field *field, void *member, const char *text, struct error *error);
/* struct pairs */
int field_halflives(const struct field *field, void *member, const char *text, struct error *error);
/* struct sched_conf: both */
int field_formula(const struct field *field, void *member, const char *text, struct error *error);

/*
 * Whether a policy of that name is here. The other values that are allowed are other schedulers'.
 */
bool algorithm_is_here(const char *name);

/*
 * Checks what qconf checks of a load formula, or of another attribute that is one (`of`), which has
 * no blanks: terms with + or - between, each of them x or x*number, x a number or the name of a
 * complex that is no string. With `cell` NULL names are not looked up. 0 or -EINVAL.
 */
int load_formula_check(const struct cell *cell, const char *of, const char *formula, struct error *error);

/* What can be wrong although each parameter is right, and what is right but hurts. */
void sched_conf_check(struct reader *reader, const struct fields *fields);

#endif
