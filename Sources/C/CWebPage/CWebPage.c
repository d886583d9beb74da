// CWebPage.c: embeds the files of the web page. SPDX-License-Identifier: MIT

#include "CWebPage.h"

// #embed is C23; the compiler records the files as dependencies, so that a change compiles this file again.
#pragma clang diagnostic ignored "-Wc23-extensions"

// Each file has an array here and a line in the table below.
static const unsigned char index_html[] = {
#embed "../../Interfaces/WebPage/index.html"
};

#define FILE_OF(name, array) {name, array, sizeof array}

static const struct web_page_file files[] = {
    FILE_OF("index.html", index_html),
};

struct web_page_file web_page_file_at(size_t index) {
  if (index < sizeof files / sizeof files[0]) return files[index];
  return (struct web_page_file){NULL, NULL, 0};
}
