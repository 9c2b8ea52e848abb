/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/stat/messages.h"

#include <stdio.h>
#include <string.h>

#define NOT_IN_QUEUES "Jobs can not run because queue instance is not contained in its hard queue list"
#define NO_RESOURCES "Jobs can not run because the resource requirements can not be satisfied"
#define NO_HOST "Jobs can not run because no host can satisfy the resource requirements"
#define NO_SLOTS "Jobs can not run because available slots combined under PE are not in range of job"
#define DEPENDS "Job dropped because of job dependencies"

static const struct message_kind kinds[] = {
	{ "on_hold", MESSAGE_HELD, false, "Job is in hold state", "Jobs dropped because of hold state" },
	{ "predecessor", 35, false, DEPENDS, DEPENDS },
	{ "execution_time", 31, false, "execution time not reached", "Jobs can not run because execution time "
			"not reached" },
	{ "task_limit", 45, false, "not all array tasks may be started due to 'max_aj_instances'", "Not all array tasks may be started due to 'max_aj_instances'" },
	{ "in_error", 32, false, NULL, NULL },
	{ "maxujobs", 34, false, NULL, NULL },
	{ "user_lists", 1, false, NULL, NULL },
	{ "projects", 2, false, NULL, NULL },
	{ "queue_request", 6, false, NULL, NOT_IN_QUEUES },
	{ "master_queue", 6, false, NULL, NOT_IN_QUEUES },
	{ "pe_list", 8, false, NULL, NULL },
	{ "ckpt_list", 10, false, NULL, NULL },
	{ "qtype", 12, false, NULL, NULL },
	{ "forced", 14, false, NULL, NULL },
	{ "slots", 16, false, NULL, NULL },
	{ "no_attribute", 17, false, NULL, NO_RESOURCES },
	{ "attribute", 17, false, NULL, NO_RESOURCES },
	{ "consumable", 17, false, NULL, NO_RESOURCES },
	{ "kept", 17, false, NULL, NO_RESOURCES },
	{ "exclusive", 17, false, NULL, NO_RESOURCES },
	{ "no_ckpt", 23, false, NULL, NULL },
	{ "pe_slots", 24, false, NULL, NO_SLOTS },
	{ "pe_range", 24, false, NULL, NO_SLOTS },
	{ "pe_hosts", 24, false, NULL, NO_SLOTS },
	{ "no_pe", 43, false, NULL, NULL },
	{ "quota", 48, false, NULL, NULL },
	{ "advance_queue", 52, false, NULL, NULL },
	{ "advance_error", 53, false, NULL, NULL },
	{ "suspended_by_load", 26, true, NULL, NULL },
	{ "overloaded", 27, true, NULL, NULL },
	{ "full", 37, true, NULL, NULL },
	{ "disabled", 39, true, NULL, NULL },
	{ "host_unknown", 40, true, NULL, NULL },
	{ "", 36, false, NULL, NULL },
};

/* Resources that are missing at a host. */
static const struct message_kind at_host = { "", 0, false, NULL, NO_HOST };

const struct message_kind *message_kind(const struct fl_why *why)
{
	const struct message_kind *k = kinds;

	while (*k->kind && strcmp(k->kind, why->kind) != 0)
		k++;
	return k->number == 17 && *why->object && !strchr(why->object, '@') && strcmp(why->object, "global") != 0
		       ? &at_host
		       : k;
}

bool message_text(const struct message_kind *message, enum message_form form, char *text, size_t size)
{
	const char *own = form == MESSAGE_OF_JOB ? message->of_job : form == MESSAGE_SUMMARY ? message->summary : NULL;

	if (own)
		snprintf(text, size, "%s", own);
	return own;
}
