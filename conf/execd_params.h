/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters in execd_params of sge_conf(5). Names are compared without regard to case. */
#ifndef CONF_EXECD_PARAMS_H
#define CONF_EXECD_PARAMS_H

#include "conf/cell.h"

#define EXECD_PARAM_BYTES 64

struct execd_param {
	char name[EXECD_PARAM_BYTES], value[EXECD_PARAM_BYTES];	/* cut; "": without "=" */
};

/* Read the next parameter. `at` begins as NULL. Returns false at the end. */
bool execd_param_next(const struct cell *cell, const char **at, struct execd_param *param);
/* Find a parameter; the first one counts. Returns false if there is none. */
bool execd_param_find(const struct cell *cell, const char *name, struct execd_param *param);
/* Return whether a parameter is set to true or 1, or has no value. */
bool execd_param_is_true(const struct cell *cell, const char *name);

#endif
