// Rendering.swift: the state of one rendering. SPDX-License-Identifier: MIT

import CRealtime
import Glibc
import RealtimeKit

/// The positions of a rendering in its input and output.
struct Rendering: ~Copyable {
  private let callback: RenderCallback
  private let source: (any FrameSource)?
  private let blockFrames: Int
  private let sampleRateHz: Double
  private let latencyFrames: Int
  /// The frame at which the input is cut, or the total length without an input.
  private let frameLimit: Int
  /// The end of scheduled MIDI, before which the input does not end.
  private let eventFrames: Int
  private var tail: Tail
  /// The length of the tail that was cut before it was silent, in seconds; nil otherwise.
  var cutTailSeconds: Double? { tail.isCut ? Double(tail.maximumFrames) / sampleRateHz : nil }
  /// Frames read from the source.
  private var read = 0
  /// The end of the input, once it is known.
  private(set) var inputEnd: Int?
  /// Whether the actions at that frame were done.
  private var hasPassedEnd = false
  private let keepsBlocks: Bool
  /// The outputs of the first part of the block in which the input ends.
  private let firstPart: PlanarBuffer
  /// The number of frames rendered, including the latency.
  private var rendered = 0

  init(_ settings: RenderSettings, _ renderer: Renderer, _ source: (any FrameSource)?) {
    let format = renderer.format
    callback = renderer.callback
    self.source = source
    blockFrames = max(1, min(settings.blockFrames, format.maximumFrameCount))
    sampleRateHz = format.sampleRateHz
    latencyFrames = settings.latencyFrames
    keepsBlocks = settings.keepsBlocks
    firstPart = PlanarBuffer(
      channelCount: format.outputChannelCount, frameCapacity: blockFrames)
    frameLimit = settings.seconds.map { Int(($0 * format.sampleRateHz).rounded()) } ?? .max
    let hasLength = source != nil || (settings.eventSeconds != nil && settings.seconds == nil)
    eventFrames = min(
      frameLimit, Int(((settings.eventSeconds ?? 0) * sampleRateHz).rounded(.up)))
    tail = Tail(
      hasLength ? settings.tail : .seconds(0), gridFrames: settings.tailGridFrames,
      sampleRateHz: sampleRateHz, channelCount: format.outputChannelCount,
      blockFrames: blockFrames)
    inputEnd = source != nil ? nil : hasLength ? eventFrames : frameLimit
  }

  /// The audio so far that is aligned with the input, in seconds.
  var seconds: Double { Double(max(0, rendered - latencyFrames)) / sampleRateHz }

  func progress(elapsedSeconds: Double) -> RenderProgress {
    let total = inputEnd ?? source?.frameCount.map { max(eventFrames, min($0, frameLimit)) }
    return RenderProgress(
      seconds: seconds, totalSeconds: total.map { Double($0) / sampleRateHz },
      timesRealTime: seconds / max(elapsedSeconds, 1e-9))
  }

  /// Renders one block; returns whether another one is needed.
  mutating func step(to writer: SinkWriter, atInputEnd: (() -> Void)? = nil) throws -> Bool {
    try fillInputs()
    render(atInputEnd)
    // The output position of the block: negative within the latency.
    let position = rendered - latencyFrames
    rendered += blockFrames
    let first = max(0, -position)
    guard first < blockFrames else { return true }
    let bodyEnd = inputEnd.map { min(blockFrames, max(first, $0 - position)) } ?? blockFrames
    try writer.append(
      callback.outputs.channels, from: first, bodyEnd - first)
    guard inputEnd != nil, bodyEnd < blockFrames || position + blockFrames == inputEnd else {
      return true
    }
    if !tail.isOver && bodyEnd < blockFrames {
      try tail.append(callback.outputs, from: bodyEnd, blockFrames - bodyEnd) {
        try writer.append($0, from: 0, $1)
      }
    }
    return !tail.isOver
  }

  /// Renders a block: in two parts if the input ends in it and there is a callback.
  private mutating func render(_ atInputEnd: (() -> Void)?) {
    guard let atInputEnd, !hasPassedEnd, let inputEnd,
      inputEnd + latencyFrames <= rendered + blockFrames
    else { return render(frameCount: blockFrames) }
    hasPassedEnd = true
    // If the end is detected with the first frame after it, the first part is empty.
    let first = keepsBlocks ? blockFrames : max(0, inputEnd + latencyFrames - rendered)
    let rest = blockFrames - first
    if first > 0 { render(frameCount: first) }
    atInputEnd()
    guard rest > 0 else { return }
    let inputs = callback.inputs.channels
    let outputs = callback.outputs.channels
    for channel in 0 ..< callback.inputs.channelCount {
      inputs[channel].update(from: inputs[channel] + first, count: rest)
    }
    for channel in 0 ..< firstPart.channelCount {
      firstPart[channel].update(from: outputs[channel], count: first)
    }
    render(frameCount: rest)
    for channel in 0 ..< firstPart.channelCount {
      (outputs[channel] + first).update(from: outputs[channel], count: rest)
      outputs[channel].update(from: firstPart[channel], count: first)
    }
  }

  private func render(frameCount: Int) {
    crealtime_render(
      callback.function, UInt32(truncatingIfNeeded: frameCount), crealtime_nanoseconds())
  }

  private mutating func fillInputs() throws {
    let channels = callback.inputs.channels
    var received = 0
    if let source, inputEnd == nil {
      let wanted = min(blockFrames, frameLimit - read)
      received = try source.read(into: channels, frameCount: wanted)
      read += received
      if received < wanted || read == frameLimit { inputEnd = max(read, eventFrames) }
    }
    guard received < blockFrames else { return }
    for channel in 0 ..< callback.inputs.channelCount {
      memset(channels[channel] + received, 0, (blockFrames - received) * MemoryLayout<Float>.stride)
    }
  }
}
