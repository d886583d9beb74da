// PreparedRig+Streams.swift: a rig between files or pipes, without a device clock. SPDX-License-Identifier: MIT

import RigPlanning
import RigSchema

extension PreparedRig {
  /// Whether a node uses the input.
  var usesInput: Bool { rig.connections.contains { $0.from.place == .input } }

  /// Returns the channels and block length of a rig between pipes, which equal those between files.
  ///
  /// - Throws: `SessionError` if there is an input that no node uses, or if `plays` is true and no node is connected
  /// to the output.
  package func shape(
    inputChannelCount: Int, plays: Bool, sampleRateHz: Int, defaultBlockFrames: Int
  ) throws -> (outputChannelCount: Int, blockFrames: Int) {
    if inputChannelCount > 0, !usesInput { throw SessionError.inputUnused(path: "standard input") }
    let plan = try plan(
      inputChannelCount: inputChannelCount, outputChannelCount: rig.outputChannelCount)
    if plays, plan.outputChannelCount == 0 { throw SessionError.nothingToRender }
    let blockFrames =
      rig.periodFrames
      ?? plan.blockFrames(atMost: defaultBlockFrames, sampleRateHz: sampleRateHz)
    return (plan.outputChannelCount, blockFrames)
  }
}

extension RigPlan {
  /// The block length without a card: at most the shortest delay in a feedback loop.
  func blockFrames(atMost limit: Int, sampleRateHz: Int) -> Int {
    guard let seconds = shortestLoopSeconds else { return limit }
    return max(1, min(limit, Int((seconds * Double(sampleRateHz)).rounded())))
  }
}
