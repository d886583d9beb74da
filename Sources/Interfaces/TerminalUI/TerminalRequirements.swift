// TerminalRequirements.swift: whether a display can be drawn. SPDX-License-Identifier: MIT

import Console
package import ErrorModel
import Glibc

/// Why a terminal cannot show a display.
package enum TerminalRequirements: HostError, Equatable {
  /// Standard input or output is a file or pipe.
  case noTerminal
  /// The terminal cannot move the cursor, or is not known.
  case noCursor(term: String)

  /// Checks standard input, standard output and TERM.
  ///
  /// - Throws: the first requirement that is not met.
  package static func check(_ environment: [String: String]) throws(TerminalRequirements) {
    guard isatty(STDIN_FILENO) == 1, Terminal.output.isInteractive else { throw .noTerminal }
    let term = environment["TERM"] ?? ""
    if term.isEmpty || term == "dumb" || term == "unknown" { throw .noCursor(term: term) }
  }

  /// The message for users.
  package var description: String {
    switch self {
    case .noTerminal:
      "`outboard ui` needs a terminal for input and output. Use `outboard shell` for pipes."
    case .noCursor(let term):
      term.isEmpty
        ? "TERM is not set, so the terminal is unknown. Set it, or use `outboard shell`."
        : "The terminal \"\(term)\" cannot move the cursor. Use `outboard shell`."
    }
  }

  /// The request cannot work here.
  package var kind: ErrorKind { .usage }
}
