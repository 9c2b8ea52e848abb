/* SPDX-License-Identifier: Apache-2.0 */
/* Objects of a qmaster in the form of qconf, each written from one element. */
#ifndef SCHED_QMASTER_OBJECTS_TEXT_H
#define SCHED_QMASTER_OBJECTS_TEXT_H

#include <stdbool.h>

#include "sched/qmaster/gdi/element.h"
#include "sched/qmaster/objects/page.h"

void text_queue(struct page *page, const struct gdi_element *queue);		/* CQ: -sq */
void text_quota(struct page *page, const struct gdi_element *set);			/* RQS: -srqs */
void text_tree(struct page *page, const struct gdi_element *root);			/* STN: -sstree */
void text_sched_conf(struct page *page, const struct gdi_element *conf);		/* SC: -ssconf */

void text_pe(struct page *page, const struct gdi_element *pe);			/* PE: -sp */
void text_checkpoint(struct page *page, const struct gdi_element *checkpoint);	/* CK: -sckpt */
void text_calendar(struct page *page, const struct gdi_element *calendar);		/* CAL: -scal */
void text_hostgroup(struct page *page, const struct gdi_element *group);		/* HGRP: -shgrp */
void text_userset(struct page *page, const struct gdi_element *set);		/* US: -su */
void text_user(struct page *page, const struct gdi_element *user);			/* UU: -suser */
void text_project(struct page *page, const struct gdi_element *project);		/* PR: -sprj */
/* EH: -se. `reported`: with load values and processors, which are not configuration. */
void text_host(struct page *page, const struct gdi_element *host, bool reported);
/* A list of CE: -sc. */
void text_complexes(struct page *page, const struct gdi_list *list);
/* CONF: -sconf, without its last, empty line. */
void text_configuration(struct page *page, const struct gdi_element *conf);

#endif
