/* SPDX-License-Identifier: Apache-2.0 */
#include "urgency/urgency.h"

#include <float.h>

const struct urgency_spread urgency_spread_start = { .min = DBL_MAX, .max = DBL_MIN };
