/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/slurm_cell.h"

#include <errno.h>
#include <inttypes.h>

#include "bench/cell.h"

#define OLDEST_S 100000			/* age of the first job */

static const char *const partitions[] = { "batch", "debug", "long", "half" };
static const char *const qos[] = { "normal", "high", "low" };

size_t slurm_associations(const struct slurm_shape *shape)
{
	return 2 + SLURM_ACCOUNTS + SLURM_SUBACCOUNTS + shape->users;
}

/* The cell */

static int write_sched_conf(const char *directory)
{
	return write_file(
		directory, "sched_conf",
		"algorithm multifactor\nschedule_interval 0:0:15\nmaxujobs 0\nqueue_sort_method load\n"
		"job_load_adjustments NONE\n"
		"load_adjustment_decay_time 0:0:0\nload_formula np_load_avg\nschedd_job_info false\n"
		"flush_submit_sec 0\n"
		"flush_finish_sec 0\nparams none\nreprioritize_interval 0:0:0\nmax_reservation 0\n"
		"default_duration INFINITY\n"
		"halftime 168\nusage_weight_list cpu=1,mem=0,io=0\n"
		"compensation_factor 5\nweight_user 0.25\nweight_project 0.25\nweight_department 0.25\n"
		"weight_job 0.25\n"
		"weight_tickets_functional 0\nweight_tickets_share 0\nshare_override_tickets TRUE\n"
		"share_functional_shares TRUE\nmax_functional_jobs_to_schedule 200\nreport_pjob_tickets TRUE\n"
		"max_pending_tasks_per_job 50\nhalflife_decay_list none\npolicy_hierarchy OFS\nweight_ticket 0.5\n"
		"weight_waiting_time 0.01\nweight_deadline 3600000\nweight_urgency 0.3\nweight_priority 0.2\n");
}

static int write_slurm_conf(const char *directory)
{
	return write_file(
		directory, "slurm.conf",
		"ClusterName=bench\nAccountingStorageType=accounting_storage/slurmdbd\n"
		"AccountingStorageEnforce=associations,qos\n"
		"PriorityType=priority/multifactor\nPriorityDecayHalfLife=7-0\nPriorityCalcPeriod=1\n"
		"PriorityMaxAge=7-0\n"
		"PriorityWeightAge=1000\nPriorityWeightAssoc=500\nPriorityWeightFairshare=10000\n"
		"PriorityWeightJobSize=1000\n"
		"PriorityWeightPartition=1000\nPriorityWeightQOS=2000\nPriorityWeightTRES=CPU=1000,Mem=2000\n"
		"NodeName=n[1-64] NodeAddr=127.0.0.1 CPUs=16 RealMemory=64000 State=DOWN\n"
		"PartitionName=batch Nodes=ALL Default=YES MaxTime=7-0 State=UP PriorityJobFactor=10\n"
		"PartitionName=debug Nodes=ALL MaxTime=7-0 State=UP PriorityJobFactor=40\n"
		"PartitionName=long Nodes=ALL MaxTime=30-0 State=UP PriorityJobFactor=0\n"
		"PartitionName=half Nodes=n[1-32] MaxTime=7-0 State=UP PriorityJobFactor=25\n");
}

/* Write the associations in the format of `sacctmgr dump`, so that `sacctmgr load` accepts them. */
static int write_associations(const char *directory, const struct slurm_shape *shape)
{
	char path[512];
	FILE *out;

	snprintf(path, sizeof(path), "%s/associations", directory);
	out = fopen(path, "w");
	if (!out)
		return -errno;
	fprintf(out, "Cluster - 'bench':Fairshare=1:QOS='high,low,normal'\nParent - 'root'\n");
	fprintf(out, "User - 'root':DefaultAccount='root':AdminLevel='Administrator':Fairshare=1\n");
	for (size_t a = 0; a < SLURM_ACCOUNTS; a++)
		fprintf(out, "Account - 'a%zu':Description='a%zu':Organization='bench':Fairshare=%zu\n", a, a, 10 + a);
	for (size_t a = 0; a < SLURM_ACCOUNTS; a++) {
		fprintf(out, "Parent - 'a%zu'\n", a);
		for (size_t s = a; s < SLURM_SUBACCOUNTS; s += SLURM_ACCOUNTS)
			fprintf(out, "Account - 's%zu':Description='s%zu':Organization='bench':Fairshare=%zu\n", s, s,
				1 + s % 13);
	}
	for (size_t s = 0; s < SLURM_SUBACCOUNTS && s < shape->users; s++) {
		fprintf(out, "Parent - 's%zu'\n", s);
		for (size_t u = s; u < shape->users; u += SLURM_SUBACCOUNTS)
			fprintf(out, "User - 'u%zu':DefaultAccount='s%zu':Fairshare=%zu:Priority=%zu\n", u, s,
				1 + u % 7, u % 11);
	}
	return fclose(out) == 0 ? 0 : -EIO;
}

int slurm_cell_write(const char *directory, const struct slurm_shape *shape)
{
	int code = write_sched_conf(directory);

	if (code == 0)
		code = write_slurm_conf(directory);
	if (code == 0)
		code = write_associations(directory, shape);
	if (code == 0)
		code = write_file(directory, "qos",
				  "Name|Priority|UsageFactor\nnormal|0|1.000000\nhigh|100|1.000000\nlow|20|1.000000\n");
	return code;
}

/* Jobs */

void slurm_jobs_begin(struct slurm_jobs *jobs, const struct slurm_shape *shape)
{
	*jobs = (struct slurm_jobs){ .shape = shape, .random = shape->seed };
}

void slurm_jobs_next(struct slurm_jobs *jobs, struct job_spec *spec)
{
	size_t user = next_random(&jobs->random) % jobs->shape->users;
	/* 4 partitions, 3 QOS, 5 numbers of nodes, 5 of cpus, 2 time limits */
	uint32_t kind = next_random(&jobs->random) % 600;
	uint32_t nodes = 1 + kind / 12 % 5, cpus = nodes << kind / 60 % 5;
	int64_t submission =
		SLURM_NOW - OLDEST_S + (int64_t)((double)OLDEST_S * (double)jobs->n / (double)jobs->shape->jobs);

	snprintf(jobs->owner, sizeof(jobs->owner), "u%zu", user);
	snprintf(jobs->account, sizeof(jobs->account), "s%zu", user % SLURM_SUBACCOUNTS);
	snprintf(jobs->name, sizeof(jobs->name), "job%u", kind);
	snprintf(jobs->tres, sizeof(jobs->tres), "cpu=%u,mem=%uM,node=%u,billing=%u", cpus, 1000 * cpus, nodes, cpus);
	*spec = (struct job_spec){
		.given = JOB_OWNER | JOB_NAME | JOB_SUBMISSION_TIME | JOB_ACCOUNT,
		.job_number = (uint32_t)++jobs->n,
		.owner = jobs->owner,
		.name = jobs->name,
		.account = jobs->account,
		.submission_time = submission,
		.slurm = { .given = SLURM_PARTITION | SLURM_QOS | SLURM_TRES | SLURM_NODES | SLURM_CPUS |
				    SLURM_TIME_LIMIT,
			   .partition = partitions[kind % 4],
			   .qos = qos[kind / 4 % 3],
			   .tres = jobs->tres,
			   .nodes = nodes,
			   .cpus = cpus,
			   .time_limit = kind / 300 ? 1440 : 60 },
	};
}

static double usage_of(size_t user)
{
	return user % 5 ? 1000.0 * (double)(1 + user % 997) : 0.0;
}

int slurm_jobs_add(struct mirror *mirror, const struct slurm_shape *shape)
{
	struct slurm_jobs jobs;
	struct error error;
	int code = 0;

	for (size_t u = 0; code == 0 && u < shape->users; u++) {
		char user[24], account[24];

		snprintf(user, sizeof(user), "u%zu", u);
		snprintf(account, sizeof(account), "s%zu", u % SLURM_SUBACCOUNTS);
		code = mirror_association_usage(mirror, account, user, NULL, usage_of(u), SLURM_NOW, &error);
	}
	slurm_jobs_begin(&jobs, shape);
	while (code == 0 && jobs.n < shape->jobs) {
		struct job_spec spec;

		slurm_jobs_next(&jobs, &spec);
		code = mirror_job_add(mirror, &spec, &error);
	}
	if (code != 0)
		fprintf(stderr, "bench: %s\n", error.text);
	return code;
}

static void write_job(FILE *out, uint64_t seq, const struct job_spec *job)
{
	const struct slurm_spec *spec = &job->slurm;

	fprintf(out,
		"{\"seq\":%" PRIu64
		",\"event\":\"job_add\",\"job_number\":%u,\"owner\":\"%s\",\"job_name\":\"%s\","
		"\"submission_time\":%" PRId64,
		seq, job->job_number, job->owner, job->name, job->submission_time);
	fprintf(out,
		",\"account\":\"%s\",\"partition\":\"%s\",\"qos\":\"%s\",\"tres\":\"%s\",\"nodes\":%u,\"cpus\":%u,"
		"\"time_limit\":%u}\n",
		job->account, spec->partition, spec->qos, spec->tres, spec->nodes, spec->cpus, spec->time_limit);
}

int slurm_jobs_write(FILE *out, const struct slurm_shape *shape)
{
	struct slurm_jobs jobs;
	uint64_t seq = 1;

	fprintf(out, "{\"seq\":%" PRIu64 ",\"event\":\"snapshot_begin\"}\n", seq++);
	for (size_t u = 0; u < shape->users; u++)
		fprintf(out,
			"{\"seq\":%" PRIu64
			",\"event\":\"association_usage\",\"account\":\"s%zu\",\"user\":\"u%zu\",\"usage_raw\":%.1f,"
			"\"time_stamp\":%d}\n",
			seq++, u % SLURM_SUBACCOUNTS, u, usage_of(u), SLURM_NOW);
	slurm_jobs_begin(&jobs, shape);
	while (jobs.n < shape->jobs) {
		struct job_spec spec;

		slurm_jobs_next(&jobs, &spec);
		write_job(out, seq++, &spec);
	}
	fprintf(out, "{\"seq\":%" PRIu64 ",\"event\":\"snapshot_end\"}\n", seq);
	return fflush(out) == 0 ? 0 : -EIO;
}
