/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes of a connection become messages, and messages bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>

#include "sched/qmaster/gdi/frame.h"
#include "tests/gdi/vectors.h"

static struct error why;

struct heard {				/* messages of some bytes, as a text and a sum */
	char text[4096];
	size_t messages;
	uint64_t sum;
};

/* Feed n bytes in pieces of at most `piece` bytes. Return the result of the last call. */
static int feed(struct gdi_frames *frames, const char *bytes, size_t n, size_t piece, struct heard *heard)
{
	struct gdi_frame frame;
	int rc = 0;

	while (rc == 0 && n > 0) {
		size_t room, k;
		void *to = gdi_frames_room(frames, &room);

		assert_non_null(to);
		assert_true(room > 0);
		k = room < piece ? room : piece;
		k = k < n ? k : n;
		memcpy(to, bytes, k);
		gdi_frames_took(frames, k);
		bytes += k;
		n -= k;
		while ((rc = gdi_frames_next(frames, &frame, &why)) > 0) {
			size_t used = strlen(heard->text);

			snprintf(heard->text + used, sizeof(heard->text) - used, "%d:%u:%u:%u:%zu ", frame.kind,
				 frame.id, frame.tag, frame.answers, frame.n);
			for (size_t i = 0; i < frame.n; i++)
				heard->sum = heard->sum * 31 + frame.data[i];
			heard->messages++;
			free(frame.data);
		}
	}
	return rc;
}

static int feed_text(const char *text, struct heard *heard)
{
	struct gdi_frames frames = { .nhead = 0 };
	int rc = feed(&frames, text, strlen(text), 1 << 20, heard);

	gdi_frames_free(&frames);
	return rc;
}

/* Messages of a qmaster in a recorded conversation are the same for any division into pieces. */
static void test_messages_are_the_same_however_the_bytes_are_cut(void **state)
{
	static const size_t pieces[] = { 1, 2, 7, 100, 1000, 65536 };
	size_t messages = 0;
	glob_t files;

	(void)state;
	assert_int_equal(glob(VECTORS, 0, NULL, &files), 0);
	for (size_t i = 0; i < files.gl_pathc; i++) {
		struct vector_bytes all = vector_direction(files.gl_pathv[i], '<');
		struct heard whole = { .sum = 0 };

		for (size_t p = 0; p < sizeof(pieces) / sizeof(pieces[0]); p++) {
			struct gdi_frames frames = { .nhead = 0 };
			struct heard heard = { .sum = 0 };

			assert_int_equal(feed(&frames, all.bytes, all.n, pieces[p], &heard), 0);
			assert_int_equal(frames.nhead, 0);
			assert_false(frames.in_data);
			if (p == 0)
				whole = heard;
			assert_string_equal(heard.text, whole.text);
			assert_int_equal(heard.sum, whole.sum);
			gdi_frames_free(&frames);
		}
		messages += whole.messages;
		free(all.bytes);
	}
	globfree(&files);
	assert_true(messages > 250);
}

/* Compare with the first message of a recording's direction: its bytes up to the end. */
static void assert_recorded(const char *file, char direction, const char *text, int n)
{
	struct vector_bytes all = vector_direction(file, direction);

	assert_true(n > 0);
	all.bytes = realloc(all.bytes, all.n + 1);
	all.bytes[all.n] = '\0';
	if (!memmem(all.bytes, all.n, text, (size_t)n))
		fail_msg("%s: not said in %s", text, file);
	free(all.bytes);
}

static void test_written_frames_equal_the_recorded_ones(void **state)
{
	const struct gdi_status_report report = {
		.asked = 1, .start_time = 1795270670, .runtime = 874, .text = "not available"
	};
	char text[GDI_HEADER_MOST + 1];

	(void)state;
	assert_recorded("tests/reference/gdi/a1-connect-fairlead-0.hex", '>', text,
			gdi_write_connect(text, "sgehost", "sgehost", "fairlead"));
	assert_recorded("tests/reference/gdi/a1-connect-fairlead-0.hex", '>', text,
			gdi_write_message(text, 1, GDI_TAG_REQUEST, 71));
	assert_recorded("tests/reference/gdi/a1-connect-fairlead-0.hex", '>', text, gdi_write_close(text, 2));
	assert_recorded("tests/reference/gdi/a1-connect-fairlead-0.hex", '<', text, gdi_write_closed(text, 2));
	assert_recorded("tests/reference/gdi/h1-sim-ack-sync.hex", '<', text, gdi_write_received(text, 2, 2));
	assert_recorded("tests/reference/gdi/h1-sim-ack-sync.hex", '<', text, gdi_write_status(text, 1, &report));
}

static void test_names_are_escaped_where_they_are_written(void **state)
{
	char text[GDI_HEADER_MOST + 1], name[300];

	(void)state;
	assert_true(gdi_write_connect(text, "a\"b", "<c&d>", "fairlead") > 0);
	assert_non_null(strstr(text, "<dst host=\"a&quot;b\" comp=\"qmaster\""));
	assert_non_null(strstr(text, "<rdata host=\"&lt;c&amp;d&gt;\" comp=\"fairlead\""));
	memset(name, 'x', 299);
	name[299] = '\0';
	assert_int_equal(gdi_write_connect(text, name, "b", "fairlead"), -EMSGSIZE);
}

static void assert_refused(const char *text, int rc, const char *reason)
{
	struct heard heard = { .sum = 0 };

	assert_int_equal(feed_text(text, &heard), rc);
	if (!strstr(why.text, reason))
		fail_msg("found '%s', expected '%s'", why.text, reason);
}

/* Check that a header is refused, with its length before it and `data` after it. */
static void assert_header_refused(const char *header, const char *data, int rc, const char *reason)
{
	char text[600];

	snprintf(text, sizeof(text), "<gmsh><dl>%zu</dl></gmsh>%s%s", strlen(header), header, data);
	assert_refused(text, rc, reason);
}

#define MIH(BYTES, FORMAT) "<mih version=\"0.1\"><mid>1</mid><dl>" BYTES "</dl><df>" FORMAT "</df><mat>nak</mat><tag>4</tag><rid>0</rid></mih>"

static void test_malformed_input_is_refused_and_quoted(void **state)
{
	(void)state;
	assert_refused("SSH-2.0-OpenSSH_9.2\r", -EPROTO, "the peer is not a qmaster: found 'SSH-2.0-OpenSSH_9.2?'");
	assert_refused("<gmsh><dl>x", -EPROTO, "length of a header: found 'x', expected a number below 2^32");
	assert_refused("<gmsh><dl>99999999999999999999</dl></gmsh>", -EPROTO, "a number below 2^32");
	assert_refused("<gmsh><dl>000000000000000000000000000000000000000000000", -EPROTO, "length of a header");
	assert_refused("<gmsh><dl>5000</dl></gmsh>", -EMSGSIZE, "a header of 5000 bytes: at most 4096");
	assert_refused("<gmsh><dl>4294967295</dl></gmsh>", -EMSGSIZE, "a header of 4294967295 bytes");
	assert_header_refused("<mih version=\"0.2\"><mid", "", -EPROTO,
			      "found '<mih version=\"0.2\"><mid', expected <mih version=\"0.1\"><mid>");
	assert_header_refused("abc", "", -EPROTO, "header of a message: found 'abc'");
	assert_header_refused(MIH("0", "bin") " ", "", -EPROTO, "found ' ', expected the end of the header");
	assert_header_refused(MIH("0", "elf"), "", -EPROTO, "expected bin, am, sim, sirm, ccm or ccrm");
	assert_header_refused(MIH("-1", "bin"), "", -EPROTO, "'-1</dl>");
	assert_header_refused(MIH("10", "ccm"), "\033[2Jxxxxxx", -EPROTO,
			      "message about the connection: found '?[2Jxxxxxx'");
}

static void test_a_message_above_the_limit_is_reported_clearly(void **state)
{
	(void)state;
	assert_header_refused(
		MIH("1073741825", "bin"), "", -EMSGSIZE,
		"a message of 1073741825 bytes: at most 1073741824 are allowed, which is the limit of Grid Engine 8.1.9");
	assert_header_refused(MIH("65537", "sim"), "", -EMSGSIZE, "at most 65536 are allowed");
}

static void test_memory_follows_the_received_bytes_and_not_the_announced_ones(void **state)
{
	const char *header = MIH("1073741824", "bin");
	char text[200];
	struct gdi_frames frames = { .nhead = 0 };
	struct heard heard = { .sum = 0 };

	(void)state;
	snprintf(text, sizeof(text), "<gmsh><dl>%zu</dl></gmsh>%s0123456789", strlen(header), header);
	assert_int_equal(feed(&frames, text, strlen(text), 1 << 20, &heard), 0);
	assert_true(frames.in_data);
	assert_int_equal(frames.frame.n, 10);
	assert_true(frames.capacity <= 1 << 16);
	gdi_frames_free(&frames);
}

static void test_a_refused_connection_is_reported_in_the_words_of_the_qmaster(void **state)
{
	const char *crm =
		"<crm version=\"0.3\"><cs condition=\"access denied\">host &quot;x&quot; &lt;?&gt; \001</cs><rdata host=\"\" comp=\"\" id=\"0\"></rdata><params></params></crm>";
	struct gdi_frames frames = { .nhead = 0 };
	struct gdi_frame frame;
	char text[400];
	size_t room;
	int n = snprintf(text, sizeof(text), "<gmsh><dl>%zu</dl></gmsh>%s", strlen(crm), crm);

	(void)state;
	memcpy(gdi_frames_room(&frames, &room), text, (size_t)n);
	gdi_frames_took(&frames, (size_t)n);
	assert_int_equal(gdi_frames_next(&frames, &frame, &why), 1);
	assert_int_equal(frame.kind, GDI_FRAME_CONNECTED);
	assert_false(frame.granted);
	assert_string_equal(frame.text, "access denied: host \"x\" <?> ?");
	free(frame.data);
	gdi_frames_free(&frames);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_messages_are_the_same_however_the_bytes_are_cut),
		cmocka_unit_test(test_written_frames_equal_the_recorded_ones),
		cmocka_unit_test(test_names_are_escaped_where_they_are_written),
		cmocka_unit_test(test_malformed_input_is_refused_and_quoted),
		cmocka_unit_test(test_a_message_above_the_limit_is_reported_clearly),
		cmocka_unit_test(test_memory_follows_the_received_bytes_and_not_the_announced_ones),
		cmocka_unit_test(test_a_refused_connection_is_reported_in_the_words_of_the_qmaster),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
