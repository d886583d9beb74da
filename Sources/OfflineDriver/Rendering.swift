// Rendering.swift: one rendering on its way, block by block. SPDX-License-Identifier: MIT

import Glibc
import RealtimeKit
import RenderGraph

/// The positions of one rendering: how much was read, rendered and kept.
struct Rendering: ~Copyable {
  private let engine: Engine
  private let source: (any FrameSource)?
  private let blockFrames: Int
  private let sampleRateHz: Double
  private let latencyFrames: Int
  /// Where the input is cut; the whole length where there is none.
  private let frameLimit: Int
  /// Where MIDI that was laid down ends, and so the input at the soonest.
  private let eventFrames: Int
  private var tail: Tail
  /// Frames read from the source.
  private var read = 0
  /// Where the input ended, once that is known.
  private var inputEnd: Int?
  /// Frames rendered, those of the latency included.
  private var rendered = 0

  init(_ settings: RenderSettings, _ engine: Engine, _ source: (any FrameSource)?) {
    self.engine = engine
    self.source = source
    blockFrames = max(1, min(settings.blockFrames, engine.settings.maximumFrameCount))
    sampleRateHz = engine.settings.sampleRateHz
    latencyFrames = settings.latencyFrames
    frameLimit = settings.seconds.map { Int(($0 * engine.settings.sampleRateHz).rounded()) } ?? .max
    let hasLength = source != nil || (settings.eventSeconds != nil && settings.seconds == nil)
    eventFrames = min(
      frameLimit, Int(((settings.eventSeconds ?? 0) * sampleRateHz).rounded(.up)))
    tail = Tail(
      hasLength ? settings.tail : .seconds(0), sampleRateHz: sampleRateHz,
      channelCount: engine.settings.outputChannelCount, blockFrames: blockFrames)
    inputEnd = source != nil ? nil : hasLength ? eventFrames : frameLimit
  }

  /// Sound that is in line with the input so far, in seconds.
  var seconds: Double { Double(max(0, rendered - latencyFrames)) / sampleRateHz }

  func progress(elapsedSeconds: Double) -> RenderProgress {
    let total = inputEnd ?? source?.frameCount.map { max(eventFrames, min($0, frameLimit)) }
    return RenderProgress(
      seconds: seconds, totalSeconds: total.map { Double($0) / sampleRateHz },
      timesRealTime: seconds / max(elapsedSeconds, 1e-9))
  }

  /// Renders one block; returns whether another one is needed.
  mutating func step(to writer: SinkThread) throws -> Bool {
    try fillInputs()
    renderBlock(engine.pointer, blockFrames)
    // What was rendered, by its place in the output: negative while it is latency.
    let place = rendered - latencyFrames
    rendered += blockFrames
    let first = max(0, -place)
    guard first < blockFrames else { return true }
    let bodyEnd = inputEnd.map { min(blockFrames, max(first, $0 - place)) } ?? blockFrames
    try writer.append(
      engine.pointer.pointee.outputs.channels, from: first, bodyEnd - first)
    guard inputEnd != nil, bodyEnd < blockFrames || place + blockFrames == inputEnd else {
      return true
    }
    if !tail.isOver && bodyEnd < blockFrames {
      try tail.take(engine.pointer.pointee.outputs, from: bodyEnd, blockFrames - bodyEnd) {
        try writer.append($0, from: 0, $1)
      }
    }
    return !tail.isOver
  }

  private mutating func fillInputs() throws {
    let channels = engine.pointer.pointee.inputs.channels
    var got = 0
    if let source, inputEnd == nil {
      let wanted = min(blockFrames, frameLimit - read)
      got = try source.read(into: channels, frameCount: wanted)
      read += got
      if got < wanted || read == frameLimit { inputEnd = max(read, eventFrames) }
    }
    guard got < blockFrames else { return }
    for channel in 0 ..< engine.settings.inputChannelCount {
      memset(channels[channel] + got, 0, (blockFrames - got) * MemoryLayout<Float>.stride)
    }
  }
}
