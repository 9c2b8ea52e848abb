/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/gridengine/info.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sched/dispatch/why/why.h"

/* Message numbers of the built-in scheduler, as observed. */
enum info_number {
	INFO_HOST_OFFERS = 0,
	INFO_NO_PERMISSION = 1,
	INFO_NO_PROJECT = 3,
	INFO_HARD_QUEUES = 6,
	INFO_PE_LIST = 8,
	INFO_NO_CHECKPOINTING = 9,
	INFO_TYPE = 12,
	INFO_FORCED = 14,
	INFO_QUEUE = 17,
	INFO_GLOBALLY = 20,
	INFO_PE_SLOTS = 24,
	INFO_PE_ACCESS = 25,
	INFO_OVERLOADED = 27,
	INFO_EXECUTION_TIME = 31,
	INFO_IN_ERROR = 32,
	INFO_HOLD = 33,
	INFO_USER_LIMIT = 34,
	INFO_DEPENDENCIES = 35,
	INFO_FULL = 37,
	INFO_DISABLED = 39,
	INFO_NOT_AVAILABLE = 40,
	INFO_TASK_LIMIT = 45,
	INFO_QUOTA = 50,
};

__attribute__((format(printf, 3, 4)))
static bool say(struct info *info, enum info_number number, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(info->text, sizeof(info->text), format, arguments);
	va_end(arguments);
	info->number = number;
	return true;
}

/* Return the length of the cluster queue's name in the name of a queue instance. */
static int queue_length(const char *object)
{
	return (int)strcspn(object, "@");
}

static bool is_instance(const char *object)
{
	return strchr(object, '@') != NULL;
}

void info_attribute(const struct fl_why *why, char *name, size_t size)
{
	snprintf(name, size, "%.*s", (int)strcspn(why->subject, why->number == WHY_KEPT ? ":" : "="), why->subject);
}

static void put_amount(char *text, size_t size, double value, unsigned unit)
{
	static const char suffixes[] = "KMGT";
	int k = -1;

	if (fabs(value) >= DBL_MAX) {
		snprintf(text, size, "%s", value < 0 ? "-INFINITY" : "INFINITY");
		return;
	}
	for (; unit == WHY_MEMORY && k < 3 && fabs(value) >= 1024; k++)
		value /= 1024;
	if (k >= 0)
		snprintf(text, size, "%.3f%c", value, suffixes[k]);
	else if (unit == WHY_SECONDS && fabs(value) < 1e9)
		snprintf(text, size, "%02d:%02d:%02d", (int)value / 3600, (int)value / 60 % 60, (int)value % 60);
	else
		snprintf(text, size, "%f", value);
}

/* Write "hl:arch=lx-amd64": level, origin, name and value. */
static void put_offer(char *text, size_t size, const struct fl_why *why, const char *offered)
{
	char name[300], amount[64] = "";
	const char *level = is_instance(why->object) ? "q" : strcmp(why->object, "global") == 0 ? "g" : "h";

	info_attribute(why, name, sizeof(name));
	if (why->wanted != why->had)
		put_amount(amount, sizeof(amount), why->had, why->unit);
	snprintf(text, size, "%s%s:%s=%.200s", level,
		 why->number == WHY_CONSUMABLE || why->number == WHY_KEPT ? "c" : "l", name,
		 *amount   ? amount
		 : offered ? offered
			   : "");
}

static bool say_offer(struct info *info, const struct fl_why *why, const char *hard, const char *offered)
{
	char offer[600];

	put_offer(offer, sizeof(offer), why, offered);
	if (is_instance(why->object))
		return say(info, INFO_QUEUE, "(-l %s) cannot run in queue \"%s\" because it offers only %s", hard,
			   why->object, offer);
	if (strcmp(why->object, "global") == 0)
		return say(info, INFO_GLOBALLY, "(-l %s) cannot run globally because it offers only %s", hard, offer);
	return say(info, INFO_HOST_OFFERS, "(-l %s) cannot run at host \"%s\" because it offers only %s", hard,
		   why->object, offer);
}

/* Write why a queue instance is not available for any job. */
static bool say_dropped(struct info *info, const struct fl_why *why)
{
	char name[300];

	info->global = true;
	switch (why->number) {
	case WHY_DISABLED:
		if (strpbrk(why->subject, "dD"))	/* also by its calendar */
			return say(info, INFO_DISABLED, "queue instance \"%s\" dropped because it is disabled",
				   why->object);
		break;
	case WHY_FULL:
		return say(info, INFO_FULL, "queue instance \"%s\" dropped because it is full", why->object);
	case WHY_OVERLOADED:
	case WHY_SUSPENDED_BY_LOAD:
		info_attribute(why, name, sizeof(name));
		return say(info, INFO_OVERLOADED,
			   "queue instance \"%s\" dropped because it is overloaded: %s=%f (no load adjustment) %s %s",
			   why->object, name, why->had, why->had < why->wanted ? "<=" : ">=",
			   strchr(why->subject, '=') ? strchr(why->subject, '=') + 1 : "");
	default:
		break;
	}
	return say(info, INFO_NOT_AVAILABLE, "queue instance \"%s\" dropped because it is temporarily not available",
		   why->object);
}

static bool say_access(struct info *info, const struct fl_why *why)
{
	int length = queue_length(why->object);
	bool queue = is_instance(why->object);

	if (why->number == WHY_PROJECTS && queue)
		return say(info, INFO_NO_PROJECT,
			   "(no project) does not have the correct project to run in cluster queue \"%.*s\"", length,
			   why->object);
	if (why->number == WHY_PROJECTS)
		return say(info, INFO_NO_PROJECT,
			   "(no project) does not have the correct project to run in host \"%s\"", why->object);
	return queue ? say(info, INFO_NO_PERMISSION, "has no permission for cluster queue \"%.*s\"", length,
			   why->object)
		     : say(info, INFO_NO_PERMISSION, "has no permission for host \"%s\"", why->object);
}

/* "set/rule: limit" */
static bool say_quota(struct info *info, const struct fl_why *why)
{
	const char *end = strrchr(why->subject, ':');

	return say(info, INFO_QUOTA, "cannot run because it exceeds limit \"/////\" in rule \"%.*s\"",
		   end ? (int)(end - why->subject) : (int)strlen(why->subject), why->subject);
}

static bool say_requested(struct info *info, const struct fl_why *why, const char *hard, const char *offered)
{
	char name[300];

	info_attribute(why, name, sizeof(name));
	switch (why->number) {
	case WHY_NO_ATTRIBUTE:
		return say(info, INFO_QUEUE,
			   "(-l %s) cannot run in queue \"%s\" because job requests unknown resource (%s)", hard,
			   why->object, name);
	case WHY_EXCLUSIVE:
		return say(info, INFO_QUEUE,
			   "(-l %s) cannot run in queue \"%s\" because exclusive resource (%s) is already in use", hard,
			   why->object, name);
	case WHY_FORCED:
		return say(info, INFO_FORCED, "does not request 'forced' resource \"%s\" of %s%s", name,
			   is_instance(why->object) ? "queue instance " : "host ", why->object);
	default:
		return say_offer(info, why, hard, offered);
	}
}

static bool say_of_queue(struct info *info, const struct fl_why *why)
{
	int length = queue_length(why->object);

	switch (why->number) {
	case WHY_QUEUE_REQUEST:
		return say(info, INFO_HARD_QUEUES,
			   "cannot run in queue \"%.*s\" because it is not contained in its hard queue list (-q)",
			   length, why->object);
	case WHY_QTYPE:
		return say(info, INFO_TYPE, "cannot run in queue instance \"%s\" because it is not of type %s",
			   why->object, strcmp(why->subject, "BATCH") == 0 ? "batch" : "interactive");
	case WHY_PE_LIST:
		return say(info, INFO_PE_LIST, "cannot run in queue \"%.*s\" because PE \"%s\" is not in PE list",
			   length, why->object, why->subject);
	default:
		return say(info, INFO_NO_CHECKPOINTING,
			   "cannot run in queue instance \"%s\" because it is not of type checkpointing", why->object);
	}
}

static bool say_of_pe(struct info *info, const struct fl_why *why)
{
	if (why->number == WHY_NO_PE)
		return say(info, INFO_PE_ACCESS, "cannot run because no access to PE \"%s\"", why->subject);
	return say(info, INFO_PE_SLOTS, "cannot run in PE \"%s\" because it only offers %d slots", why->subject,
		   why->number == WHY_PE_RANGE || why->number == WHY_SLOTS || why->wanted == why->had
			   ? 0
			   : (int)fmin(fmax(why->had, 0.0), 9999999.0));
}

/* Write why the job itself is not eligible. */
static bool say_of_job(struct info *info, const struct fl_why *why)
{
	switch (why->number) {
	case WHY_IN_ERROR:
		return say(info, INFO_IN_ERROR, "Job is in error state");
	case WHY_ON_HOLD:
		return say(info, INFO_HOLD, "Job is in hold state");
	case WHY_PREDECESSOR:
		return say(info, INFO_DEPENDENCIES, "job dropped because of job dependencies");
	case WHY_EXECUTION_TIME:
		return say(info, INFO_EXECUTION_TIME, "execution time not reached");
	case WHY_TASK_LIMIT:
		return say(info, INFO_TASK_LIMIT, "not all array tasks may be started due to 'max_aj_instances'");
	case WHY_MAXUJOBS:
		return say(info, INFO_USER_LIMIT, "job dropped because of user limitations");
	default:
		return false;
	}
}

bool info_make(struct info *info, const struct fl_why *why, const char *hard, const char *offered)
{
	info->global = false;
	hard = *hard ? hard : "NONE";
	switch (why->number) {
	case WHY_DISABLED: case WHY_OVERLOADED: case WHY_SUSPENDED_BY_LOAD: case WHY_FULL: case WHY_HOST_UNKNOWN:
		return say_dropped(info, why);
	case WHY_USER_LISTS: case WHY_PROJECTS:
		return say_access(info, why);
	case WHY_QUEUE_REQUEST: case WHY_QTYPE: case WHY_PE_LIST: case WHY_CKPT_LIST:
		return say_of_queue(info, why);
	case WHY_FORCED: case WHY_NO_ATTRIBUTE: case WHY_ATTRIBUTE: case WHY_CONSUMABLE: case WHY_EXCLUSIVE:
		return say_requested(info, why, hard, offered);
	/* 8.1.9 reports the smallest amount free over the job's run time, if it is not enough. */
	case WHY_KEPT:
		return why->had < why->wanted && say_requested(info, why, hard, offered);
	case WHY_QUOTA:
		return say_quota(info, why);
	case WHY_NO_PE: case WHY_PE_SLOTS: case WHY_PE_RANGE: case WHY_PE_HOSTS: case WHY_SLOTS:
		return say_of_pe(info, why);
	default:
		return say_of_job(info, why);
	}
}
