// SandboxParts.swift: the parts of a sandbox. SPDX-License-Identifier: MIT

internal import CSandbox

/// The parts of a sandbox that the kernel supports.
package struct SandboxParts: OptionSet, Sendable {
  package let rawValue: UInt32
  /// Parts from bits of `csandbox.h`.
  package init(rawValue: UInt32) { self.rawValue = rawValue }
  /// Landlock limits the files.
  package static let files = SandboxParts(rawValue: UInt32(CSANDBOX_FILES))
  /// Seccomp limits the system calls.
  package static let calls = SandboxParts(rawValue: UInt32(CSANDBOX_CALLS))

  /// What the sandbox of a node does not contain, as a sentence; nil if it is complete. [any]
  package func gap(of node: String) -> String? {
    if !contains(.files) {
      return
        "The sandbox of \(node) does not limit files, because this kernel has no Landlock. Use Linux"
        + " 5.13 or later with Landlock enabled."
    }
    guard !contains(.calls) else { return nil }
    return
      "The sandbox of \(node) limits only files, not the network and processes, because this kernel"
      + " has no seccomp filters. Use a kernel with seccomp."
  }
}
