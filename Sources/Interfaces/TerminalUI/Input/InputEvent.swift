// InputEvent.swift: what a user does at a terminal. SPDX-License-Identifier: MIT

/// A key, the mouse, or pasted text.
enum InputEvent: Equatable, Sendable {
  /// A key.
  case key(Key, Modifiers)
  /// The mouse.
  case mouse(Mouse)
  /// Text that was pasted at once.
  case paste(String)

  /// A key of a keyboard.
  enum Key: Hashable, Sendable {
    case character(Character)
    case enter, tab, backTab, escape, backspace, delete, insert
    case up, down, left, right, home, end, pageUp, pageDown
    /// F1 and so on.
    case function(Int)
  }

  /// Keys that are held.
  struct Modifiers: OptionSet, Hashable, Sendable {
    let rawValue: Int
    static let shift = Modifiers(rawValue: 1)
    static let alt = Modifiers(rawValue: 2)
    static let control = Modifiers(rawValue: 4)
  }

  /// An action of the mouse at a cell.
  struct Mouse: Equatable, Sendable {
    /// The action.
    enum Action: Equatable, Sendable {
      /// A button goes down: 0 left, 1 middle, 2 right.
      case press(Int)
      case drag, release
      /// 1 up, -1 down.
      case wheel(Int)
    }

    var action: Action
    var row: Int
    var column: Int
    var modifiers: Modifiers
  }
}
