/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The page's own files, as they lie beside this one, in the program. Their paths are from the top,
 * where it is built.
 */
#include "sched/cli/replay_template.h"
#include "sched/cli/template.h"

TEMPLATE(report_html, "sched/cli/report.html");
TEMPLATE(report_css, "sched/cli/report.css");
TEMPLATE(report_charts, "sched/cli/report_charts.js");
TEMPLATE(report_page, "sched/cli/report_page.js");
