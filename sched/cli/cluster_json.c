/* SPDX-License-Identifier: Apache-2.0 */
/* Hosts, queues and queue instances for programs. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "sched/cli/cluster_json.h"
#include "sched/process/json.h"

static void count_write(struct out *o, const char *key, int32_t value)
{
	json_write_exact(o, key, value < 0 ? NAN : value);
}

/* Not finite is null; so is what is not known, and INFINITY. */
static double told(double value)
{
	return value < 0 || value >= DBL_MAX ? NAN : value;
}

void cluster_resources_json(struct out *o, const struct fl_view *view, enum fl_level level, size_t object)
{
	struct fl_resource r;

	json_write_literal(o, ",\"resources\":[");
	for (size_t k = 0; fl_resource(view, level, object, k, &r) == 0 && !o->error; k++) {
		bool endless = r.total >= DBL_MAX;

		json_write_string(o, k ? ",{\"name\":" : "{\"name\":", r.name);
		json_write_exact(o, ",\"total\":", endless ? NAN : r.total);
		json_write_exact(o, ",\"used\":", r.used);
		json_write_exact(o, ",\"left\":", endless ? NAN : r.total - r.used);
		json_write_literal(o, "}");
	}
	json_write_literal(o, "]");
}

void cluster_attributes_json(struct out *o, const struct found_values *a)
{
	static const char *const levels[] = { "global", "host", "queue" };
	static const char *const sources[] = { [FL_NOTHING] = "nothing", [FL_REPORTED] = "reported", [FL_CONFIGURED] = "configured",
					       [FL_CONSUMABLE] = "left" };

	json_write_literal(o, ",\"attributes\":[");
	for (size_t k = 0; k < a->n && !o->error; k++) {
		const struct found_value *at = &a->items[k];

		json_write_string(o, k ? ",{\"name\":" : "{\"name\":", at->name);
		json_write_string(o, ",\"of\":", levels[at->level]);
		json_write_string(o, ",\"is\":", sources[at->source]);
		if (at->text)
			json_write_string(o, ",\"value\":", at->text);
		else
			json_write_exact(o, ",\"value\":", fabs(at->value) >= DBL_MAX ? NAN : at->value);
		json_write_literal(o, "}");
	}
	json_write_literal(o, "]");
}

void cluster_host_json(struct out *o, const struct fl_view *view, size_t k, const struct fl_host *host)
{
	const char *name, *value;

	json_write_string(o, "{\"name\":", host->name);
	json_write_bool(o, ",\"available\":", host->available);
	json_write_string_or_null(o, ",\"arch\":", host->arch);
	count_write(o, ",\"processors\":", host->processors);
	count_write(o, ",\"sockets\":", host->sockets);
	count_write(o, ",\"cores\":", host->cores);
	count_write(o, ",\"threads\":", host->threads);
	json_write_exact(o, ",\"load_avg\":", told(host->load_avg));
	json_write_exact(o, ",\"np_load_avg\":", told(host->np_load_avg));
	json_write_exact(o, ",\"mem_total\":", told(host->mem_total));
	json_write_exact(o, ",\"mem_used\":", told(host->mem_used));
	json_write_exact(o, ",\"swap_total\":", told(host->swap_total));
	json_write_exact(o, ",\"swap_used\":", told(host->swap_used));
	json_write_literal(o, ",\"load_values\":{");
	for (size_t i = 0; fl_load(view, k, i, &name, &value) == 0 && !o->error; i++) {
		json_write_string(o, i ? "," : "", name);
		json_write_string(o, ":", value);
	}
	json_write_literal(o, "}");
}

static void alarms_write(struct out *o, const struct fl_view *view, size_t instance)
{
	struct fl_alarm a;

	json_write_literal(o, ",\"alarms\":[");
	for (size_t k = 0; fl_alarm(view, instance, k, &a) == 0 && !o->error; k++) {
		json_write_string(o, k ? ",{\"thresholds\":" : "{\"thresholds\":", a.suspends ? "suspend" : "load");
		json_write_string(o, ",\"name\":", a.name);
		json_write_string(o, ",\"limit\":", a.limit);
		if (*a.text)
			json_write_string(o, ",\"value\":", a.text);
		else
			json_write_exact(o, ",\"value\":", a.source == FL_NOTHING || fabs(a.value) >= DBL_MAX ? NAN : a.value);
		json_write_literal(o, "}");
	}
	json_write_literal(o, "]");
}

void cluster_instance_json(struct out *o, const struct fl_view *view, size_t k, const struct fl_instance *i)
{
	struct fl_host host;

	json_write_string(o, "{\"name\":", i->name);
	json_write_string_or_null(o, ",\"queue\":", i->queue);
	json_write_string_or_null(o, ",\"host\":", i->host > 0 && fl_host(view, i->host, &host) == 0 ? host.name : "");
	json_write_string(o, ",\"type\":", i->type);
	json_write_exact(o, ",\"seq_no\":", i->seq_no);
	json_write_number(o, ",\"slots\":", i->slots);
	json_write_number(o, ",\"used\":", i->used);
	json_write_number(o, ",\"reserved\":", i->reserved);
	json_write_string(o, ",\"state\":", i->state);
	alarms_write(o, view, k);
	cluster_resources_json(o, view, FL_QUEUE, k);
}

void cluster_jobs_json(struct out *o, const struct fl_view *view, const struct placed_jobs *p, size_t instance)
{
	size_t n;
	const struct placed *placed = placed_of(p, instance, &n);
	struct fl_job job;

	json_write_literal(o, ",\"jobs\":[");
	for (size_t k = 0; k < n && !o->error; k++) {
		if (fl_get(view, FL_STARTED, placed[k].row, &job))
			break;
		json_write_number(o, k ? ",{\"job_number\":" : "{\"job_number\":", job.job_number);
		json_write_number(o, ",\"task\":", job.task);
		json_write_string(o, ",\"owner\":", job.owner);
		json_write_string(o, ",\"state\":", job.state);
		json_write_number(o, ",\"slots\":", placed[k].slots);
		json_write_bool(o, ",\"master\":", placed[k].master);
		json_write_literal(o, "}");
	}
	json_write_literal(o, "]");
}
