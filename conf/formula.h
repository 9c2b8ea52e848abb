/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Weighted sums: load_formula of sched_conf(5), dynamic limits of sge_resource_quota(5).
 *
 *     formula = ["-"] term { ("+" | "-") term }
 *     term    = operand [ op operand [rest] ]        op: * / & | ^
 *     operand = number | ["$"] name
 *
 * Grid Engine splits the text at + and - before anything else, and so does this parser. 1e-3 is
 * therefore two terms, and a factor has no sign. A term ends with its second operand, and the rest
 * of it is ignored. Terms are added from left to right. & | ^ work on whole numbers of 32 bits.
 */
#ifndef CONF_FORMULA_H
#define CONF_FORMULA_H

#include <stdbool.h>

#include "conf/cell.h"
#include "conf/base/error.h"

/*
 * Parse a text without blanks. An operand that is not a number is a name. Returns 0, -EINVAL with
 * the reason in `error`, or -ENOMEM. Call formula_free() in each case.
 */
int formula_parse(struct formula *formula, const char *text, struct error *error);
void formula_free(struct formula *formula);

/*
 * Return the value of a name. `*known` is true before the call. Set it to false if the name has no
 * value.
 */
typedef double formula_lookup(void *context, const char *name, bool *known);

/*
 * Compute the value. Allocates nothing and keeps no state. Returns 0 and sets `*known` to false in
 * these cases: a name has no value, a division by zero, an operand of & | ^ that is out of range,
 * or a result that is not finite.
 */
double formula_value(const struct formula *formula, formula_lookup *lookup, void *context, bool *known);

#endif
