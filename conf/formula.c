/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/formula.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "conf/lists.h"
#include "conf/number.h"

#define OPERATORS "*/&|^"

static int operand_parse(struct formula_operand *o, const char *text, size_t n, struct error *e)
{
	if (n > 0 && *text == '$')
		text++, n--;
	if (n == 0)
		return error_set(e, -EINVAL, "a term without attribute found: terms attr or attr*number with + or - between are allowed");
	o->name = strndup(text, n);
	if (!o->name)
		return -ENOMEM;
	if (!number_double(o->name, &o->number)) {
		free(o->name);
		o->name = NULL;
	}
	return 0;
}

static int term_parse(struct formula_term *t, const char *text, const char *end, struct error *e)
{
	size_t n = strcspn(text, OPERATORS "+-");
	int rc = operand_parse(&t->x, text, n, e);

	if (rc || text + n == end)
		return rc;
	t->op = text[n];
	text += n + 1;
	return operand_parse(&t->y, text, strcspn(text, OPERATORS "+-"), e);
}

int formula_parse(struct formula *f, const char *text, struct error *e)
{
	bool negative = *text == '-', more = true;
	struct formula_term *t;
	const char *end;
	int rc = 0;

	*f = (struct formula){ 0 };
	for (text += negative; more && !rc; text = end + 1) {
		end = text + strcspn(text, "+-");
		t = array_add(&f->terms, &f->n, sizeof(*t));
		if (!t)
			return -ENOMEM;
		t->negative = negative;
		rc = term_parse(t, text, end, e);
		more = *end;
		negative = *end == '-';
	}
	return rc;
}

void formula_free(struct formula *f)
{
	size_t i;

	for (i = 0; i < f->n; i++) {
		free(f->terms[i].x.name);
		free(f->terms[i].y.name);
	}
	free(f->terms);
	*f = (struct formula){ 0 };
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

double formula_value(const struct formula *f, formula_lookup *lookup, void *context, bool *known)
{
	const struct formula_term *t;
	double sum = 0, x, y;

	*known = true;
	for (t = f->terms; t < f->terms + f->n && *known; t++) {
		x = t->x.name ? lookup(context, t->x.name, known) : t->x.number;
		if (t->op && *known) {
			y = t->y.name ? lookup(context, t->y.name, known) : t->y.number;
			x = term_combine(t->op, x, y, known);
		}
		sum = t->negative ? sum - x : sum + x;
	}
	*known &= isfinite(sum);
	return *known ? sum : 0;
}
