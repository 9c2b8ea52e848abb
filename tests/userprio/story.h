/* SPDX-License-Identifier: Apache-2.0 */
/* A pool that has something of everything, and what may happen in it between two runs. */
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

static inline void add_job(struct story *s)
{
	if (s->jobs == STORY_JOBS)
		return;
	TELL(s->f, "{'event':'job_add','job_number':%u,'owner':'%s','submission_time':%" PRId64 "%s%s%s%s}", ++s->jobs,
	     ONE_OF(s, "ann", "bob", "cal", "dot"), s->now - below(s, 1000),
	     ONE_OF(s, "", "", ",'accounting_group':'hep'", ",'accounting_group':'hep.sim'", ",'accounting_group':'bio'", ",'nice_user':true"),
	     ONE_OF(s, "", "", ",'tasks':'1-4'", ",'tasks':'2-8:3','task_concurrency':2", ",'hold':{'u':'1'}"),
	     ONE_OF(s, "", "", ",'job_prio':7", ",'job_prio':-3", ",'post_job_prio1':2"),
	     ONE_OF(s, "", "", ",'requirements':'TARGET.SlotID > 3'", ",'rank':'TARGET.SlotID'", ",'concurrency_limits':'db'", ",'kill_sig':'SIGINT'"));
}

static inline void confirm(struct story *s)
{
	uint32_t number;
	const struct task *t = some_task(s, true, &number);

	if (!t)
		return;
	if (below(s, 8) == 0)
		TELL(s->f, "{'event':'order_refused','number':%" PRIu64 ",'job_number':%u,'task':%u,'text':'no'}", t->order, number, t->id);
	else
		TELL(s->f, "{'event':'task_start','job_number':%u,'task':%u,'start_time':%" PRId64 ",'granted':[{'queue':'%s','slots':%u}]}", number, t->id,
		     t->start_time + below(s, 3), strings_text(s->f->sched->strings, t->granted[0].queue), t->granted[0].slots);
}

static inline void end_task(struct story *s)
{
	uint32_t number;
	const struct task *t = some_task(s, false, &number);

	if (t)
		TELL(s->f, "{'event':'%s','job_number':%u,'task':%u}", ONE_OF(s, "task_finish", "vacated", "task_requeue"), number, t->id);
}

/* Somebody who was ordered to goes. */
static inline void vacate(struct story *s)
{
	const struct orders *o = sched_orders(s->f->sched);

	for (uint64_t number = 1; number <= o->last; number++) {
		const struct order *order = orders_find(o, number);

		if (!order || order->kind != ORDER_VACATE || below(s, 2))
			continue;
		if (order->job_number)		/* it may have ended meanwhile */
			tell(s->f, "{'event':'vacated','job_number':%u,'task':%u,'how':'soft'}", order->job_number, order->task);
		else
			tell(s->f, "{'event':'claim','slot':'%s','submitter':''}", order->vacate.queue);
		return;
	}
}

static inline void change_pool(struct story *s)
{
	static const struct customer_edit edits[] = {
		{ EDIT_FACTOR, 4, 0 }, { EDIT_FACTOR, 16, 90 }, { EDIT_CEILING, 2, 0 }, { EDIT_CEILING, -1, 0 }, { EDIT_FLOOR, 1, 200 }, { EDIT_RESET_USAGE, 0, 0 },
		{ EDIT_PRIORITY, 3, 0 }, { EDIT_DELETE, 0, 0 },
	};
	unsigned k = 1 + below(s, STORY_SLOTS);

	switch (below(s, 5)) {
	case 0:		/* one of them is wide */
		TELL(s->f, "{'event':'slot','slot':'slot%u@m','machine':'m','ad':{'Cpus':%u,'SlotID':%u%s}}", k, k == 1 ? 3 : 1, k,
		     ONE_OF(s, "", "", ",'Memory':5", ",'Rank':{'expr':'TARGET.JobPrio'}"));
		break;
	case 1:
		tell(s->f, "{'event':'claim','slot':'slot%u@m','submitter':'%s','current_rank':%u}", k, ONE_OF(s, "", "zoe@far", "hep.yan@pool"), below(s, 2));
		break;
	case 2:
		sched_edit_customer(s->f->sched, s->now, ONE_OF(s, "ann@pool", "hep.bob@pool", "hep", "new@pool"), &edits[below(s, 8)], &s->f->error);
		break;
	case 3:
		if (s->jobs)
			tell(s->f, "{'event':'job_modify','job_number':%u%s}", 1 + below(s, s->jobs),
			     ONE_OF(s, ",'job_prio':9", ",'hold':{}", ",'requirements':'true'", ",'accounting_group':'bio'"));
		break;
	default:
		tell(s->f, "{'event':'slot_remove','slot':'slot%u@m'}", STORY_SLOTS);
	}
}

static inline void go_on(struct story *s)
{
	static void (*const steps[])(struct story *s) = { add_job, add_job, add_job, confirm, confirm, confirm, confirm, end_task, vacate, vacate, change_pool };

	for (uint32_t n = below(s, 30); n > 0; n--)
		steps[below(s, sizeof(steps) / sizeof(*steps))](s);
	if (below(s, 3))
		take_orders(s->f);
	s->now += (int64_t)below(s, 150);
}

static inline void make_pool(struct fixture *f)
{
	put(f, "condor_config", story_config);
	reload(f);
	slots_add(f, STORY_SLOTS);
}

#endif
