/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Job size, partition, QOS and TRES factors of a request, computed once for all jobs with the same
 * request. Source: slurm.conf(5) PriorityWeight*.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "conf/base/array.h"
#include "conf/base/columns.h"
#include "conf/slurm.h"
#include "sched/policy/multifactor/multifactor.h"

/* Places */

static int places_reserve(struct multifactor *multifactor, size_t more)
{
	size_t n = multifactor->nplaces + more;

	if (n <= multifactor->places_capacity)
		return 0;
	n += n / 2 + 64;
	if (n >= UINT32_MAX || array_grow(&multifactor->places, n, sizeof(*multifactor->places)) ||
	    array_grow(&multifactor->tres_factors, n * (multifactor->nweighted + 1), sizeof(double)))
		return -ENOMEM;
	multifactor->places_capacity = n;
	return 0;
}

static double tres_term(struct multifactor *multifactor, const struct slurm_partition *partition, const double *counts,
			double *factors)
{
	double sum = 0.0;

	for (size_t k = 0; k < multifactor->nweighted; k++) {
		uint32_t kind = multifactor->weighted[k];

		factors[k] = tres_factor(counts[kind], partition->total[kind],
					 multifactor->conf->flags & FLAG_NO_NORMAL_TRES);
		sum += multifactor->conf->weight_tres[kind] * factors[k];
	}
	return isfinite(sum) ? sum : 0.0;
}

static void place_add(struct multifactor *multifactor, uint32_t partition, const double *counts)
{
	const struct slurm_conf *conf = multifactor->conf;
	const struct slurm_partition *slurm_partition = &conf->partitions[partition];
	double factor = rank_factor(slurm_partition->job_factor, multifactor->largest_partition,
				    conf->flags & FLAG_NO_NORMAL_PART);

	multifactor->places[multifactor->nplaces] = (struct shape_place){
		partition, conf->weight_partition * (conf->weight_partition ? factor : 0.0),
		tres_term(multifactor, slurm_partition, counts,
			  &multifactor->tres_factors[multifactor->nplaces * multifactor->nweighted])
	};
	multifactor->nplaces++;
}

/* Find the existing partitions of a list, each once. The first one is `named`. */
static size_t partitions_of(const struct slurm_conf *conf, const char *list, uint32_t *found, size_t most)
{
	char name[NAME_MOST + 1];
	size_t n = 0;

	for (const char *at = list; *at && n < most; at += strspn(at, ",")) {
		size_t length = strcspn(at, ",");
		const struct slurm_partition *partition = NULL;
		bool again = false;

		if (length <= NAME_MOST) {
			memcpy(name, at, length);
			name[length] = '\0';
			partition = slurm_partition(conf, name);
		}
		at += length;
		for (size_t i = 0; partition && i < n; i++)
			again |= found[i] == (uint32_t)(partition - conf->partitions);
		if (partition && !again)
			found[n++] = (uint32_t)(partition - conf->partitions);
	}
	if (n == 0 && *list == '\0' && conf->default_partition != UINT32_MAX)
		found[n++] = conf->default_partition;
	return n;
}

#define PARTITIONS_MOST 256u		/* limit for one job */

static int make_places(struct multifactor *multifactor, struct shape *shape, const char *list, const double *counts)
{
	uint32_t found[PARTITIONS_MOST];
	size_t n = partitions_of(multifactor->conf, list, found, PARTITIONS_MOST);

	if (places_reserve(multifactor, n))
		return -ENOMEM;
	shape->named = n > 0 ? found[0] : NONE;
	/* higher tiers first, otherwise in the order of the list */
	for (size_t i = 1; i < n; i++)
		for (size_t k = i; k > 0 && multifactor->conf->partitions[found[k]].tier >
						    multifactor->conf->partitions[found[k - 1]].tier;
		     k--) {
			uint32_t swap = found[k];

			found[k] = found[k - 1];
			found[k - 1] = swap;
		}
	shape->first = (uint32_t)multifactor->nplaces;
	shape->count = (uint32_t)n;
	shape->named_place = NONE;
	for (size_t i = 0; i < n; i++) {
		if (found[i] == shape->named)
			shape->named_place = (uint32_t)multifactor->nplaces;
		place_add(multifactor, found[i], counts);
	}
	return 0;
}

/* Shapes */

/*
 * Return the time limit in minutes. A job without one has its partition's. If the partition has
 * none either, it is 4294967295 minutes, which is Slurm's number for no limit.
 */
static uint32_t minutes_of(const struct slurm_conf *conf, const struct shape *shape, uint32_t asked)
{
	uint32_t minutes = asked;

	if (minutes == NONE)
		minutes = shape->named != NONE ? conf->partitions[shape->named].max_time : 1;
	return minutes > 0 ? minutes : 1;
}

static double size_of(const struct slurm_conf *conf, const struct shape *shape, const struct request_key *key,
		      const double *counts)
{
	const struct size_rule rule = { .nodes = conf->nodes,
					.cpus = conf->cpus,
					.favor_small = conf->favor_small,
					.relative_to_time = conf->flags & FLAG_SMALL_RELATIVE_TO_TIME,
					.nodes_only = conf->version == PRIORITY_2009 };
	const struct job_size size = { .nodes = key->size.nodes ? key->size.nodes : 1,
				       .cpus = key->size.cpus ? key->size.cpus : (uint64_t)fmin(counts[TRES_CPU], 1e15),
				       .time_limit = minutes_of(conf, shape, key->size.time_limit) };

	return size_factor(&rule, &size);
}

/*
 * Compute the job's TRES counts. Without TRES, use nodes and processors as far as they are known,
 * where Slurm would have estimated them.
 */
static void counts_of(const struct multifactor *multifactor, const struct run *run, const struct request_key *key,
		      double *counts)
{
	memset(counts, 0, TRES_MOST * sizeof(*counts));
	if (key->tres != NONE && slurm_tres_parse(multifactor->conf, mirror_text(run->mirror, key->tres), counts) == 0)
		return;
	memset(counts, 0, TRES_MOST * sizeof(*counts));
	counts[TRES_CPU] = counts[TRES_BILLING] = key->size.cpus;
	counts[TRES_NODE] = key->size.nodes ? key->size.nodes : 1;
}

static int make(struct multifactor *multifactor, struct run *run, uint32_t id, struct shape *shape)
{
	const struct slurm_conf *conf = multifactor->conf;
	const struct request_key *key = requests_key(&run->mirror->requests, id);
	const struct slurm_qos *qos = key->qos == NONE ? NULL : slurm_qos(conf, mirror_text(run->mirror, key->qos));
	double counts[TRES_MOST];

	multifactor->dropped += shape->made ? shape->count : 0;
	*shape = (struct shape){ 0 };
	counts_of(multifactor, run, key, counts);
	if (make_places(multifactor, shape, mirror_text(run->mirror, key->partition), counts))
		return -ENOMEM;
	shape->size_factor = conf->weight_job_size ? size_of(conf, shape, key, counts) : 0.0;
	shape->qos_factor = qos && conf->weight_qos ? rank_factor(qos->priority, multifactor->largest_qos,
								  conf->flags & FLAG_NO_NORMAL_QOS)
						    : 0.0;
	shape->size_term = conf->weight_job_size * shape->size_factor;
	shape->qos_term = conf->weight_qos * shape->qos_factor;
	if (shape->named_place != NONE) {
		shape->partition_term = multifactor->places[shape->named_place].partition_term;
		shape->tres_term = multifactor->places[shape->named_place].tres_term;
		shape->tier = conf->partitions[shape->named].tier * 4294967296.0;
	}
	shape->made = run->mirror->requests.facts[id].made;
	return 0;
}

static int reserve(struct multifactor *multifactor, size_t n)
{
	size_t old = multifactor->shapes_capacity;

	if (n <= old)
		return 0;
	if (array_reserve(&multifactor->shapes_capacity, n, COLUMN(multifactor->shapes)))
		return -ENOMEM;
	memset(multifactor->shapes + old, 0, (multifactor->shapes_capacity - old) * sizeof(*multifactor->shapes));
	return 0;
}

int multifactor_urgency(struct multifactor *multifactor, struct run *run)
{
	const struct requests *requests = &run->mirror->requests;

	if (reserve(multifactor, requests->pool.n))
		return -ENOMEM;
	/* most places belong to requests that no longer exist */
	if (multifactor->dropped > multifactor->nplaces / 2 + 1024) {
		memset(multifactor->shapes, 0, multifactor->shapes_capacity * sizeof(*multifactor->shapes));
		multifactor->nplaces = multifactor->dropped = 0;
	}
	pool_each(id, &requests->pool) if (multifactor->shapes[id].made != requests->facts[id].made &&
					   make(multifactor, run, id, &multifactor->shapes[id])) return -ENOMEM;
	return 0;
}
