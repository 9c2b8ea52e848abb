/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reasons as sentences. Each kind has a pattern:
 *
 *     %s subject     %w wanted     %h had     %t had, as a date     %n count
 *     %v is or are, by the subject            %b is or are, by wanted
 *     [...]          left out if there are no numbers to report
 *
 * The object follows the pattern, with the number of other objects.
 */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "sched/dispatch/why/why.h"

static const struct {
	const char *name, *pattern;
} kinds[WHY_KINDS] = {
	[WHY_DISABLED] = { "disabled", "takes no jobs in state %s" },
	[WHY_OVERLOADED] = { "overloaded", "load is beyond the threshold %s[, it is %h]" },
	[WHY_SUSPENDED_BY_LOAD] = { "suspended_by_load", "load is beyond the suspend threshold %s[, it is %h]" },
	[WHY_FULL] = { "full", "no slot is free" },
	[WHY_HOST_UNKNOWN] = { "host_unknown", "the host is not available" },
	[WHY_USER_LISTS] = { "user_lists", "%s does not admit the owner" },
	[WHY_PROJECTS] = { "projects", "%s does not admit the project" },
	[WHY_QUEUE_REQUEST] = { "queue_request", "not among the requested queues %s" },
	[WHY_QTYPE] = { "qtype", "is not of type %s" },
	[WHY_PE_LIST] = { "pe_list", "does not offer parallel environment %s" },
	[WHY_CKPT_LIST] = { "ckpt_list", "does not offer checkpointing environment %s" },
	[WHY_FORCED] = { "forced", "takes only jobs that request %s" },
	[WHY_NO_ATTRIBUTE] = { "no_attribute", "does not have the requested %s" },
	[WHY_ATTRIBUTE] = { "attribute", "does not satisfy the request %s[, it has %h]" },
	[WHY_CONSUMABLE] = { "consumable", "not enough %s %v left[: %h, and %w is needed]" },
	[WHY_EXCLUSIVE] = { "exclusive", "exclusive use (%s) is not possible now" },
	[WHY_SLOTS] = {
		"slots",
		"parallel environment %s needs all slots on one host[: %w, but no host has more than %h free]"
	},
	[WHY_QUOTA] = { "quota", "resource quota %s is used up[: %h is left, and %w is needed]" },
	[WHY_MASTER_QUEUE] = { "master_queue", "no queue of %s can take the master task" },
	[WHY_NO_PE] = { "no_pe", "there is no parallel environment %s that it may use" },
	[WHY_PE_SLOTS] = { "pe_slots", "parallel environment %s has too few slots left[: %h, and %w %b needed]" },
	[WHY_PE_RANGE] = {
		"pe_range",
		"the allocation rule of parallel environment %s fits none of the requested numbers of slots[: it "
		"has %h slots, and %w %b needed]"
	},
	[WHY_PE_HOSTS] = { "pe_hosts", "too few slots were found for parallel environment %s[: %h, and %w %b needed]" },
	[WHY_NO_CKPT] = { "no_ckpt", "there is no checkpointing environment %s" },
	[WHY_MAXUJOBS] = { "maxujobs", "the owner runs as many jobs as maxujobs allows[: %h]" },
	[WHY_RESERVED] = { "reserved", "resources are reserved for it at %t" },
	[WHY_NOT_REACHED] = { "not_reached", "jobs ahead of it took all free slots" },
	[WHY_WITHHELD] = { "withheld", "its start was withheld because it would have violated an invariant (%s)" },
	[WHY_ORDER_LENGTH] = { "order_length", "it would start in more queue instances than one order can name[: %h]" },
	[WHY_NO_ADVANCE] = { "no_advance", "there is no advance reservation %s" },
	[WHY_ADVANCE_WAITS] = { "advance_waits", "advance reservation %s does not begin before %t" },
	[WHY_ADVANCE_ERROR] = { "advance_error", "advance reservation %s is in error" },
	[WHY_ADVANCE_ACCESS] = { "advance_access", "advance reservation %s does not admit the owner" },
	[WHY_ADVANCE_QUEUE] = { "advance_queue", "is not part of advance reservation %s" },
	[WHY_RESCHEDULED] = {
		"rescheduled",
		"it was rescheduled because this host did not respond, and may still run there"
	},
	[WHY_SLICE] = { "slice", "the slice of %s in the pool is used up[: %h of %w]" },
	[WHY_CEILING] = { "ceiling", "%s is at its ceiling[: %h of %w]" },
	[WHY_GROUP_LIMIT] = { "group_limit", "group %s is at its limit[: %h of %w]" },
	[WHY_GROUP_CAP] = { "group_cap", "group %s is limited by the quota of the group above it" },
	[WHY_CONCURRENCY_LIMIT] = {
		"concurrency_limit",
		"not enough of concurrency limit %s is left[: %h, and %w is needed]"
	},
	[WHY_PREEMPTION] = { "preemption", "PREEMPTION_REQUIREMENTS is not true for matching slots in use: %n" },
	[WHY_RANK] = { "rank", "slots prefer the jobs that they run: %n" },
	[WHY_NO_MATCH] = { "no_match", "none of the slots matches: %n" },
	[WHY_JOB_REQUIREMENTS] = { "job_requirements", "its Requirements are not true for slots: %n" },
	[WHY_SLOT_REQUIREMENTS] = { "slot_requirements", "Requirements of slots do not admit it: %n" },
	[WHY_PLACE] = { "place", "it cannot use queue instances: %n" },
	[WHY_CLAIMED] = { "claimed", "slots are in use: %n" },
	[WHY_HELD_BY] = { "held_by", "%s has slots: %n" },
	[WHY_VACATING] = { "vacating", "slots are being vacated for it: %n" },
	[WHY_TIME_UP] = { "time_up", "the negotiation had no time left for it (NEGOTIATOR_MAX_TIME_PER_...)" },
	[WHY_NEXT_CYCLE] = { "next_cycle", "the next negotiation cycle is due at %t" },
	[WHY_NO_SUBMITTER] = {
		"no_submitter",
		"owner, accounting group and domain do not form a valid submitter name"
	},
	[WHY_KEPT] = { "kept", "" },
	[WHY_OTHERS] = { "others", "other checks failed as well, %n times" },
	[WHY_IN_ERROR] = { "in_error", "it is in error state" },
	[WHY_ON_HOLD] = { "on_hold", "it is held" },
	[WHY_PREDECESSOR] = { "predecessor", "it waits for the end of another job" },
	[WHY_EXECUTION_TIME] = { "execution_time", "it must not start before %t" },
	[WHY_TASK_LIMIT] = { "task_limit", "as many of its tasks run as -tc and max_aj_instances allow" },
};

const char *why_kind_name(unsigned kind)
{
	return kind < WHY_KINDS ? kinds[kind].name : "unknown";
}

struct sentence {
	char *text;
	size_t size, length;		/* `length` continues to grow beyond `size` */
};

static void put_char(struct sentence *sentence, char c)
{
	if (sentence->length + 1 < sentence->size)
		sentence->text[sentence->length] = c;
	sentence->length++;
}

static void put_text(struct sentence *sentence, const char *text)
{
	while (text && *text)
		put_char(sentence, *text++);
}

/* Numbers */

static void put_memory(char *text, size_t size, double value)
{
	static const char suffixes[] = " KMGT";
	int k = 0;

	for (; k < 4 && fabs(value) >= 1024; k++)
		value /= 1024;
	snprintf(text, size, k ? "%.5g%c" : "%.5g", value, suffixes[k]);
}

static void put_seconds(char *text, size_t size, double value)
{
	int64_t seconds = (int64_t)fabs(value);

	snprintf(text, size, "%s%" PRId64 ":%02d:%02d", value < 0 ? "-" : "", seconds / 3600, (int)(seconds / 60 % 60),
		 (int)(seconds % 60));
}

static void put_value(struct sentence *sentence, double value, unsigned unit)
{
	char text[64];

	if (isnan(value))
		strcpy(text, "NA");
	else if (fabs(value) >= DBL_MAX)	/* INFINITY in the configuration */
		strcpy(text, value < 0 ? "-INFINITY" : "INFINITY");
	else if (unit == WHY_MEMORY)
		put_memory(text, sizeof(text), value);
	else if (unit == WHY_SECONDS && fabs(value) < 1e15)
		put_seconds(text, sizeof(text), value);
	else if (unit == WHY_BOOL)
		strcpy(text, value != 0 ? "TRUE" : "FALSE");
	/* slots by weight: two decimals are sufficient */
	else if (unit == WHY_WEIGHT && fabs(value) < 1e8)
		snprintf(text, sizeof(text), "%.10g", round(value * 100) / 100);
	else
		snprintf(text, sizeof(text), "%.10g", value);
	put_text(sentence, text);
}

/* Write a local time. Years with more than four digits give NA. */
static void put_moment(struct sentence *sentence, double value)
{
	time_t moment = fabs(value) < 1e12 ? (time_t)value : -1;
	char text[64] = "NA";
	struct tm tm;

	if (moment > 0 && localtime_r(&moment, &tm) && tm.tm_year < 8100)
		strftime(text, sizeof(text), "%m/%d/%Y %H:%M:%S", &tm);
	put_text(sentence, text);
}

static void put_count(struct sentence *sentence, uint32_t count)
{
	char text[16];

	snprintf(text, sizeof(text), "%" PRIu32, count);
	put_text(sentence, text);
}

/* Words */

static void put_word(struct sentence *sentence, char letter, const struct why_reason *reason)
{
	switch (letter) {
	case 's': put_text(sentence, reason->subject); break;
	case 'w': put_value(sentence, reason->wanted, reason->unit); break;
	case 'h': put_value(sentence, reason->had, reason->unit); break;
	case 't': put_moment(sentence, reason->had); break;
	case 'n': put_count(sentence, reason->count); break;
	case 'v': put_text(sentence, reason->subject && strcmp(reason->subject, "slots") == 0 ? "are" : "is"); break;
	case 'b': put_text(sentence, reason->wanted == 1 ? "is" : "are"); break;
	}
}

/* Return whether the kind shows its numbers even when a limit is reached exactly. */
static bool is_bound(unsigned kind)
{
	return kind == WHY_SLICE || kind == WHY_CEILING || kind == WHY_GROUP_LIMIT;
}

static void put_pattern(struct sentence *sentence, const char *pattern, const struct why_reason *reason)
{
	bool numbers = reason->wanted != reason->had || is_bound(reason->kind);

	for (const char *p = pattern; *p; p++)
		if (*p == '[' && !numbers)
			p = strchr(p, ']');
		else if (*p == '%')
			put_word(sentence, *++p, reason);
		else if (*p != '[' && *p != ']')
			put_char(sentence, *p);
}

static void put_object(struct sentence *sentence, const struct why_reason *reason)
{
	if (!reason->object || !*reason->object)
		return;
	put_text(sentence, ": ");
	put_text(sentence, reason->object);
	if (reason->count < 2)
		return;
	put_text(sentence, " and ");
	put_count(sentence, reason->count - 1);
	put_text(sentence, reason->count == 2 ? " other" : " others");
}

/* Write the holds. The strongest hold determines which users can release the job. */
static void put_hold(struct sentence *sentence, const char *letters)
{
	put_text(sentence, "it is held");
	if (!letters || !*letters)
		return;
	put_text(sentence, " (");
	put_text(sentence, letters);
	put_text(sentence, ")");
	if (strchr(letters, 's'))
		put_text(sentence, ": a manager can release it");
	else if (strchr(letters, 'o'))
		put_text(sentence, ": an operator can release it");
	else if (strchr(letters, 'u'))
		put_text(sentence, ": its owner or an operator can release it");
	if (strchr(letters, 'a'))
		put_text(sentence, *letters == 'a' ? " until the same tasks of another array have ended"
						   : ", and the same tasks of another array have to end");
}

/* Write the parts of the subject. Unknown formats are written unchanged. */
static void put_kept(struct sentence *sentence, const struct why_reason *reason)
{
	const char *subject = reason->subject ? reason->subject : "", *colon = strchr(subject, ':'),
		   *comma = colon ? strchr(colon, ',') : NULL;
	long long moment, seconds;
	char text[WHY_TEXT_BYTES];

	if (!comma || sscanf(comma, ", %lld, %lld", &moment, &seconds) != 2) {
		put_text(sentence, "free resources are kept for others: ");
		put_text(sentence, subject);
		return;
	}
	snprintf(text, sizeof(text), "%.*s %s free, but kept for%.*s", (int)(colon - subject), subject,
		 colon - subject == 5 && memcmp(subject, "slots", 5) == 0 ? "are" : "is", (int)(comma - colon - 1),
		 colon + 1);
	put_text(sentence, text);
	if (moment <= 0)
		return;
	put_text(sentence, " from ");
	put_moment(sentence, (double)moment);
	put_text(sentence, " on: a job that ends by then could start, but this one ");
	if (seconds > 0) {
		put_text(sentence, "takes ");
		put_value(sentence, (double)seconds, WHY_SECONDS);
	} else {
		put_text(sentence, "has no time limit");
	}
}

static void put_predecessor(struct sentence *sentence, const struct why_reason *reason)
{
	char text[64] = "another job";

	if (reason->had >= 1)
		snprintf(text, sizeof(text), "job %.0f", reason->had);
	else if (reason->count > 1)
		snprintf(text, sizeof(text), "%" PRIu32 " more jobs", reason->count);
	put_text(sentence, "it waits for the end of ");
	put_text(sentence, text);
}

/*
 * Return the pattern for an empty cell, where nothing is used and no resources become free later.
 * NULL: use the normal pattern.
 */
static const char *ever_pattern(unsigned kind)
{
	switch (kind) {
	case WHY_CONSUMABLE: return "there %v not enough %s in all[: %h, and %w is needed]";
	case WHY_SLOTS:
		return "parallel environment %s needs all slots on one host[: %w, but no host has more than %h]";
	case WHY_PE_SLOTS: return "parallel environment %s has too few slots in all[: %h, and %w %b needed]";
	case WHY_PE_HOSTS: return "all queues of parallel environment %s have too few slots[: %h, and %w %b needed]";
	case WHY_QUOTA: return "resource quota %s allows less[: %h, and %w is needed]";
	default: return NULL;
	}
}

size_t why_sentence_ever(char *text, size_t size, const struct why_reason *reason)
{
	struct sentence sentence = { text, size, 0 };
	const char *pattern = ever_pattern(reason->kind);

	if (!pattern)
		return why_sentence(text, size, reason);
	put_pattern(&sentence, pattern, reason);
	put_object(&sentence, reason);
	if (size > 0)
		text[sentence.length < size ? sentence.length : size - 1] = '\0';
	return sentence.length;
}

size_t why_sentence(char *text, size_t size, const struct why_reason *reason)
{
	struct sentence sentence = { text, size, 0 };

	if (reason->kind == WHY_OTHERS && reason->count == 0)
		put_text(&sentence, "there were more reasons than could be stored");
	else if (reason->kind == WHY_ON_HOLD)
		put_hold(&sentence, reason->subject);
	else if (reason->kind == WHY_PREDECESSOR)
		put_predecessor(&sentence, reason);
	else if (reason->kind == WHY_KEPT)
		put_kept(&sentence, reason);
	else
		put_pattern(&sentence,
			    reason->kind < WHY_KINDS ? kinds[reason->kind].pattern
						     : "unknown reason (%s)",
			    reason);
	put_object(&sentence, reason);
	if (size > 0)
		text[sentence.length < size ? sentence.length : size - 1] = '\0';
	return sentence.length;
}
