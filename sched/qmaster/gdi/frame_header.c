/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/gdi/frame_header.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "conf/base/utf8.h"

/* Digits of the length of a header: any number below 2^32. */
#define LENGTH_DIGITS 10
#define SHOWN 40			/* bytes of unexpected text that messages show */

/* Scanner for texts of a fixed form: only the expected text in the expected order is taken. */
struct header_scanner {
	const char *at, *end;
	/* Text that was expected and not found; NULL: all was found. */
	const char *wrong;
};

static bool expect(struct header_scanner *scanner, const char *literal)
{
	size_t n = strlen(literal);

	if (!scanner->wrong && ((size_t)(scanner->end - scanner->at) < n || memcmp(scanner->at, literal, n) != 0))
		scanner->wrong = literal;
	if (!scanner->wrong)
		scanner->at += n;
	return !scanner->wrong;
}

static uint32_t expect_number(struct header_scanner *scanner)
{
	const char *from = scanner->at;
	uint64_t value = 0;

	while (!scanner->wrong && scanner->at < scanner->end && isdigit((unsigned char)*scanner->at) &&
	       value <= UINT32_MAX)
		value = value * 10 + (uint64_t)(*scanner->at++ - '0');
	if (!scanner->wrong && (scanner->at == from || value > UINT32_MAX))
		scanner->wrong = "a number below 2^32";
	return scanner->wrong ? 0 : (uint32_t)value;
}

/* Take the text up to the character `until`, which is not taken. */
static struct header_scanner expect_text(struct header_scanner *scanner, char until)
{
	const char *end = scanner->wrong ? NULL : memchr(scanner->at, until, (size_t)(scanner->end - scanner->at));
	struct header_scanner text = { scanner->at, end ? end : scanner->at, NULL };

	if (!end && !scanner->wrong)
		scanner->wrong = "the end of a text";
	if (end)
		scanner->at = end;
	return text;
}

/* Replace XML's five escapes by their characters, and unprintable characters by '?'. */
static void text_plain(const struct header_scanner *text, char *plain, size_t size)
{
	static const struct { const char *name; char is; } escapes[] = {
		{ "&amp;", '&' }, { "&lt;", '<' }, { "&gt;", '>' }, { "&quot;", '"' }, { "&apos;", '\'' },
	};
	size_t n = 0;

	for (const char *c = text->at; c < text->end && n + 1 < size; n++) {
		size_t took = 1;

		plain[n] = *c;
		for (size_t k = 0; k < sizeof(escapes) / sizeof(escapes[0]); k++) {
			size_t length = strlen(escapes[k].name);

			if ((size_t)(text->end - c) >= length && memcmp(c, escapes[k].name, length) == 0) {
				plain[n] = escapes[k].is;
				took = length;
			}
		}
		c += took;
	}
	plain[n] = '\0';
	utf8_clean(plain);
}

static bool text_is(const struct header_scanner *text, const char *word)
{
	return (size_t)(text->end - text->at) == strlen(word) && memcmp(text->at, word, strlen(word)) == 0;
}

static int not_understood(const struct header_scanner *scanner, const char *what, struct error *error)
{
	struct header_scanner rest = { scanner->at, scanner->end, NULL };
	char found[SHOWN + 1];

	text_plain(&rest, found, sizeof(found));
	return error_set(error, -EPROTO, "%s: found '%s', expected %s", what, found, scanner->wrong);
}

int gdi_header_length(const char *text, size_t n, size_t *used, size_t *length, struct error *error)
{
	static const char begin[] = "<gmsh><dl>", end[] = "</dl></gmsh>";
	struct header_scanner s = { text, text + n, NULL };
	size_t k = sizeof(begin) - 1;

	if (n < k)
		return memcmp(text, begin, n) == 0
			       ? 0
			       : (s.wrong = begin, not_understood(&s, "the peer is not a qmaster", error));
	if (!expect(&s, begin))
		return not_understood(&s, "the peer is not a qmaster", error);
	while (k < n && k < sizeof(begin) - 1 + LENGTH_DIGITS && isdigit((unsigned char)text[k]))
		k++;
	if (k == n)
		return 0;
	if (isdigit((unsigned char)text[k]))
		s.wrong = "a number below 2^32";
	*length = expect_number(&s);
	if (!s.wrong && (size_t)(s.end - s.at) < sizeof(end) - 1 && memcmp(s.at, end, (size_t)(s.end - s.at)) == 0)
		return 0;
	expect(&s, end);
	*used = (size_t)(s.at - text);
	return s.wrong ? not_understood(&s, "length of a header", error) : 1;
}

/* Parse CRM. */
static int connected_parse(struct header_scanner *scanner, struct gdi_frame *frame, struct error *error)
{
	struct header_scanner condition, text;
	char why[sizeof(frame->text) / 2];

	frame->kind = GDI_FRAME_CONNECTED;
	expect(scanner, "<crm version=\"0.3\"><cs condition=\"");
	condition = expect_text(scanner, '"');
	expect(scanner, "\">");
	text = expect_text(scanner, '<');
	expect(scanner, "</cs><rdata host=\"");
	expect_text(scanner, '"');
	expect(scanner, "\" comp=\"");
	expect_text(scanner, '"');
	expect(scanner, "\" id=\"");
	frame->id = expect_number(scanner);
	expect(scanner, "\"></rdata><params>");
	expect_text(scanner, '<');
	expect(scanner, "</params></crm>");
	if (scanner->wrong)
		return not_understood(scanner, "answer to a connect", error);
	frame->granted = text_is(&condition, "connected");
	text_plain(&condition, why, sizeof(why));
	snprintf(frame->text, sizeof(frame->text), "%s: ", why);
	text_plain(&text, frame->text + strlen(frame->text), sizeof(frame->text) - strlen(frame->text));
	return 0;
}

static int kind_of(const struct header_scanner *format, struct gdi_frame *frame)
{
	static const struct { const char *name; enum gdi_frame_kind kind; } kinds[] = {
		{ "bin", GDI_FRAME_DATA }, { "am", GDI_FRAME_RECEIVED }, { "sim", GDI_FRAME_STATUS_ASKED },
		{ "sirm", GDI_FRAME_STATUS }, { "ccm", GDI_FRAME_CLOSE }, { "ccrm", GDI_FRAME_CLOSED },
	};

	for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++)
		if (text_is(format, kinds[k].name)) {
			frame->kind = kinds[k].kind;
			return 0;
		}
	return -EPROTO;
}

/* Parse MIH. */
static int message_parse(struct header_scanner *scanner, struct gdi_frame *frame, size_t *data_bytes,
			 struct error *error)
{
	struct header_scanner format, receipt;
	size_t most;

	expect(scanner, "<mih version=\"0.1\"><mid>");
	frame->id = expect_number(scanner);
	expect(scanner, "</mid><dl>");
	*data_bytes = expect_number(scanner);
	expect(scanner, "</dl><df>");
	format = expect_text(scanner, '<');
	expect(scanner, "</df><mat>");
	receipt = expect_text(scanner, '<');
	expect(scanner, "</mat><tag>");
	frame->tag = expect_number(scanner);
	expect(scanner, "</tag><rid>");
	frame->answers = expect_number(scanner);
	expect(scanner, "</rid></mih>");
	frame->wants_receipt = text_is(&receipt, "ack");
	if (!scanner->wrong && kind_of(&format, frame)) {
		scanner->at = format.at;
		scanner->wrong = "bin, am, sim, sirm, ccm or ccrm";
	}
	if (scanner->wrong)
		return not_understood(scanner, "header of a message", error);
	most = frame->kind == GDI_FRAME_DATA ? GDI_MESSAGE_MOST : GDI_CONTROL_MOST;
	if (*data_bytes > most)
		return error_set(error, -EMSGSIZE, "a message of %zu bytes: at most %zu are allowed%s", *data_bytes,
				 most,
				 frame->kind == GDI_FRAME_DATA ? ", which is the limit of Grid Engine 8.1.9" : "");
	return 0;
}

int gdi_header_parse(const char *text, size_t n, struct gdi_frame *frame, size_t *data_bytes, struct error *error)
{
	static const char crm[] = "<crm ";
	struct header_scanner scanner = { text, text + n, NULL };
	int rc;

	*data_bytes = 0;
	if (n >= sizeof(crm) - 1 && memcmp(text, crm, sizeof(crm) - 1) == 0)
		rc = connected_parse(&scanner, frame, error);
	else
		rc = message_parse(&scanner, frame, data_bytes, error);
	if (rc == 0 && scanner.at != scanner.end) {
		scanner.wrong = "the end of the header";
		rc = not_understood(&scanner, "header of a message", error);
	}
	return rc;
}

int gdi_control_parse(struct gdi_frame *frame, struct error *error)
{
	static const char *const begins[] = {
		[GDI_FRAME_RECEIVED] = "<am version=\"0.1\"><mid>",
		[GDI_FRAME_STATUS_ASKED] = "<sim version=\"0.1\"></sim>",
		[GDI_FRAME_STATUS] = "<sirm version=\"0.1\"><mid>",
		[GDI_FRAME_CLOSE] = "<ccm version=\"0.1\"></ccm>",
		[GDI_FRAME_CLOSED] = "<ccrm version=\"0.1\"></ccrm>",
	};
	struct header_scanner scanner = { (const char *)frame->data, (const char *)frame->data + frame->n, NULL };

	if (frame->kind == GDI_FRAME_CONNECTED || frame->kind == GDI_FRAME_DATA)
		return 0;
	expect(&scanner, begins[frame->kind]);
	if (frame->kind == GDI_FRAME_RECEIVED) {
		frame->id = expect_number(&scanner);
		expect(&scanner, "</mid></am>");
	}
	/* the status that a peer reports is not needed */
	if (!scanner.wrong && frame->kind != GDI_FRAME_STATUS && scanner.at != scanner.end)
		scanner.wrong = "the end of the message";
	return scanner.wrong ? not_understood(&scanner, "message about the connection", error) : 0;
}
