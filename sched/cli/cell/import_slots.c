/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slots in the output of condor_status. They become the queue of the cell, with an instance for
 * each machine, and events for a scheduler. A partitionable slot is imported as a whole, without
 * the dynamic slots in it, because running jobs are not imported.
 */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf/base/utf8.h"
#include "conf/classad/classad.h"
#include "conf/lists.h"
#include "sched/cli/cell/command.h"
#include "sched/cli/cell/import.h"
#include "sched/cli/text.h"
#include "sched/cli/verbs.h"

#define STATUS "condor_status -long"

struct pool_machine {
	char *name;
	int64_t cpus;
};

struct slots {
	FILE *events;
	struct values values;		/* of the event that is checked */
	struct pool_machine *machines;
	size_t nmachines, n, left_out;
	size_t nrefused;		/* slots that a scheduler would refuse */
	struct error refused;		/* why it would refuse the first one */
	uint64_t seq;
};

/* Attributes of a claim, which the negotiation sets, and of dynamic slots. */
static bool is_of_claim(const char *name)
{
	static const char *const names[] = {
		"AccountingGroup", "Activity", "ClientMachine", "ConcurrencyLimits", "CurrentRank", "EnteredCurrentActivity",
		"EnteredCurrentState", "GlobalJobId", "JobId", "JobStart", "State", "TotalClaimRunTime", "TotalJobRunTime",
	};

	for (size_t k = 0; k < sizeof(names) / sizeof(*names); k++)
		if (strcasecmp(names[k], name) == 0)
			return true;
	return strncasecmp(name, "Remote", 6) == 0 || strncasecmp(name, "Child", 5) == 0 ||
	       strncasecmp(name, "Preempting", 10) == 0;
}

/* Ads: objects as in an event, with {"expr": text} for what is no literal. */

static bool is_printable(const char *text)
{
	size_t n;

	while (*text && (n = utf8_length(text)) > 0)
		text += n;
	return !*text;
}

/*
 * Set an attribute. One that cannot be read here is left out, for example a text with control
 * characters or bytes that are not UTF-8.
 */
static int attribute_set(json_t *ad, const char *name, const char *text)
{
	struct classad_expression *expression;
	struct classad_value value;
	json_t *json;
	int rc = classad_name_check(name, NULL);

	rc = rc ? rc : is_printable(text) ? classad_parse(&expression, text, NULL) : -EINVAL;
	if (rc)
		return rc == -ENOMEM ? rc : 0;
	if (!classad_is_constant(expression, &value))
		value.type = CLASSAD_LIST;
	json = value.type == CLASSAD_BOOL     ? json_boolean(value.truth)
	       : value.type == CLASSAD_INT    ? json_integer(value.integer)
	       : value.type == CLASSAD_STRING ? json_stringn(value.text, value.bytes)
					      : json_pack("{s:s}", "expr", classad_expression_text(expression));
	classad_expression_free(expression);
	return json_object_set_new(ad, name, json) ? -ENOMEM : 0;
}

static const json_t *ad_find(const json_t *ad, const char *wanted)
{
	const char *name;
	json_t *value;

	json_object_foreach((json_t *)ad, name, value)
		if (strcasecmp(name, wanted) == 0)
			return value;
	return NULL;
}

static const char *ad_text(const json_t *ad, const char *name)
{
	const char *text = json_string_value(ad_find(ad, name));

	return text ? text : "";
}

/* Give a partitionable slot all that it has been divided into. */
static int whole_set(json_t *ad)
{
	static const char *const names[][2] = { { "Cpus", "TotalSlotCpus" },
						{ "Memory", "TotalSlotMemory" },
						{ "Disk", "TotalSlotDisk" },
						{ "GPUs", "TotalSlotGPUs" } };

	for (size_t k = 0; k < sizeof(names) / sizeof(*names); k++) {
		const json_t *whole = ad_find(ad, names[k][1]);

		if (json_is_number(whole) && json_object_set_new(ad, names[k][0], json_deep_copy(whole)))
			return -ENOMEM;
	}
	return 0;
}

/* Write an event. Returns 0, -ENOMEM, or -EINVAL if a scheduler would refuse it. */
static int event_put(struct slots *slots, json_t *event)
{
	bool numbered = event && json_object_set_new(event, "seq", json_integer((json_int_t)slots->seq + 1)) == 0;
	char *text = numbered ? json_dumps(event, JSON_COMPACT) : NULL;
	struct error error = { "" };
	int rc = text ? import_event_check(&slots->values, text, strlen(text), &error) : -ENOMEM;

	if (rc == -EINVAL && slots->nrefused++ == 0)
		slots->refused = error;
	if (rc == 0)
		rc = fprintf(slots->events, "%s\n", text) < 0 ? -ENOMEM : 0;
	slots->seq += rc == 0;
	free(text);
	json_decref(event);
	return rc;
}

static int machine_add(struct slots *slots, const char *name, int64_t cpus)
{
	struct pool_machine *machine;

	/* from the end, because slots of a machine are usually in a row */
	for (size_t i = slots->nmachines; i-- > 0;)
		if (strcasecmp(slots->machines[i].name, name) == 0) {
			slots->machines[i].cpus += cpus;
			return 0;
		}
	machine = array_add(&slots->machines, &slots->nmachines, sizeof(*machine));
	if (!machine)
		return -ENOMEM;
	machine->cpus = cpus;
	machine->name = strdup(name);
	return machine->name ? 0 : -ENOMEM;
}

/* Add the ClassAd of a slot. Others, and dynamic slots, are left out. */
static int slot_add(struct slots *slots, json_t *ad)
{
	const char *name = ad_text(ad, "Name"), *machine = ad_text(ad, "Machine");
	bool dynamic = json_is_true(ad_find(ad, "DynamicSlot")) || strcasecmp(ad_text(ad, "SlotType"), "Dynamic") == 0;
	bool divided = json_is_true(ad_find(ad, "PartitionableSlot")) ||
		       strcasecmp(ad_text(ad, "SlotType"), "Partitionable") == 0;
	int64_t cpus;
	int rc = divided ? whole_set(ad) : 0;

	cpus = json_integer_value(ad_find(ad, "Cpus"));
	if (rc || dynamic || !*name || name_check(machine, NULL) || cpus < 1 || cpus > INT32_MAX) {
		slots->left_out += !dynamic;
		return rc;
	}
	rc = event_put(slots, json_pack("{s:s,s:s,s:s,s:O}", "event", "slot", "slot", name, "machine", machine, "ad", ad));
	if (rc == -EINVAL)
		return 0;
	slots->n += rc == 0;
	return rc ? rc : machine_add(slots, machine, cpus);
}

/* Reading */

/* Read the line "Name = expression". */
static int line_take(json_t *ad, char *line)
{
	char *equal = strchr(line, '='), *end;

	if (!equal || equal == line)
		return 0;
	for (end = equal; end > line && (end[-1] == ' ' || end[-1] == '\t'); end--)
		;
	*end = '\0';
	line += strspn(line, " \t");
	return is_of_claim(line) ? 0 : attribute_set(ad, line, equal + 1);
}

/* Read ads of lines, with an empty line after each. */
static int lines_take(struct slots *slots, char *text)
{
	json_t *ad = json_object();
	int rc = ad ? 0 : -ENOMEM;

	for (char *line = text, *next; rc == 0 && line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		if (line[strspn(line, " \t\r")])
			rc = line_take(ad, line);
		if (rc == 0 && (!next || !line[strspn(line, " \t\r")]) && json_object_size(ad) > 0)
			rc = slot_add(slots, ad) ? -ENOMEM : json_object_clear(ad);
	}
	json_decref(ad);
	return rc;
}

/* Copy a member of condor_status -json, which writes an expression as "/Expr(text)/". */
static int member_take(json_t *ad, const char *name, json_t *value)
{
	static const char begins[] = "/Expr(", ends[] = ")/";
	const char *text = json_string_value(value);
	size_t n = text ? strlen(text) : 0, both = sizeof(begins) + sizeof(ends) - 2;
	char *expression;
	int rc;

	if (is_of_claim(name) || classad_name_check(name, NULL) || json_is_object(value) || json_is_array(value) ||
	    json_is_null(value) || (text && !is_printable(text)))
		return 0;
	if (n < both || strncmp(text, begins, sizeof(begins) - 1) != 0 ||
	    strcmp(text + n - (sizeof(ends) - 1), ends) != 0)
		return json_object_set(ad, name, value) ? -ENOMEM : 0;
	expression = strndup(text + sizeof(begins) - 1, n - both);
	rc = expression ? attribute_set(ad, name, expression) : -ENOMEM;
	free(expression);
	return rc;
}

static int array_take(struct slots *slots, const json_t *all)
{
	const char *name;
	json_t *from, *value, *ad;
	size_t i;
	int rc = 0;

	json_array_foreach(all, i, from) {
		ad = rc == 0 ? json_object() : NULL;
		rc = rc ? rc : ad ? 0 : -ENOMEM;
		json_object_foreach(from, name, value)
			rc = rc ? rc : member_take(ad, name, value);
		rc = rc ? rc : slot_add(slots, ad);
		json_decref(ad);
	}
	return rc;
}

/* Writing */

static int queue_add(struct import *import, const struct slots *slots)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);
	int rc = out ? 0 : -ENOMEM;

	if (rc)
		return rc;
	fprintf(out, "# The machines of condor_status, with the Cpus of their slots.\nqname     all.q\nhostlist ");
	for (size_t i = 0; i < slots->nmachines; i++)
		fprintf(out, " %s", slots->machines[i].name);
	fprintf(out, "\nseq_no    0\nload_thresholds NONE\nqtype     BATCH\npe_list   smp\nh_rt      INFINITY\nslots     1");
	for (size_t i = 0; i < slots->nmachines; i++)
		fprintf(out, ",[%s=%lld]", slots->machines[i].name, (long long)slots->machines[i].cpus);
	fprintf(out, "\n");
	rc = fclose(out) ? -ENOMEM : new_cell_add(&import->new, "queue/all.q", text, bytes);
	free(text);
	return rc;
}

static int pe_add(struct import *import)
{
	static const char text[] = "pe_name            smp\nslots              9999999\nuser_lists         NONE\n"
				   "xuser_lists        NONE\nallocation_rule    $pe_slots\ncontrol_slaves     FALSE\n"
				   "job_is_first_task  TRUE\nurgency_slots      min\n";

	return new_cell_add(&import->new, "pe/smp", text, sizeof(text) - 1);
}

static void left_out_report(const struct slots *slots, const char *source)
{
	if (slots->left_out)
		cli_fail(EXIT_OK, "import: %s: %zu ClassAd%s without Name, Machine or Cpus left out", source,
			 slots->left_out, plural(slots->left_out));
	if (slots->nrefused)
		cli_fail(EXIT_OK, "import: %s: %zu slot%s left out; a scheduler refuses %s", source, slots->nrefused,
			 plural(slots->nrefused), slots->refused.text);
}

/* Convert all ads. `text` is modified. Return an exit code, after a message. */
static int slots_convert(struct import *import, char *text, const char *source)
{
	struct slots slots = { .n = 0 };
	char *events = NULL;
	size_t bytes = 0;
	json_error_t why = { .text = "" };
	bool is_json = text[strspn(text, " \t\r\n")] == '[';
	json_t *all = is_json ? json_loads(text, 0, &why) : NULL;
	int rc;

	if (is_json && !json_is_array(all))
		return cli_fail(EXIT_NO_DATA, "import: %s: no JSON array of slots: %.150s", source, why.text);
	slots.events = open_memstream(&events, &bytes);
	rc = slots.events ? event_put(&slots, json_pack("{s:s}", "event", "snapshot_begin")) : -ENOMEM;
	rc = rc ? rc : is_json ? array_take(&slots, all) : lines_take(&slots, text);
	rc = rc ? rc : event_put(&slots, json_pack("{s:s}", "event", "snapshot_end"));
	if (slots.events && fclose(slots.events))
		rc = -ENOMEM;
	if (rc == 0 && slots.n > 0)
		rc = new_cell_add(&import->new, IMPORT_SLOTS, events, bytes) || queue_add(import, &slots) || pe_add(import);
	for (size_t i = 0; i < slots.nmachines; i++)
		free(slots.machines[i].name);
	free(slots.machines);
	free(events);
	values_destroy(&slots.values);
	json_decref(all);
	if (rc)
		return cli_fail(EXIT_NO_DATA, "no memory");
	if (slots.n == 0)
		return cli_fail(EXIT_NO_DATA, "import: %s: no slot with Name, Machine and Cpus%s%s", source,
				slots.nrefused ? "; a scheduler refuses " : "", slots.refused.text);
	left_out_report(&slots, source);
	return EXIT_OK;
}

/* Import slots. Without the command, the cell is made all the same, and has no slots. */
int import_slots(struct import *import)
{
	struct command status = { .argv = { "condor_status", "-long" } };
	char *text = NULL;
	size_t bytes = 0;
	int rc, code;

	if (import->status) {
		code = import_file(import->status, &text, &bytes);
		if (code == EXIT_OK)
			code = slots_convert(import, text, import->status);
		free(text);
		return code;
	}
	if (import->conf) {
		cli_fail(EXIT_OK, "import: no --status: the slots are not imported");
		return EXIT_OK;
	}
	rc = command_run(&status);
	if (rc || status.status)
		cli_fail(EXIT_OK, "import: condor_status: %s: the slots are not imported",
			 rc ? strerror(-rc) : *status.complaint ? status.complaint : "it failed");
	else
		slots_convert(import, status.output, STATUS);
	command_free(&status);
	return EXIT_OK;
}
