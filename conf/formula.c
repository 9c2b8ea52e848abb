/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/formula.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "conf/lists.h"
#include "conf/base/number.h"

#define OPERATORS "*/&|^"

static int operand_parse(struct formula_operand *operand, const char *text, size_t n, struct error *error)
{
	if (n > 0 && *text == '$')
		text++, n--;
	if (n == 0)
		return error_set(
			error, -EINVAL,
			"a term without attribute found: terms attr or attr*number with + or - between are allowed");
	operand->name = strndup(text, n);
	if (!operand->name)
		return -ENOMEM;
	if (!number_double(operand->name, &operand->number)) {
		free(operand->name);
		operand->name = NULL;
	}
	return 0;
}

static int term_parse(struct formula_term *term, const char *text, const char *end, struct error *error)
{
	size_t n = strcspn(text, OPERATORS "+-");
	int rc = operand_parse(&term->x, text, n, error);

	if (rc || text + n == end)
		return rc;
	term->op = text[n];
	text += n + 1;
	return operand_parse(&term->y, text, strcspn(text, OPERATORS "+-"), error);
}

int formula_parse(struct formula *formula, const char *text, struct error *error)
{
	bool negative = *text == '-', more = true;
	struct formula_term *term;
	const char *end;
	int rc = 0;

	*formula = (struct formula){ 0 };
	for (text += negative; more && !rc; text = end + 1) {
		end = text + strcspn(text, "+-");
		term = array_add(&formula->terms, &formula->n, sizeof(*term));
		if (!term)
			return -ENOMEM;
		term->negative = negative;
		rc = term_parse(term, text, end, error);
		more = *end;
		negative = *end == '-';
	}
	return rc;
}

void formula_free(struct formula *formula)
{
	size_t i;

	for (i = 0; i < formula->n; i++) {
		free(formula->terms[i].x.name);
		free(formula->terms[i].y.name);
	}
	free(formula->terms);
	*formula = (struct formula){ 0 };
}

static uint32_t bits(double value, bool *known)
{
	if (fabs(value) < 0x1p63)
		return (uint32_t)(int64_t)value;
	*known = false;
	return 0;
}

static double term_combine(char op, double x, double y, bool *known)
{
	switch (op) {
	case '*':
		return x * y;
	case '/':
		*known &= y != 0;
		return y != 0 ? x / y : 0;
	case '&':
		return bits(x, known) & bits(y, known);
	case '|':
		return bits(x, known) | bits(y, known);
	default:
		return bits(x, known) ^ bits(y, known);
	}
}

double formula_value(const struct formula *formula, formula_lookup *lookup, void *context, bool *known)
{
	const struct formula_term *term;
	double sum = 0, x, y;

	*known = true;
	for (term = formula->terms; term < formula->terms + formula->n && *known; term++) {
		x = term->x.name ? lookup(context, term->x.name, known) : term->x.number;
		if (term->op && *known) {
			y = term->y.name ? lookup(context, term->y.name, known) : term->y.number;
			x = term_combine(term->op, x, y, known);
		}
		sum = term->negative ? sum - x : sum + x;
	}
	*known &= isfinite(sum);
	return *known ? sum : 0;
}
