/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Weighted sums: load_formula of sched_conf(5), dynamic limits of sge_resource_quota(5).
 *
 *     formula = ["-"] term { ("+" | "-") term }
 *     term    = operand [ op operand [rest] ]        op: * / & | ^
 *     operand = number | ["$"] name
 *
 * As in Grid Engine the text is cut at + and - before anything else, so that 1e-3 is two terms and
 * no factor has a sign; a term ends with its second operand, the rest of it is ignored. Terms are
 * added from left to right; & | ^ see whole numbers of 32 bits.
 */
#ifndef CONF_FORMULA_H
#define CONF_FORMULA_H

#include <stdbool.h>

#include "conf/cell.h"
#include "conf/error.h"

/*
 * The text has no blanks. What is no number is a name. 0, -EINVAL with the reason in `e`, -ENOMEM;
 * formula_free() must follow in each case.
 */
int formula_parse(struct formula *formula, const char *text, struct error *error);
void formula_free(struct formula *formula);

/* The value of a name; *known is true before, and becomes false if it has none. */
typedef double formula_lookup(void *context, const char *name, bool *known);

/*
 * No allocation, no state. *known false, and 0 returned: a name has no value, a division by zero, a
 * number that & | ^ cannot see, or a result that is not finite.
 */
double formula_value(const struct formula *formula, formula_lookup *lookup, void *context, bool *known);

#endif
