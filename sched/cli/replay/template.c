/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The page's own files, as they lie beside this one, in the program. Their paths are from the top,
 * where it is built.
 */
#include "sched/cli/replay/template.h"
#include "sched/cli/template.h"

TEMPLATE(report_html, "sched/cli/replay/report.html");
TEMPLATE(report_css, "sched/cli/replay/report.css");
TEMPLATE(report_charts, "sched/cli/replay/report_charts.js");
TEMPLATE(report_page, "sched/cli/replay/report_page.js");
