/* SPDX-License-Identifier: Apache-2.0 */
#include "tickets/six_decimals.h"

#include <math.h>

#define MILLION 1e6
#define COARSE 8589934592.0	/* 2^33 */

/*
 * Round to millionths. The result is the integer nearest to the product, ties to even, as in
 * printf(). The product itself is rounded. Its error, which fma() computes exactly, matters only if
 * the product seems to be exactly between two integers. Below 2^33 the millionths are less than
 * 2^53, so the quotient of two exact numbers is the double nearest to the decimal. From 2^33 on
 * doubles are more than 1.5 millionths apart, and the nearest decimal converts back to the same
 * double.
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
