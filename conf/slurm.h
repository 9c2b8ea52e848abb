/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a Slurm site's own files say of priorities, read into memory: `algorithm multifactor` works
 * from it.
 *
 *     DIR/slurm.conf      Priority*, FairShareDampeningFactor, AccountingStorageEnforce,
 *                         AccountingStorageTRES, NodeName and PartitionName lines of slurm.conf(5),
 *                         and Include; all other parameters are skipped
 *     DIR/associations    what `sacctmgr dump` writes: accounts, users, shares, priorities, limits
 *     DIR/sshare          what `sshare -a -m -P` prints: usage of the associations, and the tree
 *                         itself where there is no DIR/associations
 *     DIR/qos             what `sacctmgr -P show qos` prints
 *
 * The parameters that Slurm does not have stand in slurm.conf, too: a cell's slurm.conf sets them
 * and includes the site's file. Account names are in lower case, as the accounting database keeps
 * them. Sources of defaults, ranges and units: slurm.conf(5), sections "PARAMETERS", "NODE
 * CONFIGURATION" and "PARTITION CONFIGURATION", and what Slurm 22.05.8 accepts and refuses.
 * fairlead-multifactor(5).
 */
#ifndef CONF_SLURM_H
#define CONF_SLURM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SLURM_INFINITE UINT32_MAX	/* of numbers and of minutes */
#define SHARES_PARENT 0x7fffffffu	/* fairshare=parent */
#define TRES_MOST 64u			/* kinds of trackable resources */

/* The kinds that Slurm always has, by their places in slurm_conf.tres. */
enum tres_kind {
	TRES_CPU,
	TRES_MEM,
	TRES_ENERGY,
	TRES_NODE,
	TRES_BILLING,
	TRES_FS_DISK,
	TRES_VMEM,
	TRES_PAGES,
	TRES_STANDARD
};

enum priority_version { PRIORITY_CURRENT, PRIORITY_2009 };

enum fairshare_method { FAIRSHARE_FAIR_TREE, FAIRSHARE_CLASSIC, FAIRSHARE_DEPTH_OBLIVIOUS, FAIRSHARE_2009 };

enum fairtree_ties { TIES_IMPLEMENTED, TIES_DOCUMENTED };

enum fairtree_siblings { SIBLINGS_NEWEST_FIRST, SIBLINGS_BY_NAME };	/* 22.05; 23.11 and later */

/*
 * What a job has used since the last pass is charged when it ends; as Slurm does it: only with
 * "limits".
 */
enum charge_ends { CHARGE_ENDS_ALWAYS, CHARGE_ENDS_WITH_LIMITS };

enum usage_reset { RESET_NONE, RESET_NOW, RESET_DAILY, RESET_WEEKLY, RESET_MONTHLY, RESET_QUARTERLY, RESET_YEARLY };

enum priority_flag { /* PriorityFlags; bits */
		     FLAG_ACCRUE_ALWAYS = 1 << 0,
		     FLAG_SMALL_RELATIVE_TO_TIME = 1 << 1,
		     FLAG_CALCULATE_RUNNING = 1 << 2,
		     FLAG_DEPTH_OBLIVIOUS = 1 << 3,
		     FLAG_FAIR_TREE = 1 << 4,
		     FLAG_NO_FAIR_TREE = 1 << 5,
		     FLAG_INCR_ONLY = 1 << 6,
		     FLAG_MAX_TRES = 1 << 7,
		     FLAG_MAX_TRES_GRES = 1 << 8,
		     FLAG_NO_NORMAL_ASSOC = 1 << 9,
		     FLAG_NO_NORMAL_PART = 1 << 10,
		     FLAG_NO_NORMAL_QOS = 1 << 11,
		     FLAG_NO_NORMAL_TRES = 1 << 12,
};

struct slurm_partition {
	char *name;
	uint32_t job_factor, tier;	/* PriorityJobFactor, PriorityTier: 0..65533 */
	uint32_t max_time;		/* minutes; SLURM_INFINITE */
	uint32_t nodes;			/* of its own */
	bool has_billing;		/* TRESBillingWeights is set */
	double *billing;		/* by TRES; 0 where none is given */
	/* of its nodes, by TRES: cpus, MiB, nodes, generic resources; licences of the cluster */
	double *total;
	char *qos;			/* "" = none */
};

struct slurm_name {			/* sorted by name; borrowed */
	const char *name;
	uint32_t index;
};

struct slurm_user {
	char *name;
	char *default_account;		/* lower case */
};

struct slurm_qos {
	char *name;
	uint32_t priority;		/* 0..2^32-2 */
	double usage_factor;		/* 1; negative ones are ignored where they are used */
	bool no_decay;
};

/* in pre-order: an account stands before what is below it; item 0 is account root */
struct slurm_association {
	uint32_t parent;		/* index; UINT32_MAX: the root */
	char *account;			/* lower case */
	char *user;			/* "": the account itself */
	char *partition;		/* "": any */
	uint32_t shares;		/* 0..2^31-1, SHARES_PARENT */
	uint32_t priority;		/* 0..2^32-2; inherited already from what is above */
	double usage;			/* raw, of users; from DIR/sshare, else 0 */
	char *said_qos, *said_list;	/* DefaultQOS, and QOS without + and -; NULL: not said */
	/* the same, inherited; NULL: not said above either */
	const char *default_qos, *qos_list;
	/* GrpTRESMins as sshare prints it, by the order of slurm_conf.tres; NULL: none */
	char *group_minutes;
};

struct slurm_conf {
	bool present;			/* there is a DIR/slurm.conf */
	enum priority_version version;	/* PriorityVersion */
	enum fairshare_method method;	/* what the version and the flags come to */
	enum fairtree_ties ties;	/* FairTreeTies */
	enum fairtree_siblings siblings;	/* FairTreeSiblings */
	enum charge_ends charge_ends;	/* ChargeJobEnd */
	/* seconds, whole minutes; half_life 0: no decay */
	uint32_t half_life, calc_period, max_age;
	enum usage_reset reset;
	bool favor_small;
	uint32_t weight_age, weight_assoc, weight_fairshare, weight_job_size, weight_partition, weight_qos;
	uint32_t damping;		/* FairShareDampeningFactor, 0..65535 */
	unsigned flags;			/* enum priority_flag bits; NO_NORMAL_ALL is all four */
	bool enforce_limits;		/* AccountingStorageEnforce has limits or safe */
	/* AccountingStorageType says that there is none: age and fair-share count 0 */
	bool no_storage;
	/*
	 * names, lower case: the standard ones, then those of AccountingStorageTRES and of the
	 * weights
	 */
	char **tres;
	size_t ntres;
	/* by TRES, for one of its unit (mem: MiB); 0: none; may be negative */
	double *weight_tres;
	char *weight_tres_typed;	/* PriorityWeightTRES as written, "" = none */
	uint32_t nodes;			/* node records of the cluster */
	uint64_t cpus;			/* of the cluster */
	struct slurm_partition *partitions;	size_t npartitions;	/* in file order */
	struct slurm_qos *qos;			size_t nqos;		/* in file order */
	/* siblings in file order, oldest first */
	struct slurm_association *associations;	size_t nassociations;
	uint32_t default_partition;	/* index; UINT32_MAX */
	/* those whose default account is known; sorted by name */
	struct slurm_user *users;		size_t nusers;
	struct slurm_name *partition_names, *qos_names;	/* of all of them */
	bool qos_by_association;	/* some association has another default QOS than normal */
	/* all, sorted by account, user, partition; NULL: there are none */
	uint32_t *association_index;
};

struct cell;

/*
 * NULL or UINT32_MAX when there is none. Names of accounts in any case. A name that is NULL is "".
 */
const struct slurm_partition *slurm_partition(const struct slurm_conf *conf, const char *name);
const struct slurm_qos *slurm_qos(const struct slurm_conf *conf, const char *name);
uint32_t slurm_tres(const struct slurm_conf *conf, const char *name);
/*
 * The user's association with the account in the partition, else the one without a partition.
 * `user` "": the account.
 */
uint32_t slurm_association(const struct slurm_conf *conf, const char *account, const char *user, const char *partition);
/* What a job's account is when it says none; lower case. */
const char *slurm_default_account(const struct slurm_conf *conf, const char *user);
/*
 * What a job's QOS is when it says none, by its association (UINT32_MAX: none): DefaultQOS of that
 * or of what is above it, if it may use that, else the only one that it may use, else normal; ""
 * where that is not there either.
 */
const char *slurm_default_qos(const struct slurm_conf *conf, uint32_t association);
/* May those who have the association use the QOS that is its default? Yes, if it has none. */
bool slurm_default_qos_allowed(const struct slurm_association *association);

/*
 * "cpu=2,mem=4000M,node=1,gres/gpu=3" as scontrol prints it, into `counts` by TRES (zeroed first);
 * mem in MiB, K M G T P are powers of 1024. "(null)" is none. Kinds that the cell does not know are
 * skipped. 0 or -EINVAL (no list, a count that is negative or not finite).
 */
int slurm_tres_parse(const struct slurm_conf *conf, const char *text, double *counts);

#endif
