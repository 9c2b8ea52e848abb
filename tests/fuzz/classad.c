/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ClassAd expressions: lines "my Name = expression" and "target Name = expression", lines "ad TEXT"
 * with a whole ad, and expressions, which are evaluated between the two ads. Written values and ads
 * must read back the same.
 */
#include <stdlib.h>
#include <string.h>

#include "conf/classad/classad.h"
#include "tests/fuzz/support.h"

#define TEXT_BYTES (4u << 20)

struct fuzz_ads {
	struct classad *my, *target;
	struct classad_room room;
	char *text, *again;		/* TEXT_BYTES each */
};

#ifdef BROKEN			/* a quote in a string is written as if it ended it */
size_t __real_classad_value_text(const struct classad_value *value, char *text, size_t size);
size_t __wrap_classad_value_text(const struct classad_value *value, char *text, size_t size);

size_t __wrap_classad_value_text(const struct classad_value *value, char *text, size_t size)
{
	size_t n = __real_classad_value_text(value, text, size);

	for (char *c = text; n < size && (c = strstr(c, "\\\"")); c++)
		*c = ' ';
	return n;
}
#endif

static bool is_same(const struct fuzz_ads *ads, const struct classad_value *value)
{
	return classad_value_text(value, ads->again, TEXT_BYTES) < TEXT_BYTES && strcmp(ads->text, ads->again) == 0;
}

static unsigned nesting_of(const struct classad_value *value)
{
	unsigned most = 0;

	for (size_t i = 0; value->type == CLASSAD_LIST && i < value->n; i++) {
		unsigned n = 1 + nesting_of(&value->items[i]);

		most = n > most ? n : most;
	}
	return most;
}

/*
 * Control characters become '?', and only they may differ. A list of attributes that are lists may
 * have a nesting that the parser refuses.
 */
static void value_look(struct fuzz_ads *ads, const struct classad_value *value)
{
	struct classad_room room = { .now = FUZZ_NOW };
	struct classad_expression *classad_expression;
	struct classad_value again;

	MUST(value->type <= CLASSAD_AD);
	if (classad_value_text(value, ads->text, TEXT_BYTES) >= CLASSAD_TEXT_MOST ||
	    nesting_of(value) >= CLASSAD_DEPTH_MOST - 1)
		return;
	if (strchr(ads->text, '[')) {
		/* an ad around others may be nested too deep, and -0 is written as 0 */
		if (classad_parse(&classad_expression, ads->text, NULL))
			return;
		classad_evaluate(classad_expression, &(struct classad_pair){ NULL, NULL }, &room, &again);
		MUST(value->type != CLASSAD_AD || again.type == CLASSAD_AD);
	} else {
		MUST(classad_parse(&classad_expression, ads->text, NULL) == 0);
		classad_evaluate(classad_expression, &(struct classad_pair){ NULL, NULL }, &room, &again);
		MUST(again.type == value->type && is_same(ads, &again));
	}
	if (value->type == CLASSAD_STRING)
		MUST(strlen(value->text) == value->bytes);
	classad_expression_free(classad_expression);
	classad_room_free(&room);
}

static void references_look(const struct classad_expression *expression, const struct classad *my)
{
	struct classad_reads reads = { 0 };
	struct classad_value value;

	MUST(classad_references(expression, my, &reads) == 0);
	MUST(!classad_is_constant(expression, &value) ||
	     (reads.mine.n == 0 && reads.theirs.n == 0 && !reads.time && !reads.any));
	classad_reads_free(&reads);
}

/* Check that each clause can be parsed separately. */
static void clauses_look(const char *text)
{
	struct classad_clause clauses[64];
	size_t n = classad_clauses(text, clauses, 64);

	MUST(n > 0);
	for (size_t i = 0; i < n && i < 64; i++) {
		char *clause = strndup(clauses[i].text, clauses[i].bytes);
		struct classad_expression *expression;

		MUST(clause && classad_parse(&expression, clause, NULL) == 0);
		classad_expression_free(expression);
		free(clause);
	}
}

/* Check that names of unknown functions are parts of the text. */
static void calls_look(const char *text)
{
	const char *at = text, *name;
	size_t bytes;

	while ((name = classad_unknown_call(&at, &bytes)))
		MUST(bytes > 0 && name >= text && name + bytes < at && at <= text + strlen(text));
}

/* Two evaluations must have the same value. */
static void repetition_look(struct fuzz_ads *ads, const struct classad_expression *expression)
{
	struct classad_value value;
	uint32_t steps = ads->room.steps;

	classad_room_reset(&ads->room);
	classad_evaluate(expression, &(struct classad_pair){ ads->my, ads->target }, &ads->room, &value);
	MUST(ads->room.steps == steps && is_same(ads, &value));
	classad_value_show(&value, ads->again, TEXT_BYTES);
}

static void expression_look(struct fuzz_ads *ads, const char *text)
{
	struct classad_expression *expression;
	struct classad_value value;
	struct error error = { "" };
	int rc = classad_parse(&expression, text, &error);

	fuzz_taken(rc == 0);
	MUST(rc == 0 || (!expression && error.text[0]));
	if (rc)
		return;
	classad_evaluate(expression, &(struct classad_pair){ ads->my, ads->target }, &ads->room, &value);
	MUST(ads->room.steps <= CLASSAD_STEPS_MOST && ads->room.used <= ads->room.capacity);
	value_look(ads, &value);
	repetition_look(ads, expression);
	classad_room_reset(&ads->room);
	references_look(expression, ads->my);
	clauses_look(classad_expression_text(expression));
	calls_look(classad_expression_text(expression));
	classad_expression_free(expression);
}

static void attribute_take(struct classad *ad, char *line)
{
	char *equals;
	struct error error = { "" };
	int rc = -1;

	line += strspn(line, " ");
	equals = strchr(line, '=');
	if (equals) {
		*equals = '\0';
		line[strcspn(line, " ")] = '\0';
		rc = classad_set(ad, line, equals + 1, &error);
		MUST(rc == 0 || error.text[0]);
	}
	fuzz_taken(rc == 0);
}

static void ad_look(struct fuzz_ads *ads, const struct classad *ad)
{
	struct classad *again;

	if (classad_text(ad, ads->text, TEXT_BYTES) >= TEXT_BYTES)
		return;
	MUST(classad_read(&again, ads->text, NULL) == 0);
	MUST(classad_count(again) == classad_count(ad));
	MUST(classad_text(again, ads->again, TEXT_BYTES) < TEXT_BYTES && strcmp(ads->text, ads->again) == 0);
	classad_free(again);
}

static void ad_take(struct fuzz_ads *ads, const char *text)
{
	struct classad *ad;
	struct classad_value value;
	struct error error = { "" };
	int rc = classad_read(&ad, text, &error);

	fuzz_taken(rc == 0);
	MUST(rc == 0 || (!ad && error.text[0]));
	if (rc)
		return;
	ad_look(ads, ad);
	classad_set_base(ad, ads->my);
	for (size_t i = 0; i < classad_count(ad); i++) {
		classad_attribute(&(struct classad_pair){ ad, ads->target }, classad_name(ad, i), &ads->room, &value);
		value_look(ads, &value);
		classad_room_reset(&ads->room);
	}
	if (classad_count(ad) > 0)
		classad_unset(ad, classad_name(ad, classad_count(ad) / 2));
	ad_look(ads, ad);
	classad_free(ad);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char text[TEXT_BYTES], again[TEXT_BYTES];
	struct piece rest = { (const char *)data, size }, line;
	struct fuzz_ads ads = { classad_create(), classad_create(), { .now = FUZZ_NOW }, text, again };

	MUST(ads.my && ads.target);
	for (; piece_line(&rest, &line); piece_free(&line)) {
		if (piece_is(&line, "my"))
			attribute_take(ads.my, (char *)line.text + strlen("my"));
		else if (piece_is(&line, "target"))
			attribute_take(ads.target, (char *)line.text + strlen("target"));
		else if (piece_is(&line, "ad"))
			ad_take(&ads, line.text + strlen("ad"));
		else
			expression_look(&ads, line.text);
	}
	ad_look(&ads, ads.my);
	ad_look(&ads, ads.target);
	classad_room_free(&ads.room);
	classad_free(ads.my);
	classad_free(ads.target);
	return 0;
}
