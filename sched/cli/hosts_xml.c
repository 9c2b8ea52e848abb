/* SPDX-License-Identifier: Apache-2.0 */
/* Hosts as qhost(1) -xml prints them. */
#include <string.h>

#include "sched/cli/hosts.h"
#include "sched/cli/xml.h"

/* " <queuevalue qname='all.q' name='slots'>": an attribute with a name, of something that has one. */
static void value_begin(struct out *o, const char *element, const char *key, const char *of, const char *name)
{
	out_put(o, "   <%s ", element);
	if (key) {
		out_put(o, "%s='", key);
		text_xml(o, of);
		out_text(o, "' ");
	}
	out_put(o, "name='%s'>", name);
}

static void value_put(struct out *o, const char *element, const char *key, const char *of, const char *name, const char *value)
{
	value_begin(o, element, key, of, name);
	text_xml(o, value);
	xml_end(o, element);
}

static void opened_put(struct out *o, const char *element, const char *name)
{
	out_put(o, " <%s name='", element);
	text_xml(o, name);
	out_text(o, "'>\n");
}

/* The columns of the table, without their blanks. */
static void host_put(const struct host_list *h, struct out *o, const struct fl_host *host)
{
	static const char *const names[] = { "arch_string", "num_proc", "m_socket", "m_core", "m_thread", "load_avg",
					     "mem_total", "mem_used", "swap_total", "swap_used" };
	char values[HOST_COLUMNS][HOST_COLUMN_BYTES];

	hosts_columns(host, values);
	for (size_t k = 0; k < HOST_COLUMNS; k++)
		if (!h->no_topology || strncmp(names[k], "m_", 2) != 0)
			value_put(o, "hostvalue", NULL, NULL, names[k], values[k]);
}

static void attributes_put(const struct host_list *h, struct out *o)
{
	for (size_t k = 0; k < h->found.n; k++) {
		const struct found_value *a = &h->found.items[k];

		if (!hosts_shows(h, a))
			continue;
		out_text(o, "   <resourcevalue name='");
		text_xml(o, a->name);
		out_put(o, "' dominance='%s'>", attribute_origin(a));
		attribute_xml(o, a, false);
		xml_end(o, "resourcevalue");
	}
}

static void queue_put(struct out *o, const struct fl_instance *i)
{
	const char *queue = *i->queue ? i->queue : i->name;
	const struct { const char *name; uint32_t value; } slots[] = { { "slots_used", i->used }, { "slots", i->slots }, { "slots_resv", i->reserved } };

	opened_put(o, "queue", queue);
	value_put(o, "queuevalue", "qname", queue, "qtype_string", i->type);
	for (size_t k = 0; k < sizeof(slots) / sizeof(*slots); k++) {
		value_begin(o, "queuevalue", "qname", queue, slots[k].name);
		out_put(o, "%u", slots[k].value);
		xml_end(o, "queuevalue");
	}
	value_put(o, "queuevalue", "qname", queue, "state_string", i->state);
	out_text(o, " </queue>\n");
}

/* One slot of a job, or all of one that is not parallel. */
static void job_put(const struct host_list *h, struct out *o, const struct fl_job *job, const char *instance, bool is_master)
{
	char number[16], text[32];

	snprintf(number, sizeof(number), "%u", job->job_number);
	opened_put(o, "job", number);
	value_begin(o, "jobvalue", "jobid", number, "priority");
	out_put(o, "'%f'", job->prio);
	xml_end(o, "jobvalue");
	value_put(o, "jobvalue", "jobid", number, "qinstance_name", instance);
	value_put(o, "jobvalue", "jobid", number, "job_name", job->name);
	value_put(o, "jobvalue", "jobid", number, "job_owner", job->owner);
	value_put(o, "jobvalue", "jobid", number, "job_state", job->state);
	snprintf(text, sizeof(text), "%lld", (long long)job->start_time);
	value_put(o, "jobvalue", "jobid", number, "start_time", text);
	if (!h->queues)
		value_put(o, "jobvalue", "jobid", number, "queue_name", instance);
	value_put(o, "jobvalue", "jobid", number, "pe_master", is_master ? "MASTER" : "SLAVE");
	if (job->is_array) {
		snprintf(text, sizeof(text), "%u", job->task);
		value_put(o, "jobvalue", "jobid", number, "taskid", text);
	}
	out_text(o, " </job>\n");
}

static void jobs_put(struct host_list *h, struct out *o, const struct fl_view *view, size_t instance, const struct fl_instance *i)
{
	size_t n;
	const struct placed *placed = placed_of(&h->placed, instance, &n);
	struct fl_job job;

	for (size_t k = 0; k < n && !o->error; k++) {
		uint64_t lines;

		if (fl_get(view, FL_STARTED, placed[k].row, &job))
			continue;
		lines = *job.granted_pe ? (uint64_t)placed[k].slots + (placed[k].master && hosts_extra_slave(h, view, &placed[k])) : 1;
		for (uint64_t line = 0; line < lines && !o->error; line++)
			job_put(h, o, &job, i->name, placed[k].master && line == 0);
	}
}

static void instances_put(struct host_list *h, struct out *o, const struct fl_view *view, size_t host)
{
	struct fl_instance i;

	for (size_t k = h->first[host]; k != SIZE_MAX && !o->error && fl_instance(view, k, &i) == 0; k = h->next[k]) {
		if (h->queues)
			queue_put(o, &i);
		if (h->jobs)
			jobs_put(h, o, view, k, &i);
	}
}

int hosts_xml(const struct fl_view *view, struct out *out, void *context)
{
	struct host_list *h = context;
	bool any;
	int code = hosts_begin(h, view, &any);
	size_t n = any ? fl_hosts(view) : 0;
	struct fl_host host;

	if (any)
		out_text(out, XML_HEAD "<qhost xmlns:xsd=\"" XML_SCHEMAS "qhost/qhost.xsd\">\n");
	for (size_t k = 0; k < n && h->error == 0 && !out->error; k++) {
		if (!hosts_means(h, view, k, &host))
			continue;
		host.available &= k > 0;	/* what all hosts share reports nothing here */
		opened_put(out, "host", host.name);
		host_put(h, out, &host);
		if (h->attributes)
			attributes_put(h, out);
		if (h->first && k > 0)
			instances_put(h, out, view, k);
		out_text(out, " </host>\n");
	}
	if (any)
		out_text(out, "</qhost>\n");
	return code;
}
