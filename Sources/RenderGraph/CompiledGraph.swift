// CompiledGraph.swift: a program with all that it needs to live. SPDX-License-Identifier: MIT

import CRealtime
import PluginModel

/// A program, its memory, and the nodes it calls: made by `GraphCompiler`, given to `Engine.install`.
package final class CompiledGraph {
  /// Frames by which the outputs are later than the inputs.
  package let latencyFrames: Int
  /// The steps in the order in which they run, one line each.
  package let listing: [String]
  /// How many buffers the nodes share.
  package let bufferCount: Int

  /// What the engine is given; valid as long as this object lives.
  let program: UnsafeMutablePointer<Program>
  private let memory: ProgramMemory
  private let nodes: [any Node]
  private let eventDelays: [EventDelay]

  init(
    memory: ProgramMemory, program: UnsafeMutablePointer<Program>, nodes: [any Node],
    eventDelays: [EventDelay], latencyFrames: Int, bufferCount: Int, listing: [String]
  ) {
    self.memory = memory
    self.program = program
    self.nodes = nodes
    self.eventDelays = eventDelays
    self.latencyFrames = latencyFrames
    self.bufferCount = bufferCount
    self.listing = listing
  }
}
