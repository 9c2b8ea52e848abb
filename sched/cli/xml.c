/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/xml.h"

#include "sched/process/digits.h"

void xml_begin(struct out *out, unsigned indent, const char *element)
{
	char *p = text_blanks(out_room(out, 256), indent);

	*p++ = '<';
	out_take(out, p);
	out_text(out, element);
	out_bytes(out, ">", 1);
}

void xml_end(struct out *out, const char *element)
{
	out_bytes(out, "</", 2);
	out_text(out, element);
	out_bytes(out, ">\n", 2);
}

void xml_string(struct out *out, unsigned indent, const char *element, const char *text)
{
	xml_begin(out, indent, element);
	text_xml(out, text);
	xml_end(out, element);
}

void xml_number(struct out *out, unsigned indent, const char *element, int64_t value)
{
	xml_begin(out, indent, element);
	out_take(out, digits_i64(out_room(out, DIGITS_BYTES), value));
	xml_end(out, element);
}

void xml_fixed(struct out *out, unsigned indent, const char *element, double value, unsigned decimals)
{
	xml_begin(out, indent, element);
	out_take(out, digits_fixed(out_room(out, DIGITS_BYTES), value, decimals));
	xml_end(out, element);
}

void xml_open(struct out *out, unsigned indent, const char *element)
{
	xml_begin(out, indent, element);
	out_bytes(out, "\n", 1);
}

void xml_close(struct out *out, unsigned indent, const char *element)
{
	out_take(out, text_blanks(out_room(out, 256), indent));
	xml_end(out, element);
}
