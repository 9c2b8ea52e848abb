/* SPDX-License-Identifier: Apache-2.0 */
/* The files of a cell that fairlead init makes, with @host@ and @slots@ where the machine's go. */
#ifndef CLI_CELL_INIT_TEMPLATE_H
#define CLI_CELL_INIT_TEMPLATE_H

extern const char init_sched_conf[], init_share_tree[], init_queue[], init_pe[], init_host[], init_complex[],
	init_sge_request[], init_hgrp[], init_arusers[], init_deadlineusers[], init_defaultdepartment[];

#endif
