// BlackBox+Setup.swift: creates and reads a black box. SPDX-License-Identifier: MIT

import RealtimeKit
import Synchronization

extension BlackBox {
  /// The limit of the memory for audio, in bytes.
  ///
  /// If it is not enough, fewer seconds are kept.
  private static let maximumBytes = 96 << 20
  /// The additional share that is kept, so that a reader finishes before its data is overwritten.
  private static let margin = 0.0625

  /// Creates an empty box that keeps `seconds` of an engine's audio. [main]
  init(_ settings: Engine.Settings, seconds: Double) {
    let channelCount = settings.inputChannelCount + settings.outputChannelCount
    let maximumFrames = Self.maximumBytes / (MemoryLayout<Float>.stride * max(1, channelCount))
    let wanted = Int(seconds * (1 + Self.margin) * settings.sampleRateHz)
    frameCapacity = max(settings.maximumFrameCount * 2, min(wanted, maximumFrames))
    // Devices may request blocks that are shorter than the maximum.
    blockCapacity = min(max(1_024, wanted * 2 / settings.maximumFrameCount), 65_536)
    messageCapacity = 4_096
    inputs = PlanarBuffer(channelCount: settings.inputChannelCount, frameCapacity: frameCapacity)
    outputs = PlanarBuffer(
      channelCount: settings.outputChannelCount, frameCapacity: frameCapacity)
    blocks = .allocate(capacity: blockCapacity)
    blocks.initialize(repeating: Block(), count: blockCapacity)
    messages = .allocate(capacity: messageCapacity)
    messages.initialize(repeating: Message(), count: messageCapacity)
  }

  /// Returns a copy of the recent past. [any one thread, while rendering too]
  func snapshot(sampleRateHz: Double) -> BlackBoxSnapshot {
    let end = frameCount.load(ordering: .acquiring)
    let lastBlock = blockCount.load(ordering: .acquiring)
    let lastMessage = messageCount.load(ordering: .acquiring)
    // Excludes the oldest part, which is overwritten next.
    let count = min(end, Int(Double(frameCapacity) / (1 + Self.margin)))
    let start = end - count
    func rows(_ buffer: borrowing PlanarBuffer) -> [[Float]] {
      var rows: [[Float]] = []
      for channel in 0 ..< buffer.channelCount {
        let row = buffer[channel]
        rows.append(
          [Float](unsafeUninitializedCapacity: count) { samples, initialized in
            if let target = samples.baseAddress {
              copyOutOfRing(
                row, at: start % frameCapacity, capacity: frameCapacity, target, count: count)
            }
            initialized = count
          })
      }
      return rows
    }
    let blockStart = max(0, lastBlock - blockCapacity * 3 / 4)
    let messageStart = max(0, lastMessage - messageCapacity * 3 / 4)
    // Copies the data first that is overwritten soonest.
    let keptBlocks = (blockStart ..< lastBlock).map { blocks[$0 % blockCapacity] }
    let keptMessages = (messageStart ..< lastMessage).map { messages[$0 % messageCapacity] }
    return BlackBoxSnapshot(
      sampleRateHz: sampleRateHz, inputs: rows(inputs), outputs: rows(outputs),
      blocks:
        keptBlocks
        .filter { $0.frame >= start && $0.frame < end }
        .map { block in
          BlackBoxSnapshot.Block(
            frame: block.frame - start, frameCount: block.frameCount, startedAt: block.startedAt,
            nanoseconds: block.nanoseconds,
            slowest: block.slowestNode.map {
              (BlackBoxSnapshot.NodeAddress($0), block.slowestNanoseconds)
            })
        },
      messages:
        keptMessages
        .filter { $0.frame >= start && $0.frame < end }
        .map { message in
          BlackBoxSnapshot.Message(
            frame: message.frame - start, byteCount: message.byteCount,
            bytes: (0 ..< min(3, message.byteCount)).map {
              UInt8(truncatingIfNeeded: message.bytes >> ($0 * 8))
            })
        })
  }
}

/// A copy of the last seconds of the rendering.
package struct BlackBoxSnapshot: Sendable {
  /// Identifies a node by the address of its step's state.
  ///
  /// The address is only compared.
  package struct NodeAddress: @unchecked Sendable, Hashable {
    private let address: UnsafeRawPointer
    /// Wraps the address of a step's context.
    package init(_ address: UnsafeRawPointer) { self.address = address }
  }

  /// One rendered block.
  package struct Block: Sendable {
    /// The first frame in `inputs` and `outputs`.
    package var frame: Int
    /// The length, in frames.
    package var frameCount: Int
    /// When it began, on CLOCK_MONOTONIC, in ns.
    package var startedAt: UInt64
    /// How long it took, in ns.
    package var nanoseconds: UInt64
    /// The node that took longest, and its time in ns; nil if nodes were not measured.
    package var slowest: (node: NodeAddress, nanoseconds: UInt64)?
  }

  /// The first bytes of one MIDI message that was rendered.
  package struct Message: Sendable {
    /// The frame in `inputs` and `outputs` at which it took effect.
    package var frame: Int
    /// The length, in bytes.
    package var byteCount: Int
    /// The first bytes, at most three.
    package var bytes: [UInt8]
  }

  /// The sample rate, in Hz.
  package var sampleRateHz: Double
  /// The captured audio: one array for each channel, all of the same length.
  package var inputs: [[Float]]
  /// The played audio before the devices convert it: one array for each channel, as long as
  /// `inputs`.
  package var outputs: [[Float]]
  /// The blocks, oldest first.
  package var blocks: [Block]
  /// The messages, oldest first.
  package var messages: [Message]
}

extension Engine {
  /// Returns the last seconds of the rendering, or nil if the engine does not keep them. [any one
  /// thread, while rendering too]
  package func takeSnapshot() -> BlackBoxSnapshot? {
    pointer.pointee.blackBox?.pointee.snapshot(sampleRateHz: settings.sampleRateHz)
  }
}
