/* SPDX-License-Identifier: Apache-2.0 */
/* Objects of a qmaster as qconf prints them: an element each. */
#ifndef SCHED_QMASTER_OBJECTS_TEXT_H
#define SCHED_QMASTER_OBJECTS_TEXT_H

#include "sched/qmaster/gdi/element.h"
#include "sched/qmaster/objects/page.h"

void text_queue(struct page *p, const struct gdi_element *queue);		/* CQ: -sq */
void text_quota(struct page *p, const struct gdi_element *set);			/* RQS: -srqs */
void text_tree(struct page *p, const struct gdi_element *root);			/* STN: -sstree */
void text_sched_conf(struct page *p, const struct gdi_element *conf);		/* SC: -ssconf */

#endif
