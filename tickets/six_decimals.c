/* SPDX-License-Identifier: Apache-2.0 */
#include "tickets/six_decimals.h"

#include <math.h>

#define MILLION 1e6
#define COARSE 8589934592.0	/* 2^33 */

/*
 * The millionths are the integer next to the product, ties to even, as printf() has it. The product
 * is rounded itself; what it lost, which fma() tells exactly, matters only where it seems to lie
 * half-way. Below 2^33 they are less than 2^53, so that the quotient of two exact numbers is the
 * double next to the decimal. From there on doubles are more than a millionth and a half apart, and
 * the decimal next to one leads back to it.
 */
double six_decimals(double value)
{
	double product, lost, millionths, beyond;

	if (!(fabs(value) < COARSE))
		return value;
	product = value * MILLION;
	lost = fma(value, MILLION, -product);
	millionths = rint(product);
	beyond = product - millionths;
	if (beyond == 0.5 && lost > 0.0)
		millionths += 1.0;
	else if (beyond == -0.5 && lost < 0.0)
		millionths -= 1.0;
	return millionths / MILLION;
}
