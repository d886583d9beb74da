// PortOption.swift: the options that open a port. SPDX-License-Identifier: MIT

/// An option of `run` that opens a port for other programs.
package struct PortOption: Sendable, Equatable {
  /// The option with its dashes.
  let name: String
  /// The port without a request, or the next free one.
  let defaultPort: Int
  /// What the program cannot do without the port, as the first words of a message.
  let failure: String

  /// An option by its name, its usual port, and what fails without a port.
  package init(name: String, defaultPort: Int, failure: String) {
    (self.name, self.defaultPort, self.failure) = (name, defaultPort, failure)
  }

  /// `--http`.
  package static let http = PortOption(
    name: "--http", defaultPort: 8_420, failure: "The web server cannot listen")

  /// The ports that are tried without a request.
  var ports: Range<Int> { defaultPort ..< defaultPort + 20 }
}
