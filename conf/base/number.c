/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/base/number.h"

#include <ctype.h>
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/*
 * Read a decimal number. strtod() also accepts blanks, "nan", "inf" and hexadecimal fractions,
 * which are not numbers here.
 */
static int decimal_parse(const char *text, double *value, const char **end)
{
	const char *digits = text + (*text == '-' || *text == '+');
	double v;

	if (!isdigit((unsigned char)digits[*digits == '.']) || (digits[0] == '0' && (digits[1] | 0x20) == 'x'))
		return -EINVAL;
	v = strtod(text, (char **)end);
	if (!isfinite(v))
		return -ERANGE;
	*value = v;
	return 0;
}

/* Read a whole number in another base: 0x1f, 017. */
static int radix_parse(const char *text, double *value, const char **end)
{
	const char *digits = text + (*text == '-' || *text == '+');
	unsigned long long v;

	if ((digits[1] | 0x20) == 'x' && !isxdigit((unsigned char)digits[2]))
		return -EINVAL;
	errno = 0;
	v = strtoull(digits, (char **)end, 0);
	if (errno == ERANGE)
		return -ERANGE;
	*value = *text == '-' ? -(double)v : (double)v;
	return 0;
}

static double suffix_factor(char suffix)
{
	static const char letters[] = "kmgt";
	const char *at = strchr(letters, tolower((unsigned char)suffix));
	double factor = isupper((unsigned char)suffix) ? 1024 : 1000, result = 1;

	if (!suffix || !at)
		return 0;
	for (; at >= letters; at--)
		result *= factor;
	return result;
}

static int plain_parse(const char *text, double *value)
{
	const char *digits = text + (*text == '-' || *text == '+'), *end;
	bool radix = digits[0] == '0' && ((digits[1] | 0x20) == 'x' || isdigit((unsigned char)digits[1]));
	double v, factor;
	int rc = radix ? radix_parse(text, &v, &end) : decimal_parse(text, &v, &end);

	if (rc)
		return rc;
	if (*end) {
		factor = suffix_factor(*end);
		if (factor == 0 || end[1])
			return -EINVAL;
		v *= factor;
	}
	if (!isfinite(v))
		return -ERANGE;
	*value = v;
	return 0;
}

/* Read one of the three parts of h:m:s, up to `stop`. An empty part is 0. */
static int part_parse(const char **text, char stop, double *value)
{
	const char *end = *text;
	double v = 0;
	int rc;

	if (*end != stop) {
		if (*end == '-' || *end == '+')
			return -EINVAL;
		rc = decimal_parse(*text, &v, &end);
		if (rc)
			return rc;
		if (*end != stop)
			return -EINVAL;
	}
	*text = stop ? end + 1 : end;
	*value = v;
	return 0;
}

static int clock_parse(const char *text, double *value)
{
	double h, m, s, v;
	int rc = part_parse(&text, ':', &h);

	if (!rc)
		rc = part_parse(&text, ':', &m);
	if (!rc)
		rc = part_parse(&text, '\0', &s);
	if (rc)
		return rc;
	v = h * 3600 + m * 60 + s;
	if (!isfinite(v))
		return -ERANGE;
	*value = v;
	return 0;
}

static int word_parse(const char *text, double *value)
{
	if (!strcasecmp(text, "true"))
		*value = 1;
	else if (!strcasecmp(text, "false"))
		*value = 0;
	else if (!strcasecmp(text, "infinity"))
		*value = DBL_MAX;
	else
		return -EINVAL;
	return 0;
}

int number_parse(const char *text, double *value)
{
	if (!word_parse(text, value))
		return 0;
	return strchr(text, ':') ? clock_parse(text, value) : plain_parse(text, value);
}

int number_double(const char *text, double *value)
{
	const char *end;
	double v;
	int rc = decimal_parse(text, &v, &end);

	if (rc)
		return rc;
	if (*end)
		return -EINVAL;
	*value = v;
	return 0;
}

int number_u32(const char *text, uint32_t *value)
{
	double v = 0;
	int rc = *text ? number_double(text, &v) : 0;

	if (rc)
		return rc;
	if (v < 0 || fabs(v - rint(v)) > 1e-12)
		return -EINVAL;
	if (rint(v) > UINT32_MAX)
		return -ERANGE;
	*value = (uint32_t)rint(v);
	return 0;
}

int number_time(const char *text, uint32_t *seconds)
{
	double v;
	int rc;

	if (!strcasecmp(text, "infinity")) {
		*seconds = UINT32_MAX;
		return 0;
	}
	rc = strchr(text, ':') ? clock_parse(text, &v) : plain_parse(text, &v);
	if (rc)
		return rc;
	if (v < 0)
		return -EINVAL;
	if (v >= UINT32_MAX)
		return -ERANGE;
	*seconds = (uint32_t)v;
	return 0;
}

int number_bool(const char *text, bool *value)
{
	static const char *const words[] = { "false", "f", "0", "no", "n", "true", "t", "1", "yes", "y" };
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (!strcasecmp(text, words[i])) {
			*value = i >= 5;
			return 0;
		}
	}
	return -EINVAL;
}

int number_urgency(const char *text, double *value)
{
	int rc = number_parse(text, value);

	if (rc)
		*value = 0;
	else if (*value == DBL_MAX)
		*value = 0, rc = -ERANGE;
	return rc;
}
