/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Submit batch jobs to a real Slurm through its library. Each line of standard input is a job: "uid
 * gid account partition qos nodes cpus mib_per_node minutes name". Only root can submit for other
 * users. bench/slurm.py compiles this file if libslurm-dev is installed.
 */
#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>
#include <stdio.h>
#include <stdlib.h>

struct line {
	unsigned uid, gid, nodes, cpus, mib, minutes;
	char account[32], partition[32], qos[32], name[32];
};

static int submit(struct line *line)
{
	static char script[] = "#!/bin/sh\nexec sleep 999999\n", directory[] = "/var/tmp",
		    path[] = "PATH=/usr/bin:/bin", null[] = "/dev/null";
	char *environment[] = { path, NULL };
	submit_response_msg_t *answer = NULL;
	job_desc_msg_t job;
	int code;

	slurm_init_job_desc_msg(&job);
	job.user_id = line->uid;
	job.group_id = line->gid;
	job.account = line->account;
	job.partition = line->partition;
	job.qos = line->qos;
	job.name = line->name;
	job.min_nodes = job.max_nodes = line->nodes;
	job.num_tasks = line->cpus;
	job.min_cpus = line->cpus;
	job.pn_min_memory = line->mib;
	job.time_limit = line->minutes;
	job.script = script;
	job.work_dir = directory;
	job.environment = environment;
	job.env_size = 1;
	job.std_out = null;
	job.std_err = null;
	code = slurm_submit_batch_job(&job, &answer);
	if (code != SLURM_SUCCESS)
		fprintf(stderr, "%s: %s\n", line->name, slurm_strerror(slurm_get_errno()));
	else
		slurm_free_submit_response_response_msg(answer);
	return code;
}

int main(void)
{
	struct line line;

	slurm_init(NULL);
	while (scanf("%u %u %31s %31s %31s %u %u %u %u %31s", &line.uid, &line.gid, line.account, line.partition,
		     line.qos, &line.nodes, &line.cpus, &line.mib, &line.minutes, line.name) == 10)
		if (submit(&line) != SLURM_SUCCESS)
			return 1;
	return feof(stdin) ? 0 : 1;
}
