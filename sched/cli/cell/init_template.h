/* SPDX-License-Identifier: Apache-2.0 */
/* Files of a cell made by fairlead init, with @host@ and @slots@ as placeholders. */
#ifndef CLI_CELL_INIT_TEMPLATE_H
#define CLI_CELL_INIT_TEMPLATE_H

extern const char init_sched_conf[], init_share_tree[], init_queue[], init_pe[], init_host[], init_complex[],
	init_sge_request[], init_hgrp[], init_arusers[], init_deadlineusers[], init_defaultdepartment[];

#endif
