// CWebPage.h: the files of the web page inside the program. SPDX-License-Identifier: MIT
#ifndef CWEBPAGE_H
#define CWEBPAGE_H

#include <stddef.h>

/// A file of the web page.
struct web_page_file {
  /// The path after the host, without the first slash.
  const char *name;
  const unsigned char *bytes;
  size_t length;
};

/// Returns the file with an index; its name is NULL after the last one. [any]
struct web_page_file web_page_file_at(size_t index);

#endif
