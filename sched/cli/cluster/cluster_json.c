/* SPDX-License-Identifier: Apache-2.0 */
/* Hosts, queues and queue instances as JSON. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "sched/cli/cluster/cluster_json.h"
#include "sched/process/json.h"
#include "sched/process/json_members.h"

void cluster_resources_json(struct out *out, const struct fl_view *view, enum fl_level level, size_t object)
{
	struct fl_resource resource;

	json_write_literal(out, ",\"resources\":[");
	for (size_t k = 0; fl_resource(view, level, object, k, &resource) == 0 && !out->error; k++) {
		bool endless = resource.total >= DBL_MAX;

		json_write_string(out, k ? ",{\"name\":" : "{\"name\":", resource.name);
		json_write_exact(out, ",\"total\":", endless ? NAN : resource.total);
		json_write_exact(out, ",\"used\":", resource.used);
		json_write_exact(out, ",\"left\":", endless ? NAN : resource.total - resource.used);
		json_write_literal(out, "}");
	}
	json_write_literal(out, "]");
}

void cluster_attributes_json(struct out *out, const struct found_values *values)
{
	static const char *const levels[] = { "global", "host", "queue" };
	static const char *const sources[] = { [FL_NOTHING] = "nothing",
					       [FL_REPORTED] = "reported",
					       [FL_CONFIGURED] = "configured",
					       [FL_CONSUMABLE] = "left" };

	json_write_literal(out, ",\"attributes\":[");
	for (size_t k = 0; k < values->n && !out->error; k++) {
		const struct found_value *at = &values->items[k];

		json_write_string(out, k ? ",{\"name\":" : "{\"name\":", at->name);
		json_write_string(out, ",\"of\":", levels[at->level]);
		json_write_string(out, ",\"is\":", sources[at->source]);
		if (at->text)
			json_write_string(out, ",\"value\":", at->text);
		else
			json_write_exact(out, ",\"value\":", fabs(at->value) >= DBL_MAX ? NAN : at->value);
		json_write_literal(out, "}");
	}
	json_write_literal(out, "]");
}

static const struct json_member host_members[] = {
	JSON_MEMBER(struct fl_host, name, "name"),
	JSON_MEMBER(struct fl_host, available, "available"),
	JSON_NAME(struct fl_host, arch, "arch"),
	JSON_MEMBER_AS(JSON_COUNT, struct fl_host, processors, "processors"),
	JSON_MEMBER_AS(JSON_COUNT, struct fl_host, sockets, "sockets"),
	JSON_MEMBER_AS(JSON_COUNT, struct fl_host, cores, "cores"),
	JSON_MEMBER_AS(JSON_COUNT, struct fl_host, threads, "threads"),
	JSON_MEMBER_AS(JSON_AMOUNT, struct fl_host, load_avg, "load_avg"),
	JSON_MEMBER_AS(JSON_AMOUNT, struct fl_host, np_load_avg, "np_load_avg"),
	JSON_MEMBER_AS(JSON_AMOUNT, struct fl_host, mem_total, "mem_total"),
	JSON_MEMBER_AS(JSON_AMOUNT, struct fl_host, mem_used, "mem_used"),
	JSON_MEMBER_AS(JSON_AMOUNT, struct fl_host, swap_total, "swap_total"),
	JSON_MEMBER_AS(JSON_AMOUNT, struct fl_host, swap_used, "swap_used"),
};

void cluster_host_json(struct out *out, const struct fl_view *view, size_t k, const struct fl_host *host)
{
	const char *name, *value;

	JSON_WRITE_MEMBERS(out, "{", host_members, host);
	json_write_literal(out, ",\"load_values\":{");
	for (size_t i = 0; fl_load(view, k, i, &name, &value) == 0 && !out->error; i++) {
		json_write_string(out, i ? "," : "", name);
		json_write_string(out, ":", value);
	}
	json_write_literal(out, "}");
}

static void alarms_write(struct out *out, const struct fl_view *view, size_t instance)
{
	struct fl_alarm alarm;

	json_write_literal(out, ",\"alarms\":[");
	for (size_t k = 0; fl_alarm(view, instance, k, &alarm) == 0 && !out->error; k++) {
		json_write_string(out,
				  k ? ",{\"thresholds\":" : "{\"thresholds\":", alarm.suspends ? "suspend" : "load");
		json_write_string(out, ",\"name\":", alarm.name);
		json_write_string(out, ",\"limit\":", alarm.limit);
		if (*alarm.text)
			json_write_string(out, ",\"value\":", alarm.text);
		else
			json_write_exact(out, ",\"value\":",
					 alarm.source == FL_NOTHING || fabs(alarm.value) >= DBL_MAX ? NAN
												    : alarm.value);
		json_write_literal(out, "}");
	}
	json_write_literal(out, "]");
}

static const struct json_member instance_members[] = {
	JSON_MEMBER_AS(JSON_LETTERS, struct fl_instance, type, "type"),
	JSON_MEMBER(struct fl_instance, seq_no, "seq_no"),
	JSON_MEMBER(struct fl_instance, slots, "slots"),
	JSON_MEMBER(struct fl_instance, used, "used"),
	JSON_MEMBER(struct fl_instance, reserved, "reserved"),
	JSON_MEMBER_AS(JSON_LETTERS, struct fl_instance, state, "state"),
};

void cluster_instance_json(struct out *out, const struct fl_view *view, size_t k, const struct fl_instance *instance)
{
	struct fl_host host;

	json_write_string(out, "{\"name\":", instance->name);
	json_write_string_or_null(out, ",\"queue\":", instance->queue);
	json_write_string_or_null(
		out, ",\"host\":", instance->host > 0 && fl_host(view, instance->host, &host) == 0 ? host.name : "");
	JSON_WRITE_MEMBERS(out, ",", instance_members, instance);
	alarms_write(out, view, k);
	cluster_resources_json(out, view, FL_QUEUE, k);
}

void cluster_jobs_json(struct out *out, const struct fl_view *view, const struct placed_jobs *jobs, size_t instance)
{
	size_t n;
	const struct placed *placed = placed_of(jobs, instance, &n);
	struct fl_job job;

	json_write_literal(out, ",\"jobs\":[");
	for (size_t k = 0; k < n && !out->error; k++) {
		if (fl_get(view, FL_STARTED, placed[k].row, &job))
			break;
		json_write_number(out, k ? ",{\"job_number\":" : "{\"job_number\":", job.job_number);
		json_write_number(out, ",\"task\":", job.task);
		json_write_string(out, ",\"owner\":", job.owner);
		json_write_string(out, ",\"state\":", job.state);
		json_write_number(out, ",\"slots\":", placed[k].slots);
		json_write_bool(out, ",\"master\":", placed[k].master);
		json_write_literal(out, "}");
	}
	json_write_literal(out, "]");
}
