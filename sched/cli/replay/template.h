/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the page of a replay is made of, each a text: the document, with marks where the others
 * belong; its style; its pictures; and what puts the pictures into it.
 */
#ifndef CLI_REPLAY_TEMPLATE_H
#define CLI_REPLAY_TEMPLATE_H

extern const char report_html[], report_css[], report_charts[], report_page[];

#endif
