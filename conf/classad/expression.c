/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions that do not belong to an ad. */
#include <stdlib.h>

#include "conf/classad/inside.h"

int classad_parse(struct classad_expression **expression, const char *text, struct error *error)
{
	return expression_parse(expression, NULL, text, strlen(text), NULL, error);
}

void classad_expression_free(struct classad_expression *expression)
{
	const struct program *program = expression ? expression->program : NULL;

	for (uint32_t i = 0; program && i < program->nads; i++)
		classad_free(program->ads[i].ad);
	free(expression);
}

const char *classad_expression_text(const struct classad_expression *expression)
{
	return expression->text;
}

bool classad_is_constant(const struct classad_expression *expression, struct classad_value *value)
{
	if (expression->program)
		return false;
	*value = expression->value;
	return true;
}
