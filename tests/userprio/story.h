/* SPDX-License-Identifier: Apache-2.0 */
/* A pool that uses all features, and random events between two runs. */
#ifndef TESTS_USERPRIO_STORY_H
#define TESTS_USERPRIO_STORY_H

#include "tests/run/detached.h"
#include "tests/userprio/pool.h"

enum { STORY_JOBS = 80, STORY_SLOTS = 9 };

static const char story_config[] =
	"UID_DOMAIN = pool\nNEGOTIATOR_INTERVAL = 60\nNEGOTIATOR_MIN_INTERVAL = 0\nNEGOTIATOR_CYCLE_DELAY = 0\nPRIORITY_HALFLIFE = 3600\n"
	"PREEMPTION_REQUIREMENTS = RemoteUserPrio > SubmitterUserPrio * 1.1\nPREEMPTION_RANK = RemoteUserPrio\nMAXJOBRETIREMENTTIME = 0\n"
	"GROUP_NAMES = hep, hep.sim, bio\nGROUP_QUOTA_hep = 4\nGROUP_QUOTA_DYNAMIC_bio = 0.3\nGROUP_ACCEPT_SURPLUS = True\n"
	"DB_LIMIT = 2\nCLAIM_WORKLIFE = 300\nUSE_GLOBAL_JOB_PRIOS = False\n";

/* Random events */

static inline void add_job(struct story *story)
{
	if (story->jobs == STORY_JOBS)
		return;
	TELL(story->f, "{'event':'job_add','job_number':%u,'owner':'%s','submission_time':%" PRId64 "%s%s%s%s}", ++story->jobs,
	     ONE_OF(story, "ann", "bob", "cal", "dot"), story->now - below(story, 1000),
	     ONE_OF(story, "", "", ",'accounting_group':'hep'", ",'accounting_group':'hep.sim'", ",'accounting_group':'bio'", ",'nice_user':true"),
	     ONE_OF(story, "", "", ",'tasks':'1-4'", ",'tasks':'2-8:3','task_concurrency':2", ",'hold':{'u':'1'}"),
	     ONE_OF(story, "", "", ",'job_prio':7", ",'job_prio':-3", ",'post_job_prio1':2"),
	     ONE_OF(story, "", "", ",'requirements':'TARGET.SlotID > 3'", ",'rank':'TARGET.SlotID'", ",'concurrency_limits':'db'", ",'kill_sig':'SIGINT'"));
}

static inline void confirm(struct story *story)
{
	uint32_t number;
	const struct task *task = some_task(story, true, &number);

	if (!task)
		return;
	if (below(story, 8) == 0)
		TELL(story->f, "{'event':'order_refused','number':%" PRIu64 ",'job_number':%u,'task':%u,'text':'no'}", task->order, number, task->id);
	else
		TELL(story->f, "{'event':'task_start','job_number':%u,'task':%u,'start_time':%" PRId64 ",'granted':[{'queue':'%s','slots':%u}]}", number, task->id,
		     task->start_time + below(story, 3), strings_text(story->f->sched->strings, task->granted[0].queue), task->granted[0].slots);
}

static inline void end_task(struct story *story)
{
	uint32_t number;
	const struct task *task = some_task(story, false, &number);

	if (task)
		TELL(story->f, "{'event':'%s','job_number':%u,'task':%u}", ONE_OF(story, "task_finish", "vacated", "task_requeue"), number, task->id);
}

/* End a task that was ordered to vacate its slot. */
static inline void vacate(struct story *story)
{
	const struct orders *orders = sched_orders(story->f->sched);

	for (uint64_t number = 1; number <= orders->last; number++) {
		const struct order *order = orders_find(orders, number);

		if (!order || order->kind != ORDER_VACATE || below(story, 2))
			continue;
		if (order->job_number)		/* the task may have ended meanwhile */
			tell(story->f, "{'event':'vacated','job_number':%u,'task':%u,'how':'soft'}", order->job_number, order->task);
		else
			tell(story->f, "{'event':'claim','slot':'%s','submitter':''}", order->vacate.queue);
		return;
	}
}

static inline void change_pool(struct story *story)
{
	static const struct customer_edit edits[] = {
		{ EDIT_FACTOR, 4, 0 }, { EDIT_FACTOR, 16, 90 }, { EDIT_CEILING, 2, 0 }, { EDIT_CEILING, -1, 0 }, { EDIT_FLOOR, 1, 200 }, { EDIT_RESET_USAGE, 0, 0 },
		{ EDIT_PRIORITY, 3, 0 }, { EDIT_DELETE, 0, 0 },
	};
	unsigned k = 1 + below(story, STORY_SLOTS);

	switch (below(story, 5)) {
	case 0:		/* includes a wide job */
		TELL(story->f, "{'event':'slot','slot':'slot%u@m','machine':'m','ad':{'Cpus':%u,'SlotID':%u%s}}", k,
		     k == 1 ? 3 : 1, k, ONE_OF(story, "", "", ",'Memory':5", ",'Rank':{'expr':'TARGET.JobPrio'}"));
		break;
	case 1:
		tell(story->f, "{'event':'claim','slot':'slot%u@m','submitter':'%s','current_rank':%u}", k,
		     ONE_OF(story, "", "zoe@far", "hep.yan@pool"), below(story, 2));
		break;
	case 2:
		sched_edit_customer(story->f->sched, story->now,
				    ONE_OF(story, "ann@pool", "hep.bob@pool", "hep", "new@pool"),
				    &edits[below(story, 8)], &story->f->error);
		break;
	case 3:
		if (story->jobs)
			tell(story->f, "{'event':'job_modify','job_number':%u%s}", 1 + below(story, story->jobs),
			     ONE_OF(story, ",'job_prio':9", ",'hold':{}", ",'requirements':'true'",
				    ",'accounting_group':'bio'"));
		break;
	default:
		tell(story->f, "{'event':'slot_remove','slot':'slot%u@m'}", STORY_SLOTS);
	}
}

static inline void go_on(struct story *story)
{
	static void (*const steps[])(struct story *story) = { add_job, add_job,  add_job, confirm, confirm,	confirm,
							       confirm, end_task, vacate,  vacate,  change_pool };

	for (uint32_t n = below(story, 30); n > 0; n--)
		steps[below(story, sizeof(steps) / sizeof(*steps))](story);
	if (below(story, 3))
		take_orders(story->f);
	story->now += (int64_t)below(story, 150);
}

static inline void make_pool(struct fixture *fixture)
{
	put(fixture, "condor_config", story_config);
	reload(fixture);
	slots_add(fixture, STORY_SLOTS);
}

#endif
