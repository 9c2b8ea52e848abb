/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Include a file as a text: `const char NAME[]`, declared by a header. The path is relative to the
 * top directory, where the build runs. GNUmakefile lists the objects that depend on the file.
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
