/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hosts, queue instances and their jobs as JSON. The first two functions leave their object open.
 */
#ifndef CLI_CLUSTER_CLUSTER_JSON_H
#define CLI_CLUSTER_CLUSTER_JSON_H

#include "sched/cli/cluster/cluster.h"

void cluster_host_json(struct out *out, const struct fl_view *view, size_t k, const struct fl_host *host);
void cluster_instance_json(struct out *out, const struct fl_view *view, size_t k, const struct fl_instance *instance);

/* Members of these objects. */
void cluster_resources_json(struct out *out, const struct fl_view *view, enum fl_level level, size_t object);
void cluster_attributes_json(struct out *out, const struct found_values *values);
void cluster_jobs_json(struct out *out, const struct fl_view *view, const struct placed_jobs *jobs, size_t instance);

#endif
