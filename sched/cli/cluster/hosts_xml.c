/* SPDX-License-Identifier: Apache-2.0 */
/* XML of hosts, like qhost(1) -xml. */
#include <string.h>

#include "sched/cli/cluster/hosts.h"
#include "sched/cli/xml.h"

/* Write " <queuevalue qname='all.q' name='slots'>": an attribute of a named object. */
static void value_begin(struct out *out, const char *element, const char *key, const char *of, const char *name)
{
	out_put(out, "   <%s ", element);
	if (key) {
		out_put(out, "%s='", key);
		text_xml(out, of);
		out_text(out, "' ");
	}
	out_put(out, "name='%s'>", name);
}

static void value_put(struct out *out, const char *element, const char *key, const char *of, const char *name,
		      const char *value)
{
	value_begin(out, element, key, of, name);
	text_xml(out, value);
	xml_end(out, element);
}

static void opened_put(struct out *out, const char *element, const char *name)
{
	out_put(out, " <%s name='", element);
	text_xml(out, name);
	out_text(out, "'>\n");
}

/* Write the columns of the table, without padding. */
static void host_put(const struct host_list *hosts, struct out *out, const struct fl_host *host)
{
	static const char *const names[] = { "arch_string", "num_proc", "m_socket", "m_core", "m_thread", "load_avg",
					     "mem_total", "mem_used", "swap_total", "swap_used" };
	char values[HOST_COLUMNS][HOST_COLUMN_BYTES];

	hosts_columns(host, values);
	for (size_t k = 0; k < HOST_COLUMNS; k++)
		if (!hosts->no_topology || strncmp(names[k], "m_", 2) != 0)
			value_put(out, "hostvalue", NULL, NULL, names[k], values[k]);
}

static void attributes_put(const struct host_list *hosts, struct out *out)
{
	for (size_t k = 0; k < hosts->found.n; k++) {
		const struct found_value *value = &hosts->found.items[k];

		if (!hosts_shows(hosts, value))
			continue;
		out_text(out, "   <resourcevalue name='");
		text_xml(out, value->name);
		out_put(out, "' dominance='%s'>", attribute_origin(value));
		attribute_xml(out, value, false);
		xml_end(out, "resourcevalue");
	}
}

static void queue_put(struct out *out, const struct fl_instance *instance)
{
	const char *queue = *instance->queue ? instance->queue : instance->name;
	const struct {
		const char *name;
		uint32_t value;
	} slots[] = { { "slots_used", instance->used },
		      { "slots", instance->slots },
		      { "slots_resv", instance->reserved } };

	opened_put(out, "queue", queue);
	value_put(out, "queuevalue", "qname", queue, "qtype_string", instance->type);
	for (size_t k = 0; k < sizeof(slots) / sizeof(*slots); k++) {
		value_begin(out, "queuevalue", "qname", queue, slots[k].name);
		out_put(out, "%u", slots[k].value);
		xml_end(out, "queuevalue");
	}
	value_put(out, "queuevalue", "qname", queue, "state_string", instance->state);
	out_text(out, " </queue>\n");
}

/* Write one slot of a parallel job, or all of another job. */
static void job_put(const struct host_list *hosts, struct out *out, const struct fl_job *job, const char *instance,
		    bool is_master)
{
	char number[16], text[32];

	snprintf(number, sizeof(number), "%u", job->job_number);
	opened_put(out, "job", number);
	value_begin(out, "jobvalue", "jobid", number, "priority");
	out_put(out, "'%f'", job->prio);
	xml_end(out, "jobvalue");
	value_put(out, "jobvalue", "jobid", number, "qinstance_name", instance);
	value_put(out, "jobvalue", "jobid", number, "job_name", job->name);
	value_put(out, "jobvalue", "jobid", number, "job_owner", job->owner);
	value_put(out, "jobvalue", "jobid", number, "job_state", job->state);
	snprintf(text, sizeof(text), "%lld", (long long)job->start_time);
	value_put(out, "jobvalue", "jobid", number, "start_time", text);
	if (!hosts->queues)
		value_put(out, "jobvalue", "jobid", number, "queue_name", instance);
	value_put(out, "jobvalue", "jobid", number, "pe_master", is_master ? "MASTER" : "SLAVE");
	if (job->is_array) {
		snprintf(text, sizeof(text), "%u", job->task);
		value_put(out, "jobvalue", "jobid", number, "taskid", text);
	}
	out_text(out, " </job>\n");
}

static void jobs_put(struct host_list *hosts, struct out *out, const struct fl_view *view, size_t instance,
		     const struct fl_instance *fl_instance)
{
	size_t n;
	const struct placed *placed = placed_of(&hosts->placed, instance, &n);
	struct fl_job job;

	for (size_t k = 0; k < n && !out->error; k++) {
		uint64_t lines;

		if (fl_get(view, FL_STARTED, placed[k].row, &job))
			continue;
		lines = *job.granted_pe ? (uint64_t)placed[k].slots +
						  (placed[k].master && hosts_extra_slave(hosts, view, &placed[k]))
					: 1;
		for (uint64_t line = 0; line < lines && !out->error; line++)
			job_put(hosts, out, &job, fl_instance->name, placed[k].master && line == 0);
	}
}

static void instances_put(struct host_list *hosts, struct out *out, const struct fl_view *view, size_t host)
{
	struct fl_instance instance;

	for (size_t k = hosts->first[host]; k != SIZE_MAX && !out->error && fl_instance(view, k, &instance) == 0;
	     k = hosts->next[k]) {
		if (hosts->queues)
			queue_put(out, &instance);
		if (hosts->jobs)
			jobs_put(hosts, out, view, k, &instance);
	}
}

int hosts_xml(const struct fl_view *view, struct out *out, void *context)
{
	struct host_list *hosts = context;
	bool any;
	int code = hosts_begin(hosts, view, &any);
	size_t n = any ? fl_hosts(view) : 0;
	struct fl_host host;

	if (any)
		out_text(out, XML_HEAD "<qhost xmlns:xsd=\"" XML_SCHEMAS "qhost/qhost.xsd\">\n");
	for (size_t k = 0; k < n && hosts->error == 0 && !out->error; k++) {
		if (!hosts_means(hosts, view, k, &host))
			continue;
		host.available &= k > 0;	/* values common to all hosts have no load report */
		opened_put(out, "host", host.name);
		host_put(hosts, out, &host);
		if (hosts->attributes)
			attributes_put(hosts, out);
		if (hosts->first && k > 0)
			instances_put(hosts, out, view, k);
		out_text(out, " </host>\n");
	}
	if (any)
		out_text(out, "</qhost>\n");
	return code;
}
