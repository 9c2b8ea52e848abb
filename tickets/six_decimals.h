/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TICKETS_SIX_DECIMALS_H
#define TICKETS_SIX_DECIMALS_H

/*
 * Return a finite number as it is after printing with "%f" and reading it back, which is how
 * HTCondor's accountant stores its numbers. All bits are equal to that result, but no text is made.
 */
double six_decimals(double value);

#endif
