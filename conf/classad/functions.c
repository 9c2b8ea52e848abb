/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions of expressions: HTCondor's manual, "Predefined Functions". ifThenElse() is in parse.c,
 * because it does not evaluate all of its arguments. time(), random(), eval() and unparse() are
 * instructions.
 */
#include <math.h>

#include "conf/classad/inside.h"
#include "conf/base/search.h"

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
	static struct classad_value NAME(const struct classad_value *arguments, size_t n,			\
					 struct classad_room *room)						\
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
IS_TYPE(is_ad, CLASSAD_AD)

/* Return false for isAbsTime and isRelTime, because such values do not exist here. */
static struct classad_value is_of_no_type(const struct classad_value *arguments, size_t n, struct classad_room *room)
{
	(void)arguments, (void)n, (void)room;
	return TRUTH(false);
}

/* Convert a real to an integer. A value that exceeds 64 bits is error. */
static struct classad_value whole(double value)
{
	return value >= -0x1p63 && value < 0x1p63 ? INTEGER((int64_t)value) : ERROR;
}

/*
 * Convert a value like real(): INT is unchanged, other values become REAL, or ERROR, also if
 * undefined.
 */
static struct classad_value number_of(const struct classad_value *value)
{
	if (value->type == CLASSAD_INT || value->type == CLASSAD_REAL)
		return *value;
	if (value->type == CLASSAD_BOOL)
		return REAL(value->truth);
	if (value->type != CLASSAD_STRING)
		return ERROR;
	return number_of_text(value->text, value->bytes);
}

#define ROUNDING(NAME, ROUND)											\
	static struct classad_value NAME(const struct classad_value *arguments, size_t n,			\
					 struct classad_room *room)						\
	{													\
		struct classad_value number = number_of(arguments);						\
														\
		(void)n, (void)room;										\
		return number.type == CLASSAD_REAL ? whole(ROUND(number.real)) : number;			\
	}
ROUNDING(number_floor, floor)
ROUNDING(number_ceiling, ceil)
ROUNDING(number_round, rint)		/* rounds half to even */

struct classad_value number_int(const struct classad_value *arguments, size_t n, struct classad_room *room)
{
	struct classad_value value = *arguments;

	(void)n, (void)room;
	if (value.type == CLASSAD_STRING)
		value = number_of(arguments);
	if (value.type == CLASSAD_BOOL)
		return INTEGER(value.truth);
	return value.type == CLASSAD_REAL ? whole(trunc(value.real)) : value.type >= CLASSAD_LIST ? ERROR : value;
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

/*
 * Return the smallest multiple of `unit` that is not below the number. It is an integer if both
 * are. If `unit` is 0, the result is the number. Integers are divided with truncation, also by a
 * negative unit.
 */
static struct classad_value multiple(const struct classad_value *value, double number, const struct classad_value *unit,
				     double of)
{
	if (unit->type == CLASSAD_INT ? unit->integer == 0 : of >= -1e-8 && of <= 1e-8)
		return *value;
	if (unit->type == CLASSAD_INT && value->type == CLASSAD_INT) {
		int64_t sum = (int64_t)((uint64_t)value->integer + (uint64_t)unit->integer - 1);

		return unit->integer == -1
			       ? INTEGER(sum)
			       : INTEGER((int64_t)((uint64_t)(sum / unit->integer) * (uint64_t)unit->integer));
	}
	return REAL(ceil(number / of) * of);
}

/*
 * Quantize a number. If the second argument is a list, the result is its first item that is not
 * below the number, else a multiple of its last item.
 */
static struct classad_value number_quantize(const struct classad_value *arguments, size_t n, struct classad_room *room)
{
	struct classad_value number = number_of(arguments), unit = arguments[1], of = REAL(0.0);

	(void)n, (void)room;
	if (number.type == CLASSAD_ERROR)
		return ERROR;
	if (unit.type != CLASSAD_LIST) {
		of = number_of(&unit);
		return of.type == CLASSAD_ERROR ? ERROR : multiple(arguments, real_of(&number), &unit, real_of(&of));
	}
	for (size_t i = 0; i < arguments[1].n; i++) {
		unit = arguments[1].items[i];
		of = number_of(&unit);
		if (of.type == CLASSAD_ERROR)
			return ERROR;
		if (real_of(&of) >= real_of(&number))
			return unit;
	}
	return multiple(arguments, real_of(&number), &unit, real_of(&of));
}

const struct function functions[] = {	/* sorted by name */
	{ "allcompare", 3, 3, list_all_compare },
	{ "anycompare", 3, 3, list_any_compare },
	{ "avg", 1, 1, list_avg },
	{ "bool", 1, 1, text_bool },
	{ "ceil", 1, 1, number_ceiling },
	{ "ceiling", 1, 1, number_ceiling },
	{ "debug", 1, 1, text_same },
	{ "eval", 1, 1, NULL },
	{ "floor", 1, 1, number_floor },
	{ "formattime", 1, 2, text_format_time },
	{ "identicalmember", 2, 2, list_identical_member },
	{ "int", 1, 1, number_int },
	{ "interval", 1, 1, text_interval },
	{ "isabstime", 1, 1, is_of_no_type },
	{ "isboolean", 1, 1, is_boolean },
	{ "isclassad", 1, 1, is_ad },
	{ "iserror", 1, 1, is_error },
	{ "isinteger", 1, 1, is_integer },
	{ "islist", 1, 1, is_list },
	{ "isreal", 1, 1, is_real },
	{ "isreltime", 1, 1, is_of_no_type },
	{ "isstring", 1, 1, is_string },
	{ "isundefined", 1, 1, is_undefined },
	{ "join", 0, UINT8_MAX, text_join },
	{ "max", 1, 1, list_max },
	{ "member", 2, 2, list_member },
	{ "min", 1, 1, list_min },
	{ "pow", 2, 2, number_pow },
	{ "quantize", 2, 2, number_quantize },
	{ "random", 0, 1, NULL },
	{ "real", 1, 1, number_real },
	{ "regexp", 2, 3, text_regexp },
	{ "regexpmember", 2, 3, text_regexp_member },
	{ "regexps", 3, 4, text_regexps },
	{ "replace", 3, 4, text_replace },
	{ "replaceall", 3, 4, text_replace_all },
	{ "round", 1, 1, number_round },
	{ "size", 1, 1, list_size },
	{ "split", 1, 2, text_split },
	{ "splitslotname", 1, 1, text_split_slot_name },
	{ "splitusername", 1, 1, text_split_user_name },
	{ "strcat", 0, UINT8_MAX, text_strcat },
	{ "strcmp", 2, 2, order_strcmp },
	{ "stricmp", 2, 2, order_stricmp },
	{ "string", 1, 1, text_string },
	{ "stringlist_regexpmember", 2, 4, text_string_list_regexp_member },
	{ "stringlistavg", 1, 2, words_avg },
	{ "stringlistimember", 2, 3, text_string_list_imember },
	{ "stringlistisubsetmatch", 2, 3, words_isubset },
	{ "stringlistmax", 1, 2, words_max },
	{ "stringlistmember", 2, 3, text_string_list_member },
	{ "stringlistmin", 1, 2, words_min },
	{ "stringlistsintersect", 2, 3, words_intersect },
	{ "stringlistsize", 1, 2, text_string_list_size },
	{ "stringlistsubsetmatch", 2, 3, words_subset },
	{ "stringlistsum", 1, 2, words_sum },
	{ "substr", 2, 3, text_substr },
	{ "sum", 1, 1, list_sum },
	{ "time", 0, 0, NULL },
	{ "tolower", 1, 1, text_to_lower },
	{ "toupper", 1, 1, text_to_upper },
	{ "unparse", 1, 1, NULL },
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
	/*
	 * the first name with this prefix is the shortest, because it is sorted before longer ones
	 */
	return at < count && strlen(functions[at].name) == bytes && strncasecmp(functions[at].name, name, bytes) == 0
		       ? (uint8_t)at
		       : FUNCTION_NONE;
}
