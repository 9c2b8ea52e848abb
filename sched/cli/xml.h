/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Elements of the XML documents that Grid Engine's client programs print. Texts are escaped as
 * text_xml() does.
 */
#ifndef CLI_XML_H
#define CLI_XML_H

#include <stdint.h>

#include "sched/cli/text.h"

#define XML_HEAD "<?xml version='1.0'?>\n"
#define XML_SCHEMAS "http://arc.liv.ac.uk/repos/darcs/sge/source/dist/util/resources/schemas/"
#define XML_JOB_INFO XML_HEAD "<job_info  xmlns:xsd=\"" XML_SCHEMAS "qstat/qstat.xsd\">\n"

/* Write "<element>" after `indent` blanks, and "</element>" with the end of the line. */
void xml_begin(struct out *out, unsigned indent, const char *element);
void xml_end(struct out *out, const char *element);

/* Write a whole line: an element with its value. */
void xml_string(struct out *out, unsigned indent, const char *element, const char *text);
void xml_number(struct out *out, unsigned indent, const char *element, int64_t value);
void xml_fixed(struct out *out, unsigned indent, const char *element, double value, unsigned decimals);

/* Write the line that opens an element with other elements in it, and the one that closes it. */
void xml_open(struct out *out, unsigned indent, const char *element);
void xml_close(struct out *out, unsigned indent, const char *element);

#endif
