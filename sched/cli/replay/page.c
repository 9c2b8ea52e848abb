/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HTML report: one file that loads nothing from other places. Its data is JSON in a script element.
 * The data has no <, so no user name can end the element.
 */
#include <errno.h>
#include <string.h>

#include "sched/cli/replay/replay.h"
#include "sched/cli/replay/template.h"

#define DATA_MOST ((size_t)64 << 20)
#define PAGE_USERS 1000			/* users and other groups in each table */

static void put_data(struct out *out, const char *text, size_t bytes)
{
	static const char *const escapes[256] = { ['<'] = "\\u003c", ['>'] = "\\u003e", ['&'] = "\\u0026" };

	for (size_t begin = 0, k = 0; k <= bytes; k++) {
		if (k < bytes && !escapes[(unsigned char)text[k]])
			continue;
		out_bytes(out, text + begin, k - begin);
		if (k < bytes)
			out_text(out, escapes[(unsigned char)text[k]]);
		begin = k + 1;
	}
}

static int print_with(struct out *out, const char *data, size_t bytes)
{
	static const struct {
		const char *mark, *text;
	} parts[] = {
		{ "@STYLE@", report_css }, { "@DATA@", NULL }, { "@CHARTS@", report_charts }, { "@PAGE@", report_page }
	};
	const char *rest = report_html;

	for (size_t k = 0; k < sizeof(parts) / sizeof(*parts); k++) {
		const char *mark = strstr(rest, parts[k].mark);

		if (!mark)
			return -EPROTO;
		out_bytes(out, rest, (size_t)(mark - rest));
		if (parts[k].text)
			out_text(out, parts[k].text);
		else
			put_data(out, data, bytes);
		rest = mark + strlen(parts[k].mark);
	}
	out_text(out, rest);
	return 0;
}

int replay_page_print(struct out *out, const struct replay_result *result)
{
	struct out data;
	const char *text;
	size_t bytes;
	int rc = out_open_memory(&data, DATA_MOST);

	if (!rc)
		rc = replay_json_print(&data, result, (struct replay_numbers){ .most = PAGE_USERS });
	if (!rc)
		rc = out_held(&data, &text, &bytes);
	if (!rc)
		rc = print_with(out, text, bytes);
	out_close(&data);
	return rc;
}
