/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file as a text in the program: `const char NAME[]`, which a header declares. The path is from
 * the top, where it is built. GNUmakefile lists the objects that depend on it.
 */
#ifndef CLI_TEMPLATE_H
#define CLI_TEMPLATE_H

#define TEMPLATE(NAME, PATH)					\
	__asm__(".pushsection .rodata\n"			\
		".global " #NAME "\n"				\
		".hidden " #NAME "\n"				\
		".type " #NAME ", @object\n"			\
		#NAME ":\n"					\
		".incbin \"" PATH "\"\n"			\
		".byte 0\n"					\
		".size " #NAME ", . - " #NAME "\n"		\
		".popsection\n")

#endif
