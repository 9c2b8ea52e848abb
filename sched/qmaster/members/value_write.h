/* SPDX-License-Identifier: Apache-2.0 */
/* Writing a parsed value as JSON without white space. */
#ifndef SCHED_QMASTER_MEMBERS_VALUE_WRITE_H
#define SCHED_QMASTER_MEMBERS_VALUE_WRITE_H

#include "sched/process/json.h"
#include "sched/qmaster/members/values.h"

/*
 * Write a value without its name. Reading the text yields the same value; a real number remains a
 * real number.
 */
void value_write(struct out *out, const struct value *value);

/* Write a number of which a whole one has no point: 3, 0.1, 1e20. Not finite: null. */
void value_write_number(struct out *out, double number);

#endif
