// Event+Refused.swift: the event about a sandbox. SPDX-License-Identifier: MIT

extension Event {
  /// What the sandbox of a node has refused.
  package struct Refused: Sendable, Equatable, Codable {
    /// The node's name in the rig.
    package var node: String
    /// The name of its plugin.
    package var plugin: String
    /// What was refused: `network`, `communication`, `process`, `inspection`, `signal`, `system`, `home`, `read` or
    /// `write`.
    package var request: String
    /// The system call; nil if unknown.
    package var call: String?
    /// The file; nil if there is none, or it is unknown.
    package var path: String?
    /// The refusal as a sentence.
    package var notice: String

    /// Creates an event.
    package init(
      node: String, plugin: String, request: String, call: String?, path: String?, notice: String
    ) {
      (self.node, self.plugin, self.request) = (node, plugin, request)
      (self.call, self.path, self.notice) = (call, path, notice)
    }
  }
}
