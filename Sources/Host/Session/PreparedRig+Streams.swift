// PreparedRig+Streams.swift: a rig between files or pipes, where nothing gives a pace. SPDX-License-Identifier: MIT

import Rig

extension PreparedRig {
  /// Whether anything listens to the input.
  var usesInput: Bool { rig.connections.contains { $0.from.place == .input } }

  /// The channels and blocks that a rig has between pipes: those that it has between files.
  ///
  /// - Throws: where it hears no input and there is one, or plays nothing and something `plays`.
  package func shape(
    inputChannelCount: Int, plays: Bool, sampleRateHz: Int, usualBlockFrames: Int
  ) throws -> (outputChannelCount: Int, blockFrames: Int) {
    if inputChannelCount > 0, !usesInput { throw SessionError.inputUnused(path: "standard input") }
    let plan = try plan(
      inputChannelCount: inputChannelCount, outputChannelCount: rig.outputChannelCount)
    if plays, plan.outputChannelCount == 0 { throw SessionError.nothingToRender }
    let blockFrames =
      rig.periodFrames
      ?? plan.blockFrames(atMost: usualBlockFrames, sampleRateHz: sampleRateHz)
    return (plan.outputChannelCount, blockFrames)
  }
}

extension RigPlan {
  /// How long blocks are where no card waits for them: at most as long as the shortest delay in a loop.
  func blockFrames(atMost usual: Int, sampleRateHz: Int) -> Int {
    guard let seconds = shortestLoopSeconds else { return usual }
    return max(1, min(usual, Int((seconds * Double(sampleRateHz)).rounded())))
  }
}
