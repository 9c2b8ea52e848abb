/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Priorities from a Slurm site's own files, read into memory for `algorithm multifactor`.
 *
 *   DIR/slurm.conf      Priority*, FairShareDampeningFactor, AccountingStorageEnforce,
 *                       AccountingStorageTRES, NodeName and PartitionName lines of slurm.conf(5),
 *                       and Include; all other parameters are skipped
 *   DIR/associations    output of `sacctmgr dump`: accounts, users, shares, priorities, limits
 *   DIR/sshare          output of `sshare -a -m -P`: usage of the associations, and the tree
 *                       itself if there is no DIR/associations
 *   DIR/qos             output of `sacctmgr -P show qos`
 *
 * slurm.conf also has parameters that Slurm does not have: a cell's slurm.conf sets them and
 * includes the site's file. Account names are in lower case, as in the accounting database. Sources
 * of defaults, ranges and units: slurm.conf(5), sections "PARAMETERS", "NODE CONFIGURATION" and
 * "PARTITION CONFIGURATION", and the values that Slurm 22.05.8 accepts and refuses. See
 * fairlead-multifactor(5).
 */
#ifndef CONF_SLURM_H
#define CONF_SLURM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SLURM_INFINITE UINT32_MAX	/* for numbers and minutes */
#define SHARES_PARENT 0x7fffffffu	/* fairshare=parent */
#define TRES_MOST 64u			/* kinds of trackable resources */

/* Kinds that Slurm always has. The values are indices into slurm_conf.tres. */
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
 * Usage of a job since the last pass is charged when the job ends: always, or only with "limits" as
 * in Slurm.
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
	uint32_t max_time;		/* minutes, or SLURM_INFINITE */
	uint32_t nodes;			/* number of its nodes */
	bool has_billing;		/* TRESBillingWeights is set */
	double *billing;		/* weights by TRES; 0 if not set */
	/*
	 * total of its nodes by TRES: cpus, MiB, nodes, generic resources; licenses of the cluster
	 */
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
	/* default 1; negative values are ignored where they are used */
	double usage_factor;
	bool no_decay;
};

/*
 * Associations are in pre-order: an account comes before the associations below it. Item 0 is
 * account root.
 */
struct slurm_association {
	uint32_t parent;		/* index; UINT32_MAX: the root */
	char *account;			/* lower case */
	char *user;			/* "": the account itself */
	char *partition;		/* "": any */
	uint32_t shares;		/* 0..2^31-1, or SHARES_PARENT */
	/* 0..2^32-2; includes the inheritance from associations above */
	uint32_t priority;
	double usage;			/* raw usage of users, from DIR/sshare, else 0 */
	char *said_qos, *said_list;	/* DefaultQOS, and QOS without + and -; NULL: not set */
	/* default_qos and qos_list with inheritance; NULL: not set above either */
	const char *default_qos, *qos_list;
	/* GrpTRESMins as printed by sshare, in the order of slurm_conf.tres; NULL: none */
	char *group_minutes;
};

struct slurm_conf {
	bool present;			/* DIR/slurm.conf exists */
	enum priority_version version;	/* PriorityVersion */
	enum fairshare_method method;	/* method that follows from the version and the flags */
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
	/* AccountingStorageType says that there is no storage: age and fair-share count 0 */
	bool no_storage;
	/*
	 * names in lower case: the standard TRES, then the TRES of AccountingStorageTRES and of the
	 * weights
	 */
	char **tres;
	size_t ntres;
	/* weight of each TRES, for one of its unit (mem: MiB); 0: none; may be negative */
	double *weight_tres;
	char *weight_tres_typed;	/* PriorityWeightTRES as written, "" = none */
	uint32_t nodes;			/* node records of the cluster */
	uint64_t cpus;			/* CPUs of the cluster */
	struct slurm_partition *partitions;	size_t npartitions;	/* in file order */
	struct slurm_qos *qos;			size_t nqos;		/* in file order */
	/* siblings in file order, oldest first */
	struct slurm_association *associations;	size_t nassociations;
	uint32_t default_partition;	/* index, or UINT32_MAX */
	/* users whose default account is known, sorted by name */
	struct slurm_user *users;		size_t nusers;
	struct slurm_name *partition_names, *qos_names;	/* all names */
	bool qos_by_association;	/* an association has a default QOS other than normal */
	/* associations sorted by account, user, partition; NULL: there are none */
	uint32_t *association_index;
};

struct cell;

/*
 * Find a partition, QOS or TRES. Returns NULL or UINT32_MAX if it does not exist. A name that is
 * NULL is "".
 */
const struct slurm_partition *slurm_partition(const struct slurm_conf *conf, const char *name);
const struct slurm_qos *slurm_qos(const struct slurm_conf *conf, const char *name);
uint32_t slurm_tres(const struct slurm_conf *conf, const char *name);
/*
 * Return the user's association with the account in the partition, else the one without a
 * partition. `user` "" selects the account itself. Account names are case-insensitive.
 */
uint32_t slurm_association(const struct slurm_conf *conf, const char *account, const char *user, const char *partition);
/* Return the account of a job that names none, in lower case. */
const char *slurm_default_account(const struct slurm_conf *conf, const char *user);
/*
 * Return the QOS of a job that names none, by its association (UINT32_MAX: none). This is the
 * DefaultQOS of the association or of an account above it, if the association may use it. Otherwise
 * it is the only QOS that the association may use, else normal. Returns "" if that QOS does not
 * exist.
 */
const char *slurm_default_qos(const struct slurm_conf *conf, uint32_t association);
/* Return true if users of the association may use its default QOS. Also true if it has none. */
bool slurm_default_qos_allowed(const struct slurm_association *association);

/*
 * Read counts as printed by scontrol ("cpu=2,mem=4000M,node=1,gres/gpu=3") into `counts` by TRES,
 * which is zeroed first. mem is in MiB, and K M G T P are powers of 1024. "(null)" is an empty
 * list. Kinds that the cell does not know are skipped. Returns 0, or -EINVAL if the text is not a
 * list or a count is negative or not finite.
 */
int slurm_tres_parse(const struct slurm_conf *conf, const char *text, double *counts);

#endif
