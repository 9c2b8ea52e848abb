/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/process/digits.h"

#include <endian.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define ZEROS UINT64_C(0x3030303030303030)	/* eight characters each */
#define BLANKS UINT64_C(0x2020202020202020)

typedef unsigned __int128 u128;

/* Rare cases are kept out of the other functions, which then need fewer registers. */
#define RARE __attribute__((noinline, cold))

static const uint64_t power10[] = { 1, 10, 100, 1000, 10000, 100000, 1000000, 10000000 };

/*
 * Return the eight digits of a value below 10^8, including leading zeros, each in a byte. The first
 * digit is the lowest byte.
 */
static inline uint64_t digits_eight(uint32_t value)
{
	uint64_t fours = value / 10000 | (uint64_t)(value % 10000) << 32;
	uint64_t hundreds = fours * 5243 >> 19 & UINT64_C(0x0000007f0000007f);
	uint64_t twos = hundreds | (fours - 100 * hundreds) << 16;
	uint64_t tens = twos * 103 >> 10 & UINT64_C(0x000f000f000f000f);

	return tens | (twos - 10 * tens) << 8;
}

/* Return the number of leading zeros of eight digits, at most 7. */
static inline unsigned leading_zeros(uint64_t eight)
{
	return (unsigned)__builtin_ctzll(eight | UINT64_C(1) << 56) / 8;
}

static inline void bytes_put(char *p, uint64_t bytes)
{
	bytes = htole64(bytes);
	memcpy(p, &bytes, sizeof(bytes));
}

static inline void eight_put(char *p, uint64_t eight)
{
	bytes_put(p, eight | ZEROS);
}

/* Write the first digits of a long number, then eight at a time. */
static __attribute__((noinline)) char *digits_long(char *p, uint64_t value)
{
	p = digits_u64(p, value / 100000000);
	eight_put(p, digits_eight((uint32_t)(value % 100000000)));
	return p + 8;
}

char *digits_u64(char *p, uint64_t value)
{
	if (value < 10)
		return *p = (char)('0' + value), p + 1;
	if (value >= 100000000)
		return digits_long(p, value);
	uint64_t eight = digits_eight((uint32_t)value);
	unsigned zeros = leading_zeros(eight);

	bytes_put(p, (eight | ZEROS) >> 8 * zeros);
	return p + 8 - zeros;
}

RARE static char *right_long(char *p, uint64_t value, size_t width)
{
	char digits[32];
	size_t n = (size_t)(digits_u64(digits, value) - digits), blanks = n < width ? width - n : 0;

	memset(p, ' ', blanks);
	memcpy(p + blanks, digits, n);
	return p + blanks + n;
}

/* Write a number aligned to the right. A blank and the digit 0 differ in one bit. */
char *digits_right(char *p, uint64_t value, size_t width)
{
	if (value >= 100000000 || width > 8)
		return right_long(p, value, width);
	if (value < 10 && width) {
		bytes_put(p, BLANKS);
		p[width - 1] = (char)('0' + value);
		return p + width;
	}
	uint64_t eight = digits_eight((uint32_t)value);
	unsigned zeros = leading_zeros(eight), blanks = 8 - (unsigned)width;
	uint64_t text = eight | BLANKS | (ZEROS - BLANKS) << 8 * zeros;
	unsigned cut = zeros < blanks ? zeros : blanks;

	bytes_put(p, text >> 8 * cut);
	return p + 8 - cut;
}

char *digits_i64(char *p, int64_t value)
{
	if (value >= 0)
		return digits_u64(p, (uint64_t)value);
	*p++ = '-';
	return digits_u64(p, -(uint64_t)value);
}

/* Split |value| into mantissa * 2^exponent, exactly; only for finite values. */
static uint64_t double_split(double value, int *exponent)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	uint64_t mantissa = bits & ((UINT64_C(1) << 52) - 1);
	int biased = (int)(bits >> 52 & 0x7ff);

	*exponent = (biased ? biased : 1) - 1075;
	return biased ? mantissa | UINT64_C(1) << 52 : mantissa;
}

/*
 * Return value / 2^shift, rounded to nearest, ties to even, as printf rounds the exact value. 0 <
 * shift < 128; the result fits. Half of all numbers are rounded up at random, so no branch depends
 * on it, here and below.
 */
static inline uint64_t shift_rounded(u128 value, unsigned shift)
{
	if (shift < 64) {
		uint64_t low = (uint64_t)value, quotient = (uint64_t)(value >> 64) << (64 - shift) | low >> shift;
		uint64_t rest = low << (64 - shift);	/* even */

		return quotient + (rest + (quotient & 1) > UINT64_C(1) << 63);
	}
	u128 quotient = value >> shift, rest = value & (((u128)1 << shift) - 1), half = (u128)1 << (shift - 1);

	return (uint64_t)quotient + (rest + (quotient & 1) > half);
}

RARE static uint64_t fixed_exact(double value, uint64_t unit)
{
	int exponent;
	uint64_t mantissa = double_split(value, &exponent);

	return exponent < -120 ? 0 : shift_rounded((u128)mantissa * unit, (unsigned)-exponent);
}

/*
 * Return |value| * unit to the nearest integer, exactly as printf would; |value| < 1e12. Below 1e11
 * the error of the product is less than 1e-4, which matters only near a half. The exact computation
 * is needed only there, and from 1e11 on.
 */
static inline uint64_t fixed_integer(double value, uint64_t unit)
{
	double product = fabs(value) * (double)unit;

	if (product < 1e11) {
		int64_t whole = (int64_t)product;
		double rest = product - (double)whole;

		if (fabs(rest - 0.5) > 0.0001)
			return (uint64_t)whole + (rest > 0.5);
	}
	return fixed_exact(value, unit);
}

/* Write a number whose exact product would not fit, or that is not finite. */
RARE static char *fixed_large(char *p, double value, unsigned decimals)
{
	return isfinite(value) ? p + sprintf(p, "%.*f", (int)decimals, value) : (char *)memcpy(p, "NA", 2) + 2;
}

/* Write a number with `decimals` decimals; `unit` is 10^decimals, decimals <= 7. */
static inline char *fixed_put(char *p, double value, unsigned decimals, uint64_t unit)
{
	if (!(fabs(value) < 1e12))
		return fixed_large(p, value, decimals);
	uint64_t scaled = fixed_integer(value, unit);

	if (signbit(value))
		*p++ = '-';
	if (decimals == 0)
		return digits_u64(p, scaled);
	if (scaled >= 10 * unit) {
		p = digits_u64(p, scaled / unit);
		scaled %= unit;
	} else {
		*p++ = (char)('0' + scaled / unit);
	}
	*p++ = '.';
	bytes_put(p, (digits_eight((uint32_t)scaled) | ZEROS) >> 8 * (8 - decimals));
	return p + decimals;
}

char *digits_fixed(char *p, double value, unsigned decimals)
{
	switch (decimals) {		/* multiplication by constants is cheap */
	case 0: return fixed_put(p, value, 0, 1);
	case 2: return fixed_put(p, value, 2, 100);
	case 5: return fixed_put(p, value, 5, 100000);
	case 7: return fixed_put(p, value, 7, 10000000);
	}
	return fixed_put(p, value, decimals, power10[decimals]);
}

char *digits_fixed14(char *p, double value)
{
	const uint64_t unit = UINT64_C(100000000000000);

	if (!(value >= 0 && value < 100000) || signbit(value))
		return fixed_large(p, value, 14);
	uint64_t scaled = fixed_exact(value, unit), rest = scaled % unit;

	p = digits_u64(p, scaled / unit);
	*p++ = '.';
	bytes_put(p, (digits_eight((uint32_t)(rest / 100000000)) | ZEROS) >> 16);
	eight_put(p + 6, digits_eight((uint32_t)(rest % 100000000)));
	return p + 14;
}

static const uint64_t power5[] = {	/* powers that fit into 64 bits */
	1, 5, 25, 125, 625, 3125, 15625, 78125, 390625, 1953125, 9765625, 48828125, 244140625, 1220703125,
	UINT64_C(6103515625), UINT64_C(30517578125), UINT64_C(152587890625), UINT64_C(762939453125),
	UINT64_C(3814697265625), UINT64_C(19073486328125), UINT64_C(95367431640625), UINT64_C(476837158203125),
	UINT64_C(2384185791015625), UINT64_C(11920928955078125), UINT64_C(59604644775390625),
	UINT64_C(298023223876953125),
	UINT64_C(1490116119384765625), UINT64_C(7450580596923828125),
};

/*
 * Return mantissa * 2^exponent * 10^scale to the nearest integer; mantissa < 2^53, 0 <= scale <=
 * 32: 5^32 < 2^75, so all fits.
 */
static uint64_t scaled_integer(uint64_t mantissa, int exponent, int scale)
{
	u128 product = (u128)mantissa * power5[scale < 27 ? scale : 27];
	int shift = exponent + scale;

	if (scale > 27)
		product *= power5[scale - 27];
	return shift >= 0 ? (uint64_t)(product << shift) : shift_rounded(product, (unsigned)-shift);
}

static const double rounded_power10[] = {	/* 10^-15 to 10^16, each to the nearest double */
	1e-15, 1e-14, 1e-13, 1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1e0,
	1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16
};

/*
 * Return the 17 leading digits of 1e-15 <= size < 1e16, and the power of ten of the first one.
 *
 * For the leading bit n, floor(log10(2^n)) is that power or one less. Comparing with the power of
 * ten decides which, with two exceptions. The stored power of ten may itself be a little too large
 * or small, and rounding the last digit up may give one digit more. There are too many digits then.
 */
static uint64_t leading_digits(double size, int *power)
{
	const uint64_t limit = UINT64_C(100000000000000000);
	int exponent;
	uint64_t mantissa = double_split(size, &exponent);
	int k = (exponent + 63 - __builtin_clzll(mantissa)) * 78913 >> 18;

	k += size > rounded_power10[k + 16];
	uint64_t digits = scaled_integer(mantissa, exponent, 16 - k);

	if (__builtin_expect(digits >= limit, 0))
		digits = scaled_integer(mantissa, exponent, 16 - ++k);
	*power = k;
	return digits;
}

/* digits; those after the first are in the form of digits_eight() */
struct seventeen {
	char first;
	uint64_t middle, last;
	size_t n;		/* number of digits without the zeros at the end, at least 1 */
};

static struct seventeen seventeen(uint64_t digits)
{
	uint64_t high = digits / 100000000;
	struct seventeen d = { .first = (char)('0' + high / 100000000),
			       .middle = digits_eight((uint32_t)(high % 100000000)),
			       .last = digits_eight((uint32_t)(digits % 100000000)) };

	if (d.last)
		d.n = 17 - (unsigned)__builtin_clzll(d.last) / 8;
	else
		d.n = d.middle ? 9 - (unsigned)__builtin_clzll(d.middle) / 8 : 1;
	return d;
}

/*
 * Write the first digit, the others with a point before digit 1 + at, 0 <= at <= 7, and the rest.
 * The bytes are combined in registers, because bytes just stored are slow to load.
 */
static inline char *pointed_put(char *p, const struct seventeen *seventeen, unsigned at)
{
	uint64_t middle = seventeen->middle | ZEROS, before = (UINT64_C(1) << 8 * at) - 1;

	p[0] = seventeen->first;
	bytes_put(p + 1, (middle & before) | (uint64_t)'.' << 8 * at | (middle & ~before) << 8);
	p[9] = (char)(middle >> 56);
	eight_put(p + 10, seventeen->last);
	return p + 1 + seventeen->n;
}

static char *exact_plain(char *p, const struct seventeen *seventeen, int power)
{
	if (power >= 0 && power <= 7)
		return pointed_put(p, seventeen, (unsigned)power);
	memcpy(p, "0.0000", 6);
	char *digits = power < 0 ? p + 1 - power : p;

	*digits = seventeen->first;
	eight_put(digits + 1, seventeen->middle);
	eight_put(digits + 9, seventeen->last);
	if (power > 7) {
		memmove(p + power + 2, p + power + 1, 17 - (size_t)power - 1);
		p[power + 1] = '.';
		digits++;
	}
	return digits + seventeen->n;
}

static char *exact_scientific(char *p, const struct seventeen *seventeen, int power)
{
	char *end = pointed_put(p, seventeen, 0);

	p = seventeen->n > 1 ? end : p + 1;
	*p++ = 'e';
	*p++ = power < 0 ? '-' : '+';
	return digits_two(p, (unsigned)(power < 0 ? -power : power));
}

char *digits_exact(char *p, double value)
{
	double size = fabs(value);
	int power;

	if (!isfinite(value))
		return (char *)memcpy(p, "null", 4) + 4;
	if (size == 0 && !signbit(value))
		return *p = '0', p + 1;
	if (size < 1e-15 || size >= 1e16)
		return p + sprintf(p, "%.17g", value);
	if (signbit(value))
		*p++ = '-';
	/* cheaper than the conversion of an unsigned number */
	if (size == (double)(int64_t)size)
		return digits_u64(p, (uint64_t)size);
	/*
	 * Digits remain after the point: doubles of this size that are not integers differ from
	 * integers in their 17 digits.
	 */
	struct seventeen d = seventeen(leading_digits(size, &power));

	return power < -4 ? exact_scientific(p, &d, power) : exact_plain(p, &d, power);
}

char *digits_truncated(char *p, double value)
{
	if (isnan(value))
		value = 0;
	if (value >= 0x1p63)
		return digits_i64(p, INT64_MAX);
	return digits_i64(p, value < -0x1p63 ? INT64_MIN : (int64_t)value);
}
