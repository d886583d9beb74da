// NodeSandbox.swift: what a node in a sandbox may use. SPDX-License-Identifier: MIT

/// The files and rights of a node in a sandbox, besides its plugin's files and the libraries of the system.
package struct NodeSandbox: Sendable, Equatable {
  /// Files and directories that may be read, as absolute paths.
  package var files: [String]

  /// A sandbox that allows these files to be read.
  package init(files: [String] = []) { self.files = files }
}
