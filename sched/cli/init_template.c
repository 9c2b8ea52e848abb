/* SPDX-License-Identifier: Apache-2.0 */
/* The files in init/, in the program, so that it needs nothing of an installation. */
#include "sched/cli/init_template.h"
#include "sched/cli/template.h"

TEMPLATE(init_sched_conf, "sched/cli/init/sched_conf");
TEMPLATE(init_share_tree, "sched/cli/init/share_tree");
TEMPLATE(init_queue, "sched/cli/init/queue");
TEMPLATE(init_pe, "sched/cli/init/pe");
TEMPLATE(init_host, "sched/cli/init/host");
TEMPLATE(init_hgrp, "sched/cli/init/hgrp");
TEMPLATE(init_arusers, "sched/cli/init/arusers");
TEMPLATE(init_deadlineusers, "sched/cli/init/deadlineusers");
TEMPLATE(init_defaultdepartment, "sched/cli/init/defaultdepartment");
TEMPLATE(init_complex, "sched/cli/init/complex");
TEMPLATE(init_sge_request, "sched/cli/init/sge_request");
