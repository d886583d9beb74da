// TerminalScreen.swift: the terminal while a view has it. SPDX-License-Identifier: MIT

import Console
import Glibc

/// A terminal in raw mode that shows the alternate screen, and its return to what it was before.
final class TerminalScreen {
  /// The size of a terminal that does not report it.
  private static let usualSize = (rows: 24, columns: 80)
  // The alternate screen; no cursor; bracketed paste. Then the mouse: buttons, dragging, large coordinates.
  private static let enter = "\u{1b}[?1049h\u{1b}[?25l\u{1b}[?2004h"
  private static let enterMouse = "\u{1b}[?1000h\u{1b}[?1002h\u{1b}[?1006h"
  private static let leave =
    "\u{1b}[?2026l\u{1b}[?1006l\u{1b}[?1002l\u{1b}[?1000l\u{1b}[?2004l\u{1b}[0m\u{1b}[?25h\u{1b}[?1049l"

  private let output: Terminal
  private let mode: RawMode
  private let depth: ColourDepth
  private let hasMouse: Bool
  private var shown: CellBuffer?
  private var isEntered = false

  /// Prepares the terminal on standard input and output; nothing is changed yet.
  init(_ output: Terminal, depth: ColourDepth, hasMouse: Bool) {
    (self.output, self.depth, self.hasMouse) = (output, depth, hasMouse)
    mode = RawMode(STDIN_FILENO)
  }

  /// The size in cells.
  var size: (rows: Int, columns: Int) {
    var size = winsize()
    guard unsafe ioctl(output.descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0,
      size.ws_col > 0
    else { return Self.usualSize }
    return (Int(size.ws_row), Int(size.ws_col))
  }

  /// Takes the terminal; also after another program had it.
  func begin() {
    mode.begin()
    isEntered = true
    shown = nil
    output.writeRaw(Self.enter + (hasMouse ? Self.enterMouse : ""))
  }

  /// Restores the settings of the terminal.
  func end() {
    guard isEntered else { return }
    isEntered = false
    output.writeRaw(Self.leave)
    mode.end()
  }

  /// Shows a screen.
  func show(_ buffer: CellBuffer) {
    guard isEntered else { return }
    let text = ScreenUpdate.text(from: shown, to: buffer, depth: depth)
    if !text.isEmpty { output.writeRaw(text) }
    shown = buffer
  }

  /// Writes everything again with the next screen, because the terminal may show something else.
  func invalidate() { shown = nil }
}

/// A terminal's input without line editing, echo and signals.
final class RawMode {
  private let descriptor: Int32
  private let keepsLineBreaks: Bool
  private var before = termios()
  private var isRaw = false

  /// Prepares a terminal; nothing is changed yet.
  ///
  /// With `keepsLineBreaks`, a line feed in the output still begins a new line.
  init(_ descriptor: Int32, keepsLineBreaks: Bool = false) {
    (self.descriptor, self.keepsLineBreaks) = (descriptor, keepsLineBreaks)
  }

  /// Makes each key arrive at once; stores the settings from before.
  func begin() {
    guard !isRaw, unsafe tcgetattr(descriptor, &before) == 0 else { return }
    var raw = before
    unsafe cfmakeraw(&raw)
    if keepsLineBreaks { raw.c_oflag = before.c_oflag }
    isRaw = unsafe tcsetattr(descriptor, TCSADRAIN, &raw) == 0
  }

  /// Restores the settings.
  func end() {
    guard isRaw else { return }
    unsafe tcsetattr(descriptor, TCSADRAIN, &before)
    isRaw = false
  }
}
