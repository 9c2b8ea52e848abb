/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/xml.h"

#include "sched/process/digits.h"

void xml_begin(struct out *o, unsigned indent, const char *element)
{
	char *p = text_blanks(out_room(o, 256), indent);

	*p++ = '<';
	out_take(o, p);
	out_text(o, element);
	out_bytes(o, ">", 1);
}

void xml_end(struct out *o, const char *element)
{
	out_bytes(o, "</", 2);
	out_text(o, element);
	out_bytes(o, ">\n", 2);
}

void xml_string(struct out *o, unsigned indent, const char *element, const char *text)
{
	xml_begin(o, indent, element);
	text_xml(o, text);
	xml_end(o, element);
}

void xml_number(struct out *o, unsigned indent, const char *element, int64_t value)
{
	xml_begin(o, indent, element);
	out_take(o, digits_i64(out_room(o, DIGITS_BYTES), value));
	xml_end(o, element);
}

void xml_fixed(struct out *o, unsigned indent, const char *element, double value, unsigned decimals)
{
	xml_begin(o, indent, element);
	out_take(o, digits_fixed(out_room(o, DIGITS_BYTES), value, decimals));
	xml_end(o, element);
}

void xml_open(struct out *o, unsigned indent, const char *element)
{
	xml_begin(o, indent, element);
	out_bytes(o, "\n", 1);
}

void xml_close(struct out *o, unsigned indent, const char *element)
{
	out_take(o, text_blanks(out_room(o, 256), indent));
	xml_end(o, element);
}
