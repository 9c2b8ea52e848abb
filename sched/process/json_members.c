/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/process/json_members.h"

#include <float.h>
#include <math.h>

#include "sched/process/json.h"

static double amount(double value)
{
	return value < 0 || value >= DBL_MAX ? NAN : value;
}

static void member_write(struct out *out, const struct json_member *member, const void *at)
{
	switch (member->type) {
	case JSON_BOOL:
		json_write_bool(out, member->key, *(const bool *)at);
		break;
	case JSON_INT32:
		json_write_number(out, member->key, *(const int32_t *)at);
		break;
	case JSON_UINT32:
		json_write_number(out, member->key, *(const uint32_t *)at);
		break;
	case JSON_INT64:
	case JSON_UINT64:
		json_write_number(out, member->key, *(const int64_t *)at);
		break;
	case JSON_EXACT:
		json_write_exact(out, member->key, *(const double *)at);
		break;
	case JSON_TEXT:
		json_write_string(out, member->key, *(const char *const *)at);
		break;
	case JSON_LETTERS:
		json_write_string(out, member->key, at);
		break;
	case JSON_TEXT_OR_NULL:
		json_write_string_or_null(out, member->key, *(const char *const *)at);
		break;
	case JSON_TIME:
		out_take(out, json_put_time(out_room(out, strlen(member->key) + DIGITS_BYTES), member->key,
					    *(const int64_t *)at));
		break;
	case JSON_COUNT:
		json_write_exact(out, member->key, *(const int32_t *)at < 0 ? NAN : *(const int32_t *)at);
		break;
	case JSON_AMOUNT:
		json_write_exact(out, member->key, amount(*(const double *)at));
	}
}

void json_write_members(struct out *out, const char *begin, const struct json_member *members, size_t n,
			const void *object)
{
	for (size_t i = 0; i < n; i++) {
		json_write_literal(out, i > 0 ? "," : begin);
		member_write(out, &members[i], (const char *)object + members[i].offset);
	}
}
