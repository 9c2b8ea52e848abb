/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hosts: their load reports, and tasks that must not be started there. Load values are passed on
 * unchanged; the scheduler applies load_scaling. A host that is no longer heard reports nothing,
 * and its queue instances are in state u.
 */
#include <errno.h>
#include <string.h>

#include "sched/qmaster/gridengine/known.h"
#include "sched/qmaster/gridengine/take.h"

/* Report the load of a host. Values that cannot be printed are left out. */
static int load_report(struct sge *sge, const char *host, const struct gdi_element *element, struct error *error)
{
	struct gdi_list list = gdi_list(element, EH_load_list);
	struct load_report *items = take_space(sge->take, (list.left + 1) * sizeof(*items), error);
	struct gdi_element one;
	struct event event;
	size_t n = 0;

	if (!items)
		return -ENOMEM;
	while (gdi_next(&list, &one)) {
		items[n] = (struct load_report){ gdi_text(&one, HL_name), gdi_text(&one, HL_value) };
		n += said_is_name(items[n].name) && said_is_name(items[n].value);
	}
	event_init(&event, EVENT_HOST_LOAD);
	event.host.host = host;
	event.host.load = (struct load_reports){ items, n };
	return take_to_mirror(sge, &event, error);
}

static int avoided_report(struct sge *sge, const char *host, const struct gdi_element *element, struct error *error)
{
	struct gdi_list list = gdi_list(element, EH_reschedule_unknown_list);
	uint32_t n = list.left, before = known_avoided_by(sge->known, host);
	struct task_name *items;
	struct gdi_element one;
	struct event event;
	int rc;

	if (n == 0 && before == 0)
		return 0;
	items = take_space(sge->take, (n + 1) * sizeof(*items), error);
	if (!items)
		return -ENOMEM;
	for (size_t i = 0; gdi_next(&list, &one); i++)
		items[i] = (struct task_name){ gdi_u32(&one, RU_job_number), gdi_u32(&one, RU_task_number) };
	event_init(&event, EVENT_RESCHEDULE_UNKNOWN);
	event.host.host = host;
	event.host.avoided_by = (struct task_names){ items, n };
	rc = take_to_mirror(sge, &event, error);
	if (rc == 0 && known_put(sge->known, KNOWN_HOST, host, n))
		rc = error_set(error, -ENOMEM, "out of memory");
	return rc;
}

int take_host(struct sge *sge, const struct gdi_element *element, struct error *error)
{
	const char *host;
	int rc = said_key(element, EH_name, &host, error);

	if (rc || strcmp(host, "template") == 0)
		return rc;
	rc = load_report(sge, host, element, error);
	return rc || strcmp(host, "global") == 0 ? rc : avoided_report(sge, host, element, error);
}

/* Add a field to a checksum. Its bytes end where the next value begins. */
static uint32_t sum_of(const struct gdi_element *element, uint32_t field, uint32_t sum)
{
	uint32_t k = field - element->descriptor->first;
	size_t column = k < sizeof(element->descriptor->columns) ? element->descriptor->columns[k] : 0;

	if (column == 0)
		return sum;
	for (const unsigned char *byte = element->values[column - 1]; byte < element->values[column]; byte++)
		sum = (sum ^ *byte) * 16777619u;
	return (sum ^ field) * 16777619u;
}

int take_host_changed(struct sge *sge, const struct gdi_element *element, struct error *error)
{
	static const uint32_t fields[] = {
		EH_scaling_list, EH_consumable_config_list, EH_usage_scaling_list, EH_acl, EH_xacl, EH_prj,
		EH_xprj,	 EH_report_variables
	};
	const char *host = gdi_text(element, EH_name);
	uint32_t sum = 2166136261u;

	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
		uint32_t k = fields[i] - element->descriptor->first;

		if (k < sizeof(element->descriptor->columns) &&
		    element->descriptor->columns[k] == element->descriptor->n)
			return 1;	/* the end of the last field is not known */
		sum = sum_of(element, fields[i], sum);
	}
	if (known_is(sge->known, KNOWN_SETTINGS, host, sum))
		return 0;
	return known_put(sge->known, KNOWN_SETTINGS, host, sum) ? error_set(error, -ENOMEM, "out of memory") : 1;
}

/* Report that a host has no load values. Its queue instances report that it is gone. */
int take_host_delete(struct sge *sge, const char *host, struct error *error)
{
	struct event event;

	if (!said_is_name(host))
		return error_set(error, -EINVAL, "a host has no valid name");
	event_init(&event, EVENT_HOST_LOAD);
	event.host.host = host;
	return take_to_mirror(sge, &event, error);
}
