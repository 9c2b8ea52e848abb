/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions that belong to no ad. */
#include <stdlib.h>

#include "conf/classad/inside.h"

int classad_parse(struct classad_expression **e, const char *text, struct error *error)
{
	return expression_parse(e, NULL, text, strlen(text), error);
}

void classad_expression_free(struct classad_expression *e)
{
	free(e);
}

const char *classad_expression_text(const struct classad_expression *e)
{
	return e->text;
}

bool classad_is_constant(const struct classad_expression *e, struct classad_value *value)
{
	if (e->program)
		return false;
	*value = e->value;
	return true;
}
