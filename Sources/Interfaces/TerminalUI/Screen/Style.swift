// Style.swift: colours and attributes of the screen's parts. SPDX-License-Identifier: MIT

/// The colours that a terminal can show.
package enum ColourDepth: Sendable {
  /// No colours; bold, dim and reverse text remain.
  case none
  /// The sixteen colours of the terminal's own palette.
  case sixteen
  /// The palette of 256 colours.
  case palette

  /// Returns the colours for the variables TERM, COLORTERM and NO_COLOR.
  package init(environment: [String: String]) {
    if let value = environment["NO_COLOR"], !value.isEmpty {
      self = .none
    } else if environment["COLORTERM"]?.isEmpty == false
      || environment["TERM"]?.contains("256color") == true
    {
      self = .palette
    } else {
      self = environment["TERM"]?.hasPrefix("vt") == true ? .none : .sixteen
    }
  }
}

/// The style of a cell: the role of its text, and the background.
struct Style: Equatable, Sendable {
  /// The meaning of the text.
  enum Role: Sendable {
    case plain, dim, strong, accent, frame, track, good, warning, bad
  }

  /// The background of the text.
  enum Ground: Sendable {
    case none
    /// The selected row of the pane that receives keys.
    case selection
    /// The selected row of another pane.
    case idleSelection
    /// The lines at the top and bottom.
    case bar
  }

  var role: Role
  var ground: Ground

  init(_ role: Role, on ground: Ground = .none) { (self.role, self.ground) = (role, ground) }

  static let plain = Style(.plain)

  /// The parameters of the control sequence that selects the style (ECMA-48, SGR).
  func parameters(_ depth: ColourDepth) -> String {
    let parts = ["0", role.parameters(depth), ground.parameters(depth)]
    return parts.filter { !$0.isEmpty }.joined(separator: ";")
  }
}

extension Style.Role {
  fileprivate func parameters(_ depth: ColourDepth) -> String {
    switch (self, depth) {
    case (.plain, _): ""
    case (.strong, _): "1"
    case (.dim, .none): "2"
    case (.dim, .sixteen), (.frame, .sixteen), (.track, .sixteen): "90"
    case (.dim, .palette): "38;5;246"
    case (.frame, .palette): "38;5;240"
    case (.track, .palette): "38;5;240"
    case (.frame, .none), (.track, .none), (.good, .none): ""
    case (.accent, .none), (.warning, .none), (.bad, .none): "1"
    case (.accent, .sixteen): "36"
    case (.accent, .palette): "38;5;80"
    case (.good, .sixteen): "32"
    case (.good, .palette): "38;5;77"
    case (.warning, .sixteen): "33"
    case (.warning, .palette): "38;5;221"
    case (.bad, .sixteen): "1;31"
    case (.bad, .palette): "1;38;5;203"
    }
  }
}

extension Style.Ground {
  fileprivate func parameters(_ depth: ColourDepth) -> String {
    switch (self, depth) {
    case (.none, _), (.idleSelection, .none): ""
    case (.selection, .none), (.bar, .none), (.bar, .sixteen): "7"
    case (.selection, .sixteen): "44"
    case (.idleSelection, .sixteen): "1"
    case (.selection, .palette): "48;5;24"
    case (.idleSelection, .palette): "48;5;237"
    case (.bar, .palette): "48;5;236"
    }
  }
}
