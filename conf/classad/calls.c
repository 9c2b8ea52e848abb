/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of unknown functions, which are errors when they are evaluated. */
#include "conf/classad/inside.h"
#include "conf/classad/lexer.h"

const char *classad_unknown_call(const char **text, size_t *bytes)
{
	struct lexer lexer = { .begin = *text, .at = *text, .end = *text + strlen(*text) };
	struct token name = { .type = TOKEN_END };

	while (lexer_next(&lexer) == 0 && lexer.token.type != TOKEN_END) {
		if (lexer.token.type == '(' && name.type == TOKEN_NAME && !name.is_quoted &&
		    !token_is(&name, "ifThenElse") && function_find(name.text, name.bytes) == FUNCTION_NONE) {
			*text = lexer.at;
			*bytes = name.bytes;
			return name.text;
		}
		name = lexer.token;
	}
	return NULL;
}
