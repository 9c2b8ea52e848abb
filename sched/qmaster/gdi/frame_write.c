/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sched/qmaster/gdi/frame.h"

/* Write a length, the header and the data after it. */
static int framed(char *text, const char *header, const char *data)
{
	int n = snprintf(text, GDI_HEADER_MOST + 1, "<gmsh><dl>%zu</dl></gmsh>%s%s", strlen(header), header, data);

	return n > GDI_HEADER_MOST ? -EMSGSIZE : n;
}

/*
 * Escape XML's special characters. A valid host name contains none of them. The qmaster will reject
 * any other name.
 */
static void escaped(const char *text, char *to, size_t size)
{
	size_t n = 0;

	for (const char *c = text; *c && n + 7 < size; c++) {
		const char *as = *c == '&'    ? "&amp;"
				 : *c == '<'  ? "&lt;"
				 : *c == '>'  ? "&gt;"
				 : *c == '"'  ? "&quot;"
				 : *c == '\'' ? "&apos;"
					      : NULL;

		if (as)
			n += (size_t)snprintf(to + n, size - n, "%s", as);
		else
			to[n++] = *c;
	}
	to[n] = '\0';
}

int gdi_write_connect(char *text, const char *qmaster, const char *host, const char *component)
{
	char header[GDI_HEADER_MOST], to[1024], from[1024];

	if (strlen(qmaster) > 255 || strlen(host) > 255 || strlen(component) > 64)
		return -EMSGSIZE;
	escaped(qmaster, to, sizeof(to));
	escaped(host, from, sizeof(from));
	snprintf(header, sizeof(header),
		 "<cm version=\"0.4\"><df>bin</df><ct>message</ct><dst host=\"%s\" comp=\"qmaster\" id=\"1\"></dst>"
		 "<rdata host=\"%s\" comp=\"%s\" id=\"0\"></rdata><port>0</port><ac>disabled</ac></cm>",
		 to, from, component);
	return framed(text, header, "");
}

static int message(char *text, uint32_t id, const char *format, unsigned tag, size_t data_bytes, const char *data)
{
	char header[256];

	snprintf(header, sizeof(header),
		 "<mih version=\"0.1\"><mid>%" PRIu32
		 "</mid><dl>%zu</dl><df>%s</df><mat>nak</mat><tag>%u</tag><rid>0</rid></mih>",
		 id, data_bytes, format, tag);
	return framed(text, header, data);
}

static int control(char *text, uint32_t id, const char *format, const char *data)
{
	return message(text, id, format, 0, strlen(data), data);
}

int gdi_write_message(char *text, uint32_t id, enum gdi_tag tag, size_t data_bytes)
{
	return message(text, id, "bin", tag, data_bytes, "");
}

int gdi_write_received(char *text, uint32_t id, uint32_t received)
{
	char data[64];

	snprintf(data, sizeof(data), "<am version=\"0.1\"><mid>%" PRIu32 "</mid></am>", received);
	return control(text, id, "am", data);
}

int gdi_write_close(char *text, uint32_t id)
{
	return control(text, id, "ccm", "<ccm version=\"0.1\"></ccm>");
}

int gdi_write_closed(char *text, uint32_t id)
{
	return control(text, id, "ccrm", "<ccrm version=\"0.1\"></ccrm>");
}

int gdi_write_status(char *text, uint32_t id, const struct gdi_status_report *report)
{
	char data[1024], said[512];

	escaped(report->text, said, sizeof(said));
	snprintf(data, sizeof(data),
		 "<sirm version=\"0.1\"><mid>%" PRIu32 "</mid><starttime>%" PRIu64 "</starttime><runtime>%" PRIu64
		 "</runtime>"
		 "<application><messages><brm>%" PRIu64 "</brm><bwm>%" PRIu64
		 "</bwm></messages><connections><noc>1</noc></connections>"
		 "<status>0</status></application><info>%s</info></sirm>",
		 report->asked, report->start_time, report->runtime, report->received_waiting, report->sending, said);
	return control(text, id, "sirm", data);
}
