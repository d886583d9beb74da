// BlackBox+Setup.swift: what makes a black box, and reads it. SPDX-License-Identifier: MIT

import RealtimeKit
import Synchronization

extension BlackBox {
  /// Sound is kept for fewer seconds where all of it together would need more than this, in bytes.
  private static let mostBytes = 96 << 20
  /// More than is asked for, so that what is read is not overwritten meanwhile: by this share.
  private static let margin = 0.25

  /// An empty box for an engine, which keeps so many seconds. [main]
  init(_ settings: Engine.Settings, seconds: Double) {
    let channelCount = settings.inputChannelCount + settings.outputChannelCount
    let most = Self.mostBytes / (MemoryLayout<Float>.stride * max(1, channelCount))
    let wanted = Int(seconds * (1 + Self.margin) * settings.sampleRateHz)
    frameCapacity = max(settings.maximumFrameCount * 2, min(wanted, most))
    // Devices may ask for blocks that are shorter than the longest.
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

  /// A copy of what is kept. [any one thread, while rendering too]
  func snapshot(sampleRateHz: Double) -> BlackBoxSnapshot {
    let end = frameCount.load(ordering: .acquiring)
    let lastBlock = blockCount.load(ordering: .acquiring)
    let lastMessage = messageCount.load(ordering: .acquiring)
    // Nothing of the oldest part, which is overwritten next.
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
    // What is overwritten soonest is copied first.
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

/// The last seconds of what was rendered.
package struct BlackBoxSnapshot: Sendable {
  /// A node by the address of its step's state, which is only compared.
  package struct NodeAddress: @unchecked Sendable, Hashable {
    private let address: UnsafeRawPointer
    /// The address of a step's context.
    package init(_ address: UnsafeRawPointer) { self.address = address }
  }

  /// One block.
  package struct Block: Sendable {
    /// The frame of `inputs` and `outputs` that it begins with.
    package var frame: Int
    /// Its frames.
    package var frameCount: Int
    /// When it began, on CLOCK_MONOTONIC, and how long it took, in ns.
    package var startedAt: UInt64
    /// How long it took, in ns.
    package var nanoseconds: UInt64
    /// The node that took longest, and its time in ns; nil where nodes were not measured.
    package var slowest: (node: NodeAddress, nanoseconds: UInt64)?
  }

  /// The start of one MIDI message that was played.
  package struct Message: Sendable {
    /// The frame of `inputs` and `outputs` at which it took effect.
    package var frame: Int
    /// How long it is, and its first bytes, at most three.
    package var byteCount: Int
    /// Its first bytes, at most three.
    package var bytes: [UInt8]
  }

  /// Frames a second.
  package var sampleRateHz: Double
  /// What came in, and what went out before the devices' conversion: a row for each channel, all of one
  /// length.
  package var inputs: [[Float]]
  /// What went out, likewise.
  package var outputs: [[Float]]
  /// The blocks, in their order.
  package var blocks: [Block]
  /// The messages, in their order.
  package var messages: [Message]
}

extension Engine {
  /// The last seconds of what was rendered; nil where the engine does not keep them. [any one thread, while
  /// rendering too]
  package func takeSnapshot() -> BlackBoxSnapshot? {
    pointer.pointee.blackBox?.pointee.snapshot(sampleRateHz: settings.sampleRateHz)
  }
}
