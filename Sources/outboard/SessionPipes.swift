// SessionPipes.swift: the cards and pipes of a session. SPDX-License-Identifier: MIT

import ArgumentParser
import AudioDriver
import Console
import PipeIO
import RigSchema
import Session

/// Selects the devices of a session that are pipes, and opens them.
struct SessionPipes {
  /// The requests for standard input and output; nil if a card or nothing is used instead.
  let input: DeviceRequest?
  let output: DeviceRequest?
  /// Whether no card is used and the pipe is the clock.
  let hasNoCard: Bool
  private let registry: DriverRegistry

  /// Checks the devices before anything is opened.
  ///
  /// A session with `isEndless` runs until its input ends.
  init(_ rig: RigDescription, _ arguments: StreamArguments, isEndless: Bool) throws {
    registry = .withStreams(arguments.options)
    let inputs = rig.inputs.map(\.request)
    let outputs = rig.outputs.map(\.request)
    for fault in [
      StandardStream.fault(in: inputs, option: "--in"),
      StandardStream.fault(in: outputs, option: "--out"),
    ] {
      if let fault { throw ValidationError(fault) }
    }
    let (captured, played) = (StandardStream.part(inputs), StandardStream.part(outputs))
    if let conflict = registry.conflict(in: inputs + outputs) {
      throw ValidationError(conflict.description)
    }
    (input, output) = (captured.stream, played.stream)
    hasNoCard =
      captured.cards.isEmpty && played.cards.isEmpty && (input != nil || output != nil)
    if arguments.raw != nil, input == nil {
      throw ValidationError("--raw describes standard input, so it needs --in -.")
    }
    for (name, isSaid) in [
      ("out-format", arguments.outFormat != nil), ("container", arguments.container != nil),
    ] where isSaid && output == nil {
      throw ValidationError("--\(name) describes standard output, so it needs --out -.")
    }
    if input != nil { try PipeInput.check(0) }
    guard let output else { return }
    let request = arguments.output(output)
    try request.check()
    if isEndless, hasNoCard, input == nil, request.isFile {
      throw ValidationError(
        "Without an input or a card, the output has no end and no clock. Set --duration or use"
          + " --in dummy.")
    }
  }

  /// Opens the cards and pipes.
  ///
  /// Calls `canWait` ten times per second while no data arrives. Calls `onEnd` on another thread when the audio ends.
  func open(
    _ request: StreamRequest, _ prepared: PreparedRig, rate: Int?, seconds: Double?,
    canWait: @escaping () -> Bool, onEnd: @escaping @Sendable () -> Void
  ) throws -> any AudioDriver {
    var context = DriverContext { inputs, plays, rateHz, defaultFrames in
      if let rate, rate != rateHz {
        throw ValidationError(
          "Without a card, the graph runs at the rate of standard input (\(rateHz) Hz). Remove"
            + " --rate."
        )
      }
      let shape = try prepared.shape(
        inputChannelCount: inputs, plays: plays, sampleRateHz: rateHz,
        defaultBlockFrames: defaultFrames
      )
      return .init(outputChannelCount: shape.outputChannelCount, blockFrames: shape.blockFrames)
    }
    context.seconds = seconds
    context.canWait = canWait
    context.onEnd = onEnd
    return try registry.open(request, context)
  }
}
