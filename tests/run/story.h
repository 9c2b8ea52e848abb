/* SPDX-License-Identifier: Apache-2.0 */
/* A cell that uses all features, and random events between two runs. */
#ifndef TESTS_RUN_STORY_H
#define TESTS_RUN_STORY_H

#include "tests/run/detached.h"

enum { STORY_JOBS = 60 };

/* Random events */

static inline void add_job(struct story *story)
{
	uint32_t number = ++story->jobs;
	char hold_jid[50] = "";

	if (number > 3 && below(story, 5) == 0)
		snprintf(hold_jid, sizeof(hold_jid), ",'%s':[%u,%u]", ONE_OF(story, "hold_jid", "hold_jid_ad"),
			 1 + below(story, number - 1), 1 + below(story, number - 1));
	TELL(story->f,
	     "{'event':'job_add','job_number':%u,'owner':'%s','submission_time':%" PRId64
	     ",'job_name':'%s'%s%s%s%s%s%s%s%s%s%s%s}",
	     number, ONE_OF(story, "ann", "bob", "cal", "dot", "eve"), story->now - below(story, 1000),
	     ONE_OF(story, "", "x", "sleeper"), hold_jid,
	     ONE_OF(story, "", "", ",'project':'red'", ",'project':'blue'"),
	     ONE_OF(story, "", ",'priority':7", ",'priority':-100"),
	     ONE_OF(story, "", ",'pe':'mpi','pe_range':'2-4'", ",'pe':'mpi','pe_range':'1-8'", "", ""),
	     ONE_OF(story, "", ",'hard_resource_list':'lic=1'", ",'hard_resource_list':'mem=1G,h_rt=600'",
		    ",'hard_resource_list':'h_rt=100,mem=0.3G,lic=1'"),
	     ONE_OF(story, "", "", ",'tasks':'1-5'", ",'tasks':'3-9:2,20','task_concurrency':2"),
	     ONE_OF(story, "", "", "", ",'hold':{'u':'1','s':'3-5'}"),
	     ONE_OF(story, "", ",'now':true", ",'reserve':true", ",'deadline':1700009000", ",'jobshare':3",
		    ",'override_tickets':50", ",'error':'disk'"),
	     ONE_OF(story, "", "", ",'soft_resource_list':'arch=x'", ",'hard_queue_list':'all.q@ada,fast.q'",
		    ",'master_queue_list':'all.q'"),
	     ONE_OF(story, "", "", ",'nice_user':true", ",'accounting_group':'hep','uid_domain':'lab'",
		    ",'accounting_group_user':'zoe'",
		    ",'job_prio':-2000000000,'post_job_prio2':5,'cluster':7,'proc':0"),
	     ONE_OF(story, "", "", ",'requirements':'TARGET.Memory > 5','rank':'-Memory','kill_sig':'SIGUSR1'",
		    ",'concurrency_limits':'sw.a:2, db','max_job_retirement_time':60",
		    ",'ad':{'Note':'a \\\"b\\\"','Half':0.5,'Two':2.0,'X':{'expr':'a && b'}}",
		    ",'ad':{'RequestCpus':2}"));
}

/* Confirm a start as it was ordered. */
static inline void confirm(struct story *story)
{
	char granted[400] = "", pe[80] = "";
	uint32_t number;
	const struct task *task = some_task(story, true, &number);
	size_t n = 0;

	if (!task)
		return;
	if (below(story, 8) == 0) {
		TELL(story->f, "{'event':'order_refused','number':%" PRIu64 ",'job_number':%u,'task':%u,'text':'no'}",
		     task->order, number, task->id);
		return;
	}
	for (size_t k = 0; k < task->ngranted; k++)
		n += (size_t)snprintf(granted + n, sizeof(granted) - n, "%s{'queue':'%s','slots':%u}", k ? "," : "",
				      strings_text(story->f->sched->strings, task->granted[k].queue),
				      task->granted[k].slots);
	if (task->granted_pe != NONE)
		snprintf(pe, sizeof(pe), ",'granted_pe':'%s'",
			 strings_text(story->f->sched->strings, task->granted_pe));
	TELL(story->f, "{'event':'task_start','job_number':%u,'task':%u,'start_time':%" PRId64 ",'granted':[%s]%s}",
	     number, task->id, task->start_time + below(story, 3), granted, pe);
}

static inline void change_task(struct story *story)
{
	uint32_t number;
	const struct task *task = some_task(story, false, &number);
	uint32_t id = task ? task->id : 0;

	if (!task)
		return;
	switch (below(story, 6)) {
	case 0:
		TELL(story->f, "{'event':'task_finish','job_number':%u,'task':%u}", number, id);
		break;
	case 1:
		TELL(story->f, "{'event':'task_requeue','job_number':%u,'task':%u}", number, id);
		break;
	case 2:
		TELL(story->f, "{'event':'task_state','job_number':%u,'task':%u,'state':'%s'}", number, id,
		     ONE_OF(story, "s", "sT", "T", "r", "S"));
		break;
	default:
		TELL(story->f,
		     "{'event':'usage','job_number':%u,'task':%u,'scaled_usage':{'cpu':%u.%u,'io':0.1,'mem':%u,'ru_wallclock':%u,'maxvmem':5}}",
		     number, id, below(story, 5000), below(story, 1000), below(story, 300), below(story, 4000));
	}
}

/* Enrol some of the pending tasks, the first of them perhaps in error. */
static inline void enrol(struct story *story)
{
	const struct jobs *jobs = &sched_mirror(story->f->sched)->state->jobs;
	uint32_t number = story->jobs ? 1 + below(story, story->jobs) : 0, row = jobs_find(jobs, number), ids[3];
	const struct job_extra *extra = row == INDEX_NONE ? NULL : jobs_find_extra(jobs, row);
	char tasks[60] = "", error[40] = "";
	size_t n = 0, used = 0;

	if (!extra || !extra->is_array)
		return;
	n = ranges_first(&extra->waiting, NULL, 0, ids, below(story, 4));
	for (size_t i = 0; i < n; i++)
		used += (size_t)snprintf(tasks + used, sizeof(tasks) - used, "%s%u", i ? "," : "", ids[n - 1 - i]);
	if (n > 0 && below(story, 2))
		snprintf(error, sizeof(error), ",'error':'%u','error_reason':'full'", ids[0]);
	TELL(story->f, "{'event':'tasks_enrolled','job_number':%u,'tasks':'%s'%s}", number, tasks, error);
}

static inline void change_job(struct story *story)
{
	uint32_t number = story->jobs ? 1 + below(story, story->jobs) : 0;

	if (number == 0 || jobs_find(&sched_mirror(story->f->sched)->state->jobs, number) == INDEX_NONE)
		return;
	if (below(story, 6) == 0)
		TELL(story->f, "{'event':'job_delete','job_number':%u}", number);
	else
		TELL(story->f, "{'event':'job_modify','job_number':%u%s}", number,
		     ONE_OF(story, ",'priority':3", ",'hold':{}", ",'hold':{'u':'1-9'}", ",'jobshare':9",
			    ",'hard_resource_list':'mem=2G,lic=1'", ",'error':false", ",'job_prio':7",
			    ",'rank':'','ad':{}", ",'requirements':'true','accounting_group_user':'zoe'",
			    ",'nice_user':false"));
}

static inline void change_slot(struct story *story)
{
	const char *name = ONE_OF(story, "slot1@ada", "slot2@ada", "slot1_1@far@bly", "slot1@cob");

	if (below(story, 3) == 0)
		TELL(story->f,
		     "{'event':'slot','slot':'%s','machine':'ada','ad':{'Memory':%u,'Rank':{'expr':'TARGET.JobPrio'}}}",
		     name, below(story, 3));
	if (below(story, 9) == 0)
		tell(story->f, "{'event':'slot_remove','slot':'%s'}", name);
	/* The slot may not exist. */
	tell(story->f, "{'event':'claim','slot':'%s','submitter':'%s','since':%u,'current_rank':-0.125%s}", name,
	     ONE_OF(story, "", "ann@lab", "hep.bob@lab"), below(story, 2),
	     ONE_OF(story, "", ",'weight':0", ",'suspended':true,'concurrency_limits':'db'",
		    ",'preempting':'cal@lab','preempting_rank':3"));
}

static inline void change_cluster(struct story *story)
{
	switch (below(story, 8)) {
	case 5:
	case 6:
		change_slot(story);
		break;
	case 4:
		TELL(story->f, "{'event':'reschedule_unknown','host':'%s','tasks':[[%u,1],[%u,%u]]}",
		     ONE_OF(story, "ada", "bly", "nowhere"), 1 + below(story, 20), 1 + below(story, 20),
		     1 + below(story, 5));
		break;
	case 0:
		TELL(story->f, "{'event':'queue_instance','queue':'%s','slots':%u,'state':'%s'}",
		     ONE_OF(story, "all.q@ada", "all.q@bly", "fast.q@ada", "fast.q@cob"), 1 + below(story, 6),
		     ONE_OF(story, "", "", "d", "D"));
		break;
	case 1:
		TELL(story->f, "{'event':'host_state','host':'%s','available':%s}", ONE_OF(story, "ada", "bly", "cob"),
		     ONE_OF(story, "true", "true", "false"));
		break;
	case 2:
		TELL(story->f,
		     "{'event':'%s_usage','%s':'%s','time_stamp':%" PRId64
		     ",'usage':{'cpu':%u,'mem':3},'long_term_usage':{'cpu':7}}",
		     "user", "user", ONE_OF(story, "ann", "bob", "zoe"), story->now - below(story, 5000),
		     below(story, 90000));
		break;
	default:
		TELL(story->f,
		     "{'event':'host_load','host':'%s','load_values':{'np_load_avg':%u.%u,'num_proc':4,'load_avg':1}}",
		     ONE_OF(story, "ada", "bly", "cob", "global"), below(story, 3), below(story, 100));
	}
}

static inline void go_on(struct story *story)
{
	static void (*const steps[])(struct story *story) = { add_job,	   add_job,	   confirm,	confirm,
							       confirm,	   confirm,	   change_task, change_task,
							       change_job, change_cluster, enrol };

	for (uint32_t n = below(story, 24); n > 0; n--)
		if (story->jobs < STORY_JOBS || below(story, 2))
			steps[below(story, sizeof(steps) / sizeof(*steps))](story);
	if (below(story, 3))
		take_orders(story->f);
	story->now += (int64_t)below(story, 400);
}

static inline void make_cell(struct fixture *fixture)
{
	set_sched_conf(fixture, "params", "pe_range_alg=auto");
	set_sched_conf(fixture, "reprioritize_interval", "0:2:0");
	set_sched_conf(fixture, "max_reservation", "3");
	set_sched_conf(fixture, "default_duration", "0:20:0");
	set_sched_conf(fixture, "job_load_adjustments", "np_load_avg=0.50");
	set_sched_conf(fixture, "load_adjustment_decay_time", "0:7:30");
	set_sched_conf(fixture, "weight_tickets_functional", "5000");
	set_sched_conf(fixture, "halftime", "1");
	put(fixture, "global_conf", "enforce_user auto\nauto_user_fshare 10\nmax_aj_instances 0\nmax_aj_tasks 75000\n");
	put_user(fixture, "ann");
	put_project(fixture, "red");
	put_project(fixture, "blue");
	put_tree(fixture);
	put_queue(fixture, "fast.q", "ada cob", "2",
		  "suspend_thresholds np_load_avg=1.2\nnsuspend 1\nsuspend_interval 0:1:0\n");
	put_host(fixture, "cob", "mem=4G", "np_load_avg=0.4,num_proc=2");
	reload(fixture);
	report_instance(fixture, "fast.q@cob", 2);
	report_instance(fixture, "fast.q@ada", 2);
}

#endif
