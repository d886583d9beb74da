// IsolatedNode+Sandbox.swift: the sandbox of an isolated node. SPDX-License-Identifier: MIT

internal import CSandbox
package import PluginModel

extension IsolatedNode {
  /// The parts of its sandbox that are in force; nil without a sandbox. [any]
  package var sandboxParts: SandboxParts? { worker.sandbox?.parts }

  /// The time that the process took to enter its sandbox, in ns; 0 without a sandbox. [main]
  package var sandboxSetupNanoseconds: UInt64 {
    worker.sandbox?.record.memory.pointee.setup_nanoseconds ?? 0
  }

  /// Returns what the sandbox has refused since the last call, each kind only once. [main]
  ///
  /// What a process tried before it ended is returned as well.
  package func takeRefusals() -> [SandboxRefusal] { worker.sandbox?.record.takeRefusals() ?? [] }

  /// Everything that the sandbox has refused so far. [main]
  package var refusals: [SandboxRefusal] { worker.sandbox?.record.all ?? [] }

  /// Whether the plugin may read the file that a property names; otherwise it needs another sandbox. [main]
  package func canRead(_ value: PropertyValue) -> Bool {
    guard let sandbox = worker.sandbox, case .path(let path) = value else { return true }
    return sandbox.canRead(path)
  }
}
