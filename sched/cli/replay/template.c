/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of the page, included in the program. Paths are relative to the top directory, where the
 * build runs.
 */
#include "sched/cli/replay/template.h"
#include "sched/cli/template.h"

TEMPLATE(report_html, "sched/cli/replay/report.html");
TEMPLATE(report_css, "sched/cli/replay/report.css");
TEMPLATE(report_charts, "sched/cli/replay/report_charts.js");
TEMPLATE(report_page, "sched/cli/replay/report_page.js");
