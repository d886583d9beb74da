// Glyphs.swift: the characters that lines and bars are drawn with. SPDX-License-Identifier: MIT

/// The characters for lines, bars and marks: of Unicode, or of ASCII for terminals with small fonts.
struct Glyphs: Sendable {
  var horizontal = "─"
  var vertical = "│"
  /// Top left, top right, bottom left, bottom right.
  var corners = ["╭", "╮", "╰", "╯"]
  var fill = "━"
  var track = "─"
  var knob = "●"
  var isOn = "●"
  var isOff = "○"
  var fault = "!"
  var marker = "▸"
  var menu = "▾"
  var hold = "│"
  var gap = "·"
  /// Parts of a full block, by eighths.
  var blocks = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"]
  /// Parts of a full block from below, by eighths.
  var bars = ["", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]
  var ellipsis = "…"
  var up = "▲"
  var down = "▼"
  /// Whether only ASCII characters are used.
  var isASCII = false

  /// Unicode.
  static let unicode = Glyphs()

  /// ASCII.
  static let ascii = Glyphs(
    horizontal: "-", vertical: "|", corners: ["+", "+", "+", "+"], fill: "=", track: "-",
    knob: "O", isOn: "*", isOff: "o", fault: "!", marker: ">", menu: "v", hold: "|",
    gap: ".", blocks: ["", "", "", "", "#", "#", "#", "#", "#"],
    bars: ["", ".", ".", ".", ":", ":", "|", "|", "|"], ellipsis: "~", up: "^", down: "v",
    isASCII: true)
}
