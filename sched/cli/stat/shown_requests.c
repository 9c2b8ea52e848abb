/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/stat/shown_requests.h"

#include <float.h>

#include "conf/base/number.h"
#include "sched/mirror/slots.h"
#include "sched/process/digits.h"

#define SECONDS_MOST 1e15

int shown_requests_read(struct shown_requests *shown, const struct cluster_cell *cell, const struct fl_job *job,
			const char *list)
{
	struct slot_ranges ranges = { 0 };
	struct error error;
	int rc = resource_list_read(&shown->list, &cell->cell, list);

	shown->slots = 1;
	shown->weighed = cell->loaded;
	if (cell->loaded && *job->pe && slots_parse(&ranges, job->pe_range, &error) == 0)
		shown->slots = slots_assumed(&ranges, &cell->cell, job->pe);
	slots_free(&ranges);
	return rc;
}

void shown_requests_free(struct shown_requests *shown)
{
	resource_list_free(&shown->list);
}

const char *shown_request_value(const struct resource *request, char text[SHOWN_VALUE_BYTES])
{
	const char *value = resource_value(request);
	double seconds;

	if (!request->complex || request->complex->type != TYPE_TIME || number_parse(value, &seconds) ||
	    !(seconds >= 0 && seconds < SECONDS_MOST))
		return value;
	*digits_u64(text, (uint64_t)seconds) = '\0';
	return text;
}

double shown_request_contribution(const struct shown_requests *shown, const struct resource *request)
{
	double value = 1;

	if (!request->complex)
		return 0;
	if (complex_is_text(request->complex))
		return request->complex->urgency;
	if (number_parse(resource_value(request), &value))
		return 0;
	value = value * request->complex->urgency * shown->slots;
	return value > DBL_MAX ? DBL_MAX : value < -DBL_MAX ? -DBL_MAX : value;
}
