/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of the replay's page as texts: the document, with marks for the other parts; its style; its
 * charts; and the script that puts the charts into the page.
 */
#ifndef CLI_REPLAY_TEMPLATE_H
#define CLI_REPLAY_TEMPLATE_H

extern const char report_html[], report_css[], report_charts[], report_page[];

#endif
