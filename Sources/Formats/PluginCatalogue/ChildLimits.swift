// ChildLimits.swift: limits of helper processes. SPDX-License-Identifier: MIT

import Synchronization

/// The limits of a helper process.
package struct ChildLimits: Sendable, Equatable {
  /// The timeout for a bundle without a sign of life, in seconds.
  package var scanSeconds = 10.0
  /// The timeout for a preflight stage, in seconds.
  package var preflightSeconds = 20.0
  /// The maximum address space, in bytes; the largest working plugins use 0.5 GB.
  package var memoryBytes: UInt64 = 4 << 30
  /// The timeout for reading a directory, in seconds.
  package var directorySeconds = 5.0
  /// The number of parallel scan processes, at least 1; nil for one per processor, up to four.
  package var scanHelperCount: Int?

  /// Creates default limits.
  package init() {}

  /// The limits for source modules: the user is waiting for the result.
  package static var source: ChildLimits {
    var limits = ChildLimits()
    limits.preflightSeconds = sourceSeconds
    return limits
  }

  /// The timeout for each step with a source module, in seconds.
  package static let sourceSeconds = 2.0
}

/// The command that starts a helper process: normally this program with a hidden argument.
package struct ChildCommand: Sendable {
  /// The path of the executable.
  package var executable: String
  /// The arguments, without the program name.
  package var arguments: [String]
  /// Ends its helper processes early; nil to wait for them.
  package var canceller: ChildProcessCanceller?
  /// Whether the helper's heap may reuse small chunks, which then contain old data.
  package var cachesSmallMemory = true
  /// Environment variables that replace those of this process.
  ///
  /// By default, names are in their original language, so that the catalogue does not depend on the user's locale.
  package var environment = ["LANG": "C.UTF-8", "LC_ALL": "C.UTF-8"]
  /// Whether no helper process is started.
  ///
  /// Bundles are then read in this process, without preflight.
  package var isInProcess = false

  /// Creates a command for any executable that calls `ScanHelper.run`.
  package init(executable: String, arguments: [String]) {
    self.executable = executable
    self.arguments = arguments
  }

  /// The command for this program, which must call `ScanHelper.run` for `ScanHelper.argument`.
  package static var thisProgram: ChildCommand {
    var command = ChildCommand(
      executable: ThisProgram.path, arguments: [ScanHelper.argument])
    command.isInProcess = areForbidden.load(ordering: .relaxed)
    return command
  }

  /// Makes `thisProgram` start no helper processes from now on, for debuggers and profilers. [any]
  package static func forbidChildren() { areForbidden.store(true, ordering: .relaxed) }

  private static let areForbidden = Atomic(false)
}
