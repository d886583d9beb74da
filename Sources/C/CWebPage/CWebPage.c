// CWebPage.c: embeds the files of the web page. SPDX-License-Identifier: MIT

#include "CWebPage.h"

// #embed is C23; the compiler records the files as dependencies, so that a change compiles this file again.
#pragma clang diagnostic ignored "-Wc23-extensions"

// Each file has an array here and a line in the table below.
static const unsigned char builtins_js[] = {
#embed "../../Interfaces/WebPage/builtins.js"
};
static const unsigned char catalogue_js[] = {
#embed "../../Interfaces/WebPage/catalogue.js"
};
static const unsigned char chain_js[] = {
#embed "../../Interfaces/WebPage/chain.js"
};
static const unsigned char coalesce_js[] = {
#embed "../../Interfaces/WebPage/coalesce.js"
};
static const unsigned char connection_js[] = {
#embed "../../Interfaces/WebPage/connection.js"
};
static const unsigned char control_js[] = {
#embed "../../Interfaces/WebPage/control.js"
};
static const unsigned char controls_js[] = {
#embed "../../Interfaces/WebPage/controls.js"
};
static const unsigned char dialogs_js[] = {
#embed "../../Interfaces/WebPage/dialogs.js"
};
static const unsigned char dom_js[] = {
#embed "../../Interfaces/WebPage/dom.js"
};
static const unsigned char drag_js[] = {
#embed "../../Interfaces/WebPage/drag.js"
};
static const unsigned char files_js[] = {
#embed "../../Interfaces/WebPage/files.js"
};
static const unsigned char format_js[] = {
#embed "../../Interfaces/WebPage/format.js"
};
static const unsigned char icon_svg[] = {
#embed "../../Interfaces/WebPage/icon.svg"
};
static const unsigned char icons_js[] = {
#embed "../../Interfaces/WebPage/icons.js"
};
static const unsigned char index_html[] = {
#embed "../../Interfaces/WebPage/index.html"
};
static const unsigned char layout_js[] = {
#embed "../../Interfaces/WebPage/layout.js"
};
static const unsigned char learn_js[] = {
#embed "../../Interfaces/WebPage/learn.js"
};
static const unsigned char main_js[] = {
#embed "../../Interfaces/WebPage/main.js"
};
static const unsigned char meters_js[] = {
#embed "../../Interfaces/WebPage/meters.js"
};
static const unsigned char panel_js[] = {
#embed "../../Interfaces/WebPage/panel.js"
};
static const unsigned char plots_js[] = {
#embed "../../Interfaces/WebPage/plots.js"
};
static const unsigned char plotview_js[] = {
#embed "../../Interfaces/WebPage/plotview.js"
};
static const unsigned char readouts_js[] = {
#embed "../../Interfaces/WebPage/readouts.js"
};
static const unsigned char scenes_js[] = {
#embed "../../Interfaces/WebPage/scenes.js"
};
static const unsigned char session_js[] = {
#embed "../../Interfaces/WebPage/session.js"
};
static const unsigned char state_js[] = {
#embed "../../Interfaces/WebPage/state.js"
};
static const unsigned char style_css[] = {
#embed "../../Interfaces/WebPage/style.css"
};
static const unsigned char tempo_js[] = {
#embed "../../Interfaces/WebPage/tempo.js"
};
static const unsigned char transport_js[] = {
#embed "../../Interfaces/WebPage/transport.js"
};
static const unsigned char views_css[] = {
#embed "../../Interfaces/WebPage/views.css"
};
static const unsigned char welcome_js[] = {
#embed "../../Interfaces/WebPage/welcome.js"
};

#define FILE_OF(name, array) {name, array, sizeof array}

static const struct web_page_file files[] = {
    FILE_OF("builtins.js", builtins_js),
    FILE_OF("catalogue.js", catalogue_js),
    FILE_OF("chain.js", chain_js),
    FILE_OF("coalesce.js", coalesce_js),
    FILE_OF("connection.js", connection_js),
    FILE_OF("control.js", control_js),
    FILE_OF("controls.js", controls_js),
    FILE_OF("dialogs.js", dialogs_js),
    FILE_OF("dom.js", dom_js),
    FILE_OF("drag.js", drag_js),
    FILE_OF("files.js", files_js),
    FILE_OF("format.js", format_js),
    FILE_OF("icon.svg", icon_svg),
    FILE_OF("icons.js", icons_js),
    FILE_OF("index.html", index_html),
    FILE_OF("layout.js", layout_js),
    FILE_OF("learn.js", learn_js),
    FILE_OF("main.js", main_js),
    FILE_OF("meters.js", meters_js),
    FILE_OF("panel.js", panel_js),
    FILE_OF("plots.js", plots_js),
    FILE_OF("plotview.js", plotview_js),
    FILE_OF("readouts.js", readouts_js),
    FILE_OF("scenes.js", scenes_js),
    FILE_OF("session.js", session_js),
    FILE_OF("state.js", state_js),
    FILE_OF("style.css", style_css),
    FILE_OF("tempo.js", tempo_js),
    FILE_OF("transport.js", transport_js),
    FILE_OF("views.css", views_css),
    FILE_OF("welcome.js", welcome_js),
};

struct web_page_file web_page_file_at(size_t index) {
  if (index < sizeof files / sizeof files[0]) return files[index];
  return (struct web_page_file){NULL, NULL, 0};
}
