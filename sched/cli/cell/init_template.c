/* SPDX-License-Identifier: Apache-2.0 */
/* Files of init/, included in the program, so that it needs no installed files. */
#include "sched/cli/cell/init_template.h"
#include "sched/cli/template.h"

TEMPLATE(init_sched_conf, "sched/cli/cell/init/sched_conf");
TEMPLATE(init_share_tree, "sched/cli/cell/init/share_tree");
TEMPLATE(init_queue, "sched/cli/cell/init/queue");
TEMPLATE(init_pe, "sched/cli/cell/init/pe");
TEMPLATE(init_host, "sched/cli/cell/init/host");
TEMPLATE(init_hgrp, "sched/cli/cell/init/hgrp");
TEMPLATE(init_arusers, "sched/cli/cell/init/arusers");
TEMPLATE(init_deadlineusers, "sched/cli/cell/init/deadlineusers");
TEMPLATE(init_defaultdepartment, "sched/cli/cell/init/defaultdepartment");
TEMPLATE(init_complex, "sched/cli/cell/init/complex");
TEMPLATE(init_sge_request, "sched/cli/cell/init/sge_request");
