/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sched_conf(5) is read in three steps: the table of parameters, the types that only this file has,
 * and the checks across parameters.
 */
#ifndef CONF_GRIDENGINE_SCHED_CONF_H
#define CONF_GRIDENGINE_SCHED_CONF_H

#include <stdbool.h>

#include "conf/fields.h"
#include "conf/gridengine/readers.h"

/* Types, see fields.h. Their messages begin with Grid Engine's own text. */
/* char * */
int field_algorithm(const struct field *field, void *member, const char *text, struct error *error);
/* bool: true for seqno */
int field_sort_method(const struct field *field, void *member, const char *text, struct error *error);
/* char * */
int field_job_info(const struct field *field, void *member, const char *text, struct error *error);
/* struct sched_conf: params, with */
int field_params(const struct field *field, void *member, const char *text, struct error *error);
/* char[4] */
int field_hierarchy(const struct field *field, void *member, const char *text, struct error *error);
/* struct pairs */
int field_halflives(const struct field *field, void *member, const char *text, struct error *error);
/* struct sched_conf: load_formula, formula */
int field_formula(const struct field *field, void *member, const char *text, struct error *error);

/*
 * Return true if Fairlead has a policy of that name. The other allowed values belong to other
 * schedulers.
 */
bool algorithm_is_here(const char *name);

/*
 * Check a load formula, or another attribute of this type (`of`), as qconf does. The formula has no
 * blanks. Its terms are separated by + or -, and each is x or x*number, where x is a number or the
 * name of a complex that is not a string. With `cell` NULL names are not checked. Returns 0 or
 * -EINVAL.
 */
int load_formula_check(const struct cell *cell, const char *of, const char *formula, struct error *error);

/* Report combinations of valid parameters that are wrong or harmful. */
void sched_conf_check(struct reader *reader, const struct fields *fields);

#endif
