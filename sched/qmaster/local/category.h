/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Category of accounting(5): the requests of a job as Grid Engine 8.1.9 writes them, for example
 * "-q all.q -l h_rt=600,h_vmem=2G -pe smp 2". Workload traces are made from it.
 */
#ifndef SCHED_QMASTER_LOCAL_CATEGORY_H
#define SCHED_QMASTER_LOCAL_CATEGORY_H

#include <stdio.h>

#include "conf/cell.h"
#include "sched/qmaster/local/job.h"

/* Write the category, "NONE" if the job requests nothing. Control characters become '_'. */
void category_write(FILE *line, const struct cell *cell, const struct local_job *job);

#endif
