// SessionPipes.swift: what a run opens: cards, streams, or both. SPDX-License-Identifier: MIT

import ALSADriver
import ArgumentParser
import AudioDriver
import Console
import DummyDriver
import PipeIO
import Rig
import Session

/// Which devices of a run are streams, and how they are opened.
struct SessionPipes {
  /// What is asked of standard input and output; nil where a card, or nothing, is in their place.
  let input: DeviceRequest?
  let output: DeviceRequest?
  /// Whether there is no card at all: the pipe is the clock.
  let hasNoCard: Bool
  private let arguments: StreamArguments

  /// What is said in the place of a card where there is none, but a pace is wanted.
  static let clock = "dummy"

  /// Why a rig's devices cannot be combined, as one sentence; nil if they can.
  static func clockFault(_ rig: RigDescription) -> String? {
    let devices =
      StandardStream.part(rig.inputs.map(\.request)).cards
      + StandardStream.part(rig.outputs.map(\.request)).cards
    guard devices.contains(where: { $0.device == clock }),
      let card = devices.first(where: { $0.device != clock })
    else { return nil }
    return
      "\(clock) and \(card.device) cannot be combined: \(clock) is a clock that takes the place of all sound"
      + " cards; name a card for both directions, or \(clock) for both."
  }

  /// Looks at what is to be opened; what can be wrong with it is told before anything is.
  ///
  /// A run that `isEndless` goes on until its input ends.
  init(_ rig: RigDescription, _ arguments: StreamArguments, isEndless: Bool) throws {
    self.arguments = arguments
    let inputs = rig.inputs.map(\.request)
    let outputs = rig.outputs.map(\.request)
    for fault in [
      StandardStream.fault(in: inputs, option: "--in"),
      StandardStream.fault(in: outputs, option: "--out"),
    ] {
      if let fault { throw ValidationError(fault) }
    }
    let (captured, played) = (StandardStream.part(inputs), StandardStream.part(outputs))
    if let fault = Self.clockFault(rig) { throw ValidationError(fault) }
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
        "Without an input and a card the sound has neither an end nor a pace, and fills the disk; say how"
          + " long it is with --duration, or have --in dummy give the pace.")
    }
  }

  /// Opens the cards and the streams.
  ///
  /// `mayWait` is asked ten times a second while nothing comes through the pipe; `onEnd` is called when the
  /// sound has ended by itself, from another thread.
  func open(
    _ request: StreamRequest, _ prepared: PreparedRig, rate: Int?, seconds: Double?,
    mayWait: () -> Bool, onEnd: @escaping @Sendable () -> Void
  ) throws -> any Driver {
    guard input != nil || output != nil else { return try openCards(request) }
    let source = try openInput(mayWait)
    if hasNoCard { return try openPipe(source, prepared, rate, seconds, onEnd) }
    var request = request
    request.inputs = StandardStream.part(request.inputs).cards
    let played = StandardStream.part(request.outputs)
    request.outputs = played.cards
    let driver = try openCards(request)
    let sink = try played.stream.map { side in
      try PipeOutput(
        arguments.output(side), channelCount: side.usedChannelCount ?? 2,
        sampleRateHz: Int(driver.stream.sampleRateHz))
    }
    return PipeBridgeDriver(
      driver, input: source, clock: input?.clock ?? .automatic, output: sink)
  }

  private func openCards(_ request: StreamRequest) throws -> any Driver {
    let isClock = (request.inputs + request.outputs).contains { $0.device == Self.clock }
    return isClock ? try DummyDriver(request: request) : try ALSADriver(request: request)
  }

  private func openInput(_ mayWait: () -> Bool) throws -> PipeInput? {
    guard input != nil else { return nil }
    var looks = 0
    return try PipeInput(raw: arguments.raw.flatMap { PipeFormat(text: $0) }) {
      looks += 1
      // Two seconds, after which a person may wonder.
      if looks == 20 { Terminal.error.writeLine("outboard: Waiting for sound on standard input.") }
      return mayWait()
    }
  }

  private func openPipe(
    _ source: PipeInput?, _ prepared: PreparedRig, _ rate: Int?, _ seconds: Double?,
    _ onEnd: @escaping @Sendable () -> Void
  ) throws -> any Driver {
    let wanted = rate ?? prepared.rig.sampleRateHz
    let rateHz = source?.format.sampleRateHz ?? wanted ?? 48_000
    if let rate, rate != rateHz {
      throw ValidationError(
        "Without a card the graph runs at the rate of standard input, \(rateHz) Hz; leave --rate out."
      )
    }
    let shape = try prepared.shape(
      inputChannelCount: source?.format.channelCount ?? 0, plays: output != nil,
      sampleRateHz: rateHz, usualBlockFrames: PipeDriver.usualBlockFrames)
    let sink = try output.map { side in
      try PipeOutput(
        arguments.output(side), channelCount: shape.outputChannelCount, sampleRateHz: rateHz)
    }
    let note =
      wanted == rateHz || wanted == nil
      ? []
      : ["The rig asks for \(wanted ?? 0) Hz; it runs at standard input's \(rateHz) Hz instead."]
    return PipeDriver(
      input: source, output: sink, periodFrames: shape.blockFrames, sampleRateHz: rateHz,
      seconds: seconds, notes: note, onEnd: onEnd)
  }
}
