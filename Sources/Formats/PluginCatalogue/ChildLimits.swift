// ChildLimits.swift: how long and how large a child may get. SPDX-License-Identifier: MIT

import Synchronization

/// What a child process is allowed before it is ended.
package struct ChildLimits: Sendable, Equatable {
  /// How long it may read one unit, in seconds, without a sign of life.
  package var scanSeconds = 10.0
  /// How long one stage of a trial may take, in seconds.
  package var trialSeconds = 20.0
  /// Its address space, in bytes; the largest plugins that work take 0.5 GB.
  package var memoryBytes: UInt64 = 4 << 30
  /// How long a folder may take to answer, in seconds.
  package var folderSeconds = 5.0
  /// How many children read at once, at least 1; nil for one for each processor, up to four.
  package var scanChildCount: Int?

  /// The limits that serve in practice.
  package init() {}

  /// Those of code that is being written: whoever saved it waits for it.
  package static var source: ChildLimits {
    var limits = ChildLimits()
    limits.trialSeconds = sourceSeconds
    return limits
  }

  /// How long each thing that is done with such code may take, in seconds.
  package static let sourceSeconds = 2.0
}

/// How a child is started: normally this program itself, with a hidden argument.
package struct ChildCommand: Sendable {
  /// Path of the executable.
  package var executable: String
  /// Its arguments, without its own name.
  package var arguments: [String]
  /// What ends its children early; nil where each is waited for.
  package var ender: ChildProcessCanceller?
  /// Whether the child's heap may keep small chunks for reuse, which then hold what was in them before.
  package var cachesSmallMemory = true
  /// Whether no child is started: bundles are read and code is asked in this process, and nothing is tried.
  package var isInProcess = false

  /// Any executable that calls `ScanHelper.run`.
  package init(executable: String, arguments: [String]) {
    self.executable = executable
    self.arguments = arguments
  }

  /// This program, which must call `ScanHelper.run` when it sees `ScanHelper.argument`.
  package static var thisProgram: ChildCommand {
    var command = ChildCommand(
      executable: ThisProgram.path, arguments: [ScanHelper.argument])
    command.isInProcess = areForbidden.load(ordering: .relaxed)
    return command
  }

  /// Has `thisProgram` start no children from now on, for debuggers and profilers. [any]
  package static func forbidChildren() { areForbidden.store(true, ordering: .relaxed) }

  private static let areForbidden = Atomic(false)
}
