/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an expression may call: HTCondor's manual, "Predefined Functions". ifThenElse() is
 * parse.c's, since it does not look at all of its arguments; time() is an instruction, since it is
 * not folded.
 */
#include <math.h>

#include "conf/classad/inside.h"
#include "conf/search.h"

struct classad_value arguments_strict(const struct classad_value *arguments, size_t n)
{
	struct classad_value strict = TRUTH(true);

	for (size_t i = 0; i < n; i++) {
		if (arguments[i].type == CLASSAD_ERROR)
			return ERROR;
		if (arguments[i].type == CLASSAD_UNDEFINED)
			strict = UNDEFINED;
	}
	return strict;
}

#define IS_TYPE(NAME, TYPE)											\
	static struct classad_value NAME(const struct classad_value *arguments, size_t n, struct classad_room *room)	\
	{													\
		(void)n, (void)room;										\
		return TRUTH(arguments->type == (TYPE));							\
	}
IS_TYPE(is_undefined, CLASSAD_UNDEFINED)
IS_TYPE(is_error, CLASSAD_ERROR)
IS_TYPE(is_boolean, CLASSAD_BOOL)
IS_TYPE(is_integer, CLASSAD_INT)
IS_TYPE(is_real, CLASSAD_REAL)
IS_TYPE(is_string, CLASSAD_STRING)
IS_TYPE(is_list, CLASSAD_LIST)

/* What has no place in 64 bits is error. */
static struct classad_value whole(double value)
{
	return value >= -0x1p63 && value < 0x1p63 ? INTEGER((int64_t)value) : ERROR;
}

/* As real() has it: INT stays, all else is REAL, or ERROR: undefined, too. */
static struct classad_value number_of(const struct classad_value *v)
{
	struct classad_value number;

	if (v->type == CLASSAD_INT || v->type == CLASSAD_REAL)
		return *v;
	if (v->type == CLASSAD_BOOL)
		return REAL(v->truth);
	if (v->type != CLASSAD_STRING)
		return ERROR;
	number = number_of_text(v->text, v->bytes);
	return number.type == CLASSAD_INT ? REAL((double)number.integer) : number;
}

#define ROUNDING(NAME, ROUND)											\
	static struct classad_value NAME(const struct classad_value *arguments, size_t n, struct classad_room *room)	\
	{													\
		struct classad_value number = number_of(arguments);						\
														\
		(void)n, (void)room;										\
		return number.type == CLASSAD_REAL ? whole(ROUND(number.real)) : number;				\
	}
ROUNDING(number_floor, floor)
ROUNDING(number_ceiling, ceil)
ROUNDING(number_round, rint)		/* half to even */

static struct classad_value number_int(const struct classad_value *arguments, size_t n, struct classad_room *room)
{
	struct classad_value v = *arguments;

	(void)n, (void)room;
	if (v.type == CLASSAD_STRING)
		v = number_of_text(v.text, v.bytes);
	if (v.type == CLASSAD_BOOL)
		return INTEGER(v.truth);
	return v.type == CLASSAD_REAL ? whole(trunc(v.real)) : v.type == CLASSAD_LIST ? ERROR : v;
}

static struct classad_value number_real(const struct classad_value *arguments, size_t n, struct classad_room *room)
{
	struct classad_value number = number_of(arguments);

	(void)n, (void)room;
	if (arguments->type == CLASSAD_UNDEFINED)
		return UNDEFINED;
	return number.type == CLASSAD_INT ? REAL((double)number.integer) : number;
}

static struct classad_value power_of_integers(int64_t base, int64_t exponent)
{
	uint64_t result = 1, factor = (uint64_t)base;

	for (; exponent > 0; exponent >>= 1, factor *= factor)
		if (exponent & 1)
			result *= factor;
	return INTEGER((int64_t)result);
}

static struct classad_value number_pow(const struct classad_value *arguments, size_t n, struct classad_room *room)
{
	struct classad_value base = number_of(arguments), exponent = number_of(arguments + 1);

	(void)n, (void)room;
	if (base.type == CLASSAD_ERROR || exponent.type == CLASSAD_ERROR)
		return ERROR;
	if (base.type == CLASSAD_INT && exponent.type == CLASSAD_INT && exponent.integer >= 0)
		return power_of_integers(base.integer, exponent.integer);
	return REAL(pow(real_of(&base), real_of(&exponent)));
}

/* The least multiple of `unit` that is not below the number; of the type of `unit`. */
static struct classad_value multiple(const struct classad_value *number, const struct classad_value *unit)
{
	int64_t quotient;

	if (!is_number(unit) || real_of(unit) == 0)
		return ERROR;
	if (unit->type == CLASSAD_REAL)
		return REAL(ceil(real_of(number) / unit->real) * unit->real);
	if (number->type == CLASSAD_REAL)
		return whole(ceil(number->real / real_of(unit)) * real_of(unit));
	if (integer_of(unit) == -1)
		return *number;
	quotient = number->integer / integer_of(unit);
	quotient += number->integer % integer_of(unit) != 0 && (number->integer < 0) == (integer_of(unit) < 0);
	return INTEGER((int64_t)((uint64_t)quotient * (uint64_t)integer_of(unit)));
}

static struct classad_value number_quantize(const struct classad_value *arguments, size_t n, struct classad_room *room)
{
	struct classad_value number = number_of(arguments), unit = arguments[1];

	(void)n, (void)room;
	if (number.type == CLASSAD_ERROR)
		return ERROR;
	if (unit.type != CLASSAD_LIST)
		return multiple(&number, &unit);
	if (unit.n == 0)
		return ERROR;
	for (size_t i = 0; i < unit.n; i++) {
		if (!is_number(&unit.items[i]))
			return ERROR;
		if (real_of(&unit.items[i]) >= real_of(&number))
			return unit.items[i];
	}
	return multiple(&number, &unit.items[unit.n - 1]);
}

const struct function functions[] = {	/* in order of name */
	{ "avg", 1, 1, list_avg },
	{ "bool", 1, 1, text_bool },
	{ "ceiling", 1, 1, number_ceiling },
	{ "floor", 1, 1, number_floor },
	{ "identicalmember", 2, 2, list_identical_member },
	{ "int", 1, 1, number_int },
	{ "isboolean", 1, 1, is_boolean },
	{ "iserror", 1, 1, is_error },
	{ "isinteger", 1, 1, is_integer },
	{ "islist", 1, 1, is_list },
	{ "isreal", 1, 1, is_real },
	{ "isstring", 1, 1, is_string },
	{ "isundefined", 1, 1, is_undefined },
	{ "max", 1, 1, list_max },
	{ "member", 2, 2, list_member },
	{ "min", 1, 1, list_min },
	{ "pow", 2, 2, number_pow },
	{ "quantize", 2, 2, number_quantize },
	{ "real", 1, 1, number_real },
	{ "regexp", 2, 3, text_regexp },
	{ "round", 1, 1, number_round },
	{ "size", 1, 1, list_size },
	{ "split", 1, 2, text_split },
	{ "strcat", 0, UINT8_MAX, text_strcat },
	{ "strcmp", 2, 2, order_strcmp },
	{ "stricmp", 2, 2, order_stricmp },
	{ "string", 1, 1, text_string },
	{ "stringlistimember", 2, 3, text_string_list_imember },
	{ "stringlistmember", 2, 3, text_string_list_member },
	{ "stringlistsize", 1, 2, text_string_list_size },
	{ "substr", 2, 3, text_substr },
	{ "sum", 1, 1, list_sum },
	{ "time", 0, 0, NULL },
	{ "tolower", 1, 1, text_to_lower },
	{ "toupper", 1, 1, text_to_upper },
	{ "version_in_range", 3, 3, order_version_in_range },
	{ "versioncmp", 2, 2, order_versioncmp },
	{ "versioneq", 2, 2, order_version_eq },
	{ "versionge", 2, 2, order_version_ge },
	{ "versiongt", 2, 2, order_version_gt },
	{ "versionle", 2, 2, order_version_le },
	{ "versionlt", 2, 2, order_version_lt },
};

uint8_t function_find(const char *name, size_t bytes)
{
	size_t count = sizeof(functions) / sizeof(*functions), at;

	lower_bound(at, count, strncasecmp(functions[at].name, name, bytes) < 0);
	/* the first that begins so is the shortest: it is sorted before those that go on */
	return at < count && strlen(functions[at].name) == bytes && strncasecmp(functions[at].name, name, bytes) == 0 ? (uint8_t)at :
	       FUNCTION_NONE;
}
