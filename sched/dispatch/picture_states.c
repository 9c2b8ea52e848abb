/* SPDX-License-Identifier: Apache-2.0 */
/*
 * States of queue instances as qstat(1) -f shows them: the state reported by the qmaster, the
 * effects of calendars and of this run, and load alarms. Alarms use the loads that hosts have
 * reported, without adjustments by the scheduler.
 */
#include "sched/dispatch/picture.h"

#include <errno.h>
#include <string.h>

#include "sched/dispatch/cluster/load.h"

#define LETTERS "aACDduESsco"		/* in qstat's order */

void picture_letters(const char *reported, bool down, char letters[16])
{
	size_t n = 0;

	for (const char *p = LETTERS; *p; p++)
		if (strchr(reported, *p) || (down && *p == 'u'))
			letters[n++] = *p;
	letters[n] = '\0';
}

static int alarm_add(struct cluster_picture *picture, const struct alarm *alarm, enum alarm_kind kind)
{
	static const uint16_t origins[] = {
		[ALARM_NOTHING] = ORIGIN_NONE, [ALARM_REPORTED] = ORIGIN_LOAD, [ALARM_CONFIGURED] = ORIGIN_FIXED,
		[ALARM_CONSUMABLE] = ORIGIN_CONSUMABLE,
	};
	struct alarm_record *record = picture_add(&picture->alarms, sizeof(*record));
	int rc = 0;

	if (!record)
		return -ENOMEM;
	*record = (struct alarm_record){
		.value = alarm->value, .kind = kind, .origin = origins[alarm->source], .level = alarm->level
	};
	record->name = picture_name(picture, alarm->threshold->name, &rc);
	record->limit = picture_name(picture, alarm->threshold->text, &rc);
	record->text = picture_name(picture, alarm->text, &rc);
	return rc;
}

/* Add all thresholds if one of them is crossed. */
static int alarms_add(struct cluster_picture *picture, uint32_t instance, const struct pairs *thresholds,
		      enum alarm_kind kind, bool *crossed)
{
	bool consumables = kind == ALARM_LOAD;
	struct alarm alarm;
	int rc = 0;

	*crossed = load_alarm(&picture->supply->cluster, instance, thresholds, consumables, &alarm);
	for (size_t i = 0; *crossed && rc == 0 && i < thresholds->n; i++) {
		load_alarm_on(&picture->supply->cluster, instance, &thresholds->items[i], consumables, &alarm);
		rc = alarm_add(picture, &alarm, kind);
	}
	return rc;
}

int picture_state(struct cluster_picture *picture, const struct state *state, uint32_t instance,
		  struct shown_instance_record *record)
{
	const struct queue_instance *queue_instance = &picture->supply->cluster.instances[instance];
	const struct queue_profile *profile = &picture->supply->cluster.profiles[queue_instance->profile];
	char letters[sizeof(state->instances->state) + 24];
	bool load, suspend;
	size_t n;
	int rc;

	record->alarms.first = (uint32_t)picture->alarms.n;
	rc = alarms_add(picture, instance, &profile->load_thresholds, ALARM_LOAD, &load);
	rc = rc ? rc : alarms_add(picture, instance, &profile->suspend_thresholds, ALARM_SUSPEND, &suspend);
	if (rc)
		return rc;
	record->alarms.count = (uint32_t)picture->alarms.n - record->alarms.first;
	n = strlen(strcpy(letters, state->instances[queue_instance->reported].state));
	/* closed by a calendar, or by a job start of this run */
	if (strlen(queue_instance->letters) <= 1)
		n += strlen(strcpy(letters + n, queue_instance->letters));
	if (load)
		letters[n++] = 'a';
	if (suspend)
		letters[n++] = 'A';
	if (queue_instance->is_subordinated)
		letters[n++] = 'S';
	letters[n] = '\0';
	picture_letters(letters, !picture->supply->cluster.hosts[queue_instance->host].available, record->state);
	return 0;
}
