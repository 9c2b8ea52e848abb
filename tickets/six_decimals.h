/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TICKETS_SIX_DECIMALS_H
#define TICKETS_SIX_DECIMALS_H

/*
 * A finite number as it is after it was printed with "%f" and read again: HTCondor's accountant
 * keeps its numbers so. The same bits as of both, without the text.
 */
double six_decimals(double value);

#endif
