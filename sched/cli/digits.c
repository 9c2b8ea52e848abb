/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/digits.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define RIGHT_BYTES 20

typedef unsigned __int128 u128;

static const uint64_t power10[] = {
	1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000, 10000000000, 100000000000, 1000000000000,
	10000000000000, 100000000000000, 1000000000000000, 10000000000000000, 100000000000000000, 1000000000000000000,
	UINT64_C(10000000000000000000)
};

char *digits_two(char *p, unsigned value)
{
	static const char pairs[] = "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
				    "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
				    "8081828384858687888990919293949596979899";

	memcpy(p, pairs + 2 * value, 2);
	return p + 2;
}

static size_t digits_count(uint64_t value)
{
	/* floor(log10(2^n)) + 1 for the number n of bits, or one less than that is right */
	unsigned guess = (64u - (unsigned)__builtin_clzll(value | 1)) * 1233 >> 12;

	return guess + (guess == 0 || value >= power10[guess]);
}

/* The digits of a value, ending at `end`. */
static char *digits_before(char *end, uint64_t value)
{
	char *p = end;

	while (value >= 100) {
		p -= 2;
		digits_two(p, value % 100);
		value /= 100;
	}
	if (value >= 10)
		digits_two(p - 2, (unsigned)value);
	else
		p[-1] = (char)('0' + value);
	return end;
}

char *digits_u64(char *p, uint64_t value)
{
	return digits_before(p + digits_count(value), value);
}

char *digits_right(char *p, uint64_t value, size_t width)
{
	size_t n = digits_count(value);

	memset(p, ' ', RIGHT_BYTES);
	return digits_before(p + (n < width ? width : n), value);
}

char *digits_i64(char *p, int64_t value)
{
	if (value >= 0)
		return digits_u64(p, (uint64_t)value);
	*p++ = '-';
	return digits_u64(p, -(uint64_t)value);
}

/* Exactly n digits, leading zeros included; value < 10^n, n <= 9. */
static inline char *digits_padded(char *p, uint64_t value, unsigned n)
{
	uint32_t rest = (uint32_t)value;
	unsigned k = n;

	for (; k >= 2; k -= 2) {
		digits_two(p + k - 2, rest % 100);
		rest /= 100;
	}
	if (k)
		*p = (char)('0' + rest);
	return p + n;
}

/* |value| = mantissa * 2^exponent, exactly; finite only. */
static uint64_t double_split(double value, int *exponent)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	uint64_t mantissa = bits & ((UINT64_C(1) << 52) - 1);
	int biased = (int)(bits >> 52 & 0x7ff);

	*exponent = (biased ? biased : 1) - 1075;
	return biased ? mantissa | UINT64_C(1) << 52 : mantissa;
}

/* value / 2^shift, rounded to nearest, ties to even, as printf rounds the exact value. 0 < shift < 128; the result fits. */
static uint64_t shift_rounded(u128 value, unsigned shift)
{
	if (shift < 64) {
		uint64_t low = (uint64_t)value, quotient = (uint64_t)(value >> 64) << (64 - shift) | low >> shift;
		uint64_t rest = low << (64 - shift), half = UINT64_C(1) << 63;

		return quotient + (rest > half || (rest == half && (quotient & 1)));
	}
	u128 quotient = value >> shift, rest = value & (((u128)1 << shift) - 1), half = (u128)1 << (shift - 1);

	return (uint64_t)quotient + (rest > half || (rest == half && (quotient & 1)));
}

/* |value| * 10^decimals to the nearest integer, exactly as printf would; |value| < 1e12. */
static uint64_t fixed_integer(double value, unsigned decimals)
{
	double size = fabs(value), product = size * (double)power10[decimals];
	int exponent;

	/*
	 * The product is off by less than 1e-4 below 1e11: only near a half does that matter, and only there, and above, is
	 * the long way needed.
	 */
	if (product < 1e11) {
		uint64_t whole = (uint64_t)product;
		double rest = product - (double)whole;

		if (rest < 0.4999 || rest > 0.5001)
			return whole + (rest > 0.5);
	}
	uint64_t mantissa = double_split(value, &exponent);

	return exponent < -120 ? 0 : shift_rounded((u128)mantissa * power10[decimals], (unsigned)-exponent);
}

static inline char *fixed_put(char *p, uint64_t scaled, unsigned decimals, uint64_t unit)
{
	p = scaled < 10 * unit ? (*p = (char)('0' + scaled / unit), p + 1) : digits_u64(p, scaled / unit);
	*p++ = '.';
	return digits_padded(p, scaled % unit, decimals);
}

char *digits_fixed(char *p, double value, unsigned decimals)
{
	if (!isfinite(value))
		return (char *)memcpy(p, "NA", 2) + 2;
	if (fabs(value) >= 1e12)	/* the exact product would not fit */
		return p + sprintf(p, "%.*f", (int)decimals, value);
	uint64_t scaled = fixed_integer(value, decimals);

	if (signbit(value))
		*p++ = '-';
	switch (decimals) {		/* divisions by constants are cheap */
	case 0: return digits_u64(p, scaled);
	case 2: return fixed_put(p, scaled, 2, 100);
	case 5: return fixed_put(p, scaled, 5, 100000);
	case 6: return fixed_put(p, scaled, 6, 1000000);
	}
	return fixed_put(p, scaled, decimals, power10[decimals]);
}

static const uint64_t power5[] = {	/* all that fit */
	1, 5, 25, 125, 625, 3125, 15625, 78125, 390625, 1953125, 9765625, 48828125, 244140625, 1220703125,
	UINT64_C(6103515625), UINT64_C(30517578125), UINT64_C(152587890625), UINT64_C(762939453125),
	UINT64_C(3814697265625), UINT64_C(19073486328125), UINT64_C(95367431640625), UINT64_C(476837158203125),
	UINT64_C(2384185791015625), UINT64_C(11920928955078125), UINT64_C(59604644775390625), UINT64_C(298023223876953125),
	UINT64_C(1490116119384765625), UINT64_C(7450580596923828125),
};

/* mantissa * 2^exponent * 10^scale to the nearest integer; mantissa < 2^53, 0 <= scale <= 32: 5^32 < 2^75, so all fits. */
static uint64_t scaled_integer(uint64_t mantissa, int exponent, int scale)
{
	u128 product = (u128)mantissa * power5[scale < 27 ? scale : 27];
	int shift = exponent + scale;

	if (scale > 27)
		product *= power5[scale - 27];
	return shift >= 0 ? (uint64_t)(product << shift) : shift_rounded(product, (unsigned)-shift);
}

/* The 17 leading digits of 1e-15 <= |value| < 1e16, and the power of ten of the first one. */
static uint64_t leading_digits(double value, int *power)
{
	const uint64_t limit = UINT64_C(100000000000000000);
	int exponent;
	uint64_t mantissa = double_split(value, &exponent);
	/* floor(log10(2^n)) for the leading bit n; the true power is this or one more */
	int k = (exponent + 63 - __builtin_clzll(mantissa)) * 78913 >> 18;
	uint64_t digits = scaled_integer(mantissa, exponent, 16 - k);

	if (digits >= limit) {
		k++;
		digits = scaled_integer(mantissa, exponent, 16 - k);
	}
	*power = k;
	return digits;
}

/* 17 digits into text; returns how many are left without the zeros at the end. */
static size_t seventeen(char *text, uint64_t digits)
{
	uint32_t low = (uint32_t)(digits % 100000000);
	size_t n = low ? 17 : 9;

	digits_padded(text, digits / 100000000, 9);
	digits_padded(text + 9, low, 8);
	while (text[n - 1] == '0')
		n--;
	return n;
}

/* `digits` are 17, of which n count. */
static char *exact_plain(char *p, const char *digits, size_t n, int power)
{
	size_t whole = power < 0 ? 0 : (size_t)power + 1;

	memcpy(p, power < 0 ? "0.0000" : digits, power < 0 ? 6 : 17);
	if (power < 0) {
		memcpy(p + 1 - power, digits, 17);
		return p + 1 - power + n;
	}
	if (n <= whole)
		return p + whole;
	p[whole] = '.';
	memcpy(p + whole + 1, digits + whole, n - whole);
	return p + n + 1;
}

static char *exact_scientific(char *p, const char *digits, size_t n, int power)
{
	*p++ = digits[0];
	if (n > 1) {
		*p++ = '.';
		memcpy(p, digits + 1, n - 1);
		p += n - 1;
	}
	*p++ = 'e';
	*p++ = power < 0 ? '-' : '+';
	return digits_two(p, (unsigned)(power < 0 ? -power : power));
}

char *digits_exact(char *p, double value)
{
	double size = fabs(value);
	char digits[17];
	int power;

	if (!isfinite(value))
		return (char *)memcpy(p, "null", 4) + 4;
	if (size == 0 && !signbit(value))
		return *p = '0', p + 1;
	if (size < 1e-15 || size >= 1e16)
		return p + sprintf(p, "%.17g", value);
	if (signbit(value))
		*p++ = '-';
	if (size == (double)(uint64_t)size)
		return digits_u64(p, (uint64_t)size);
	uint64_t leading = leading_digits(value, &power);
	size_t n = seventeen(digits, leading);

	return power < -4 ? exact_scientific(p, digits, n, power) : exact_plain(p, digits, n, power);
}

char *digits_truncated(char *p, double value)
{
	if (isnan(value))
		value = 0;
	if (value >= 0x1p63)
		return digits_i64(p, INT64_MAX);
	return digits_i64(p, value < -0x1p63 ? INT64_MIN : (int64_t)value);
}
