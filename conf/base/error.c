/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/base/error.h"

#include <stdarg.h>
#include <stdio.h>

#include "conf/base/utf8.h"

int error_set(struct error *error, int rc, const char *format, ...)
{
	va_list arguments;

	if (error) {
		va_start(arguments, format);
		vsnprintf(error->text, sizeof(error->text), format, arguments);
		va_end(arguments);
		utf8_clean(error->text);
	}
	return rc;
}
