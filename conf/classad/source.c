/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Expressions as HTCondor writes them: with one blank around an operator, one before a sign, and
 * the attributes of an ad in order of length and name. The tokens of the text are written again.
 */
#include "conf/classad/lexer.h"
#include "conf/classad/parse.h"
#include "conf/classad/writer.h"

struct respelling {
	struct writer *writer;
	const struct program *program;	/* NULL: a constant */
	struct lexer lexer;
	uint32_t nested;		/* nested ads before the current token */
	bool operand;			/* the last token ends an operand */
};

static void number_put(struct respelling *respelling, bool minus)
{
	struct classad_value value = respelling->lexer.token.value;

	if (minus && respelling->lexer.token.is_least)
		value = INTEGER(INT64_MIN);
	else if (minus)
		value_sign(OP_MINUS, &value);
	writer_value(respelling->writer, &value);
}

/* Write a sign. A minus directly before a number is part of the number. */
static void sign_put(struct respelling *respelling)
{
	const struct token sign = respelling->lexer.token;

	if (sign.type == '-' && respelling->lexer.at < respelling->lexer.end) {
		struct respelling next = *respelling;

		if (lexer_next(&next.lexer) == 0 && next.lexer.token.type == TOKEN_NUMBER &&
		    next.lexer.token.text == respelling->lexer.at) {
			respelling->lexer = next.lexer;
			number_put(respelling, true);
			respelling->operand = true;
			return;
		}
	}
	writer_text(respelling->writer, " ");
	writer_put(respelling->writer, sign.text, sign.bytes);
}

static void string_put(struct respelling *respelling)
{
	const struct token *token = &respelling->lexer.token;
	struct classad_value part = { .type = CLASSAD_STRING };
	size_t begin = 0;

	writer_text(respelling->writer, "\"");
	for (size_t i = 0; i <= token->bytes; i++) {
		bool escaped = i + 1 < token->bytes && token->escapes && token->text[i] == '\\' &&
			       token->text[i + 1] == '"';

		if (i < token->bytes && !escaped)
			continue;
		part.text = token->text + begin;
		part.bytes = i - begin;
		writer_string(respelling->writer, &part);
		begin = i + 1;
		i += escaped;
	}
	writer_text(respelling->writer, "\"");
}

/* Write a name, in quotes if it would not be read as a name without them. */
static void writer_name(struct writer *writer, const char *name, size_t bytes)
{
	const struct token token = { .type = TOKEN_NAME, .text = name, .bytes = bytes };
	bool plain = (*name < '0' || *name > '9') && !token_is_keyword(&token);

	for (size_t i = 0; i < bytes; i++)
		plain = plain && is_name_letter(name[i]);
	writer_text(writer, plain ? "" : "'");
	for (size_t i = 0; i < bytes; i++) {
		if (name[i] == '\'' || name[i] == '\\')
			writer_text(writer, "\\");
		writer_put(writer, &name[i], 1);
	}
	writer_text(writer, plain ? "" : "'");
}

static void name_put(struct respelling *respelling)
{
	const struct token *token = &respelling->lexer.token;
	char word[NAME_MOST + 1];
	size_t bytes = 0;

	if (!token->is_quoted && !token_is_keyword(token)) {
		writer_put(respelling->writer, token->text, token->bytes);
		return;
	}
	for (size_t i = 0; i < token->bytes && bytes < NAME_MOST; i++) {
		i += token->escapes && token->text[i] == '\\' && i + 1 < token->bytes;
		word[bytes++] = token->is_quoted ? token->text[i] : (char)(token->text[i] | 0x20);
	}
	if (token->is_quoted)
		writer_name(respelling->writer, word, bytes);
	else
		writer_put(respelling->writer, word, bytes);
}

/* Write the nested ad that begins at the current token, and skip its text. */
static void ad_put_next(struct respelling *respelling, const char *text)
{
	const struct program *program = respelling->program;
	size_t begin = (size_t)(respelling->lexer.token.text - text);

	while (program && respelling->nested < program->nads) {
		const struct nested_ad *nested = &program->ads[respelling->nested++];

		if (nested->begin == begin && nested->end > begin) {
			writer_ad(respelling->writer, nested->ad);
			respelling->lexer.at = text + nested->end;
			return;
		}
	}
	writer_text(respelling->writer, "[");
}

static void operator_put(struct respelling *respelling)
{
	const struct token *token = &respelling->lexer.token;
	const char *words = token->type == TOKEN_IS ? "is" : token->type == TOKEN_ISNT ? "isnt" : "?:";

	writer_text(respelling->writer, " ");
	if (token->type == TOKEN_IS || token->type == TOKEN_ISNT || token->type == TOKEN_ELVIS)
		writer_text(respelling->writer, words);
	else
		writer_put(respelling->writer, token->text, token->bytes);
	writer_text(respelling->writer, " ");
}

/* Write the current token of `text`. */
static void token_put(struct respelling *respelling, const char *text)
{
	const struct token *token = &respelling->lexer.token;
	int type = token->type;
	bool ends = type == TOKEN_NUMBER || type == TOKEN_STRING || type == TOKEN_NAME || type == ')' || type == ']' ||
		    type == '}';

	if (type == TOKEN_NUMBER)
		number_put(respelling, false);
	else if (type == TOKEN_STRING)
		string_put(respelling);
	else if (type == TOKEN_NAME)
		name_put(respelling);
	else if (type == '{' || type == '}')
		writer_text(respelling->writer, type == '{' ? "{ " : " }");
	else if (type == '[' && !respelling->operand)
		ad_put_next(respelling, text), ends = true;
	else if (type < TOKEN_NUMBER && strchr("()[],.", type))
		writer_put(respelling->writer, token->text, 1);
	else if (!respelling->operand)
		sign_put(respelling), ends = respelling->operand;
	else
		operator_put(respelling);
	respelling->operand = ends;
}

void writer_expression(struct writer *writer, const struct classad_expression *expression)
{
	size_t bytes = expression->text ? strlen(expression->text) : 0;
	struct respelling respelling = { .writer = writer,
				 .program = expression->program,
				 .lexer = { .begin = expression->text,
					    .at = expression->text,
					    .end = expression->text + bytes } };

	if (!expression->text) {
		writer_value(writer, &expression->value);
		return;
	}
	while (lexer_next(&respelling.lexer) == 0 && respelling.lexer.token.type != TOKEN_END)
		token_put(&respelling, expression->text);
}

/* Return the next length of a name that is greater than `length`, or 0. */
static uint32_t length_next(const struct classad *ad, uint32_t length)
{
	uint32_t next = 0;

	for (uint32_t i = 0; i < ad->n; i++) {
		uint32_t bytes = ad->items[i]->key.bytes;

		if (bytes > length && (next == 0 || bytes < next))
			next = bytes;
	}
	return next;
}

void writer_ad(struct writer *writer, const struct classad *ad)
{
	const char *separator = "[ ";

	for (uint32_t length = length_next(ad, 0); length > 0; length = length_next(ad, length)) {
		for (uint32_t i = 0; i < ad->n && !writer_is_full(writer); i++) {
			if (ad->items[i]->key.bytes != length)
				continue;
			writer_text(writer, separator);
			writer_name(writer, ad->items[i]->key.name, length);
			writer_text(writer, " = ");
			writer_expression(writer, ad->items[i]);
			separator = "; ";
		}
	}
	writer_text(writer, ad->n > 0 ? " ]" : "[  ]");
}

size_t expression_unparse(const struct classad_expression *expression, char *text, size_t size)
{
	struct writer writer = { text, size, 0, REALS_UNPARSED };

	if (size > 0)
		*text = '\0';
	writer_expression(&writer, expression);
	return writer.used;
}
