// VirtualPipe.swift: a pipe and a card in virtual time. SPDX-License-Identifier: MIT

import AdaptiveResampling
import AudioDriver
import Glibc
import RealtimeKit
import Synchronization

@testable import PipeIO

/// A source that writes a tone in bursts by its own clock, and a card that reads it in blocks by another clock.
final class VirtualPipe {
  let reader: PipeInputReader
  let blockFrames = 256
  let rateHz: Double
  let graphRateHz = 48_000.0
  let frequencyHz = 997.0
  /// The rate of the source's clock relative to the card's.
  var partsPerMillion = 0.0
  /// Frames that the source writes at a time.
  var burstFrames = 960
  /// The largest delay of bursts in seconds.
  var jitterSeconds = 0.0
  /// Whether the source writes now.
  var isWriting = true
  /// Whether the source writes as soon as the pipe has room.
  var nonLive = false
  /// The played samples.
  private(set) var received: [Float] = []
  /// Seconds of the card.
  private(set) var seconds = 0.0

  private let rows: PlanarBuffer
  private let burst: PlanarBuffer
  private var sourceFrames = 0
  /// When the next burst is due, before jitter.
  private var due = 0.0
  private var seed: UInt64 = 1

  init(rateHz: Int = 48_000, clock: DeviceRequest.Clock = .automatic) throws {
    self.rateHz = Double(rateHz)
    let pipe = TestPipe()
    pipe.send(Header(channels: 1, rate: rateHz).bytes)
    let input = try PipeInput(descriptor: pipe.readEnd)
    reader = PipeInputReader(input, clock, graphRateHz: graphRateHz, blockFrames: blockFrames)
    rows = PlanarBuffer(channelCount: 1, frameCapacity: blockFrames)
    burst = PlanarBuffer(channelCount: 1, frameCapacity: 65_536)
  }

  var feed: UnsafeMutablePointer<PipeInputState> { reader.feed }

  /// The number of underruns and overruns.
  var faults: Int {
    feed.pointee.dryCount.load(ordering: .relaxed) + feed.pointee.overCount.load(ordering: .relaxed)
  }
  var isReportedStill: Bool {
    feed.pointee.isStalled(
      dryFor: PipeBridgeDriver.reportAfterNanoseconds, at: nanoseconds(seconds))
  }
  var isOver: Bool { feed.pointee.isOver.load(ordering: .relaxed) }
  /// The measured deviation of the source's clock, in parts per million.
  var drift: Double { Double(bitPattern: feed.pointee.drift.load(ordering: .relaxed)) }
  /// The number of frames in the ring and in the resampler.
  var heldFrames: Double {
    Double(feed.pointee.ring.pointee.heldFrameCount) + (feed.pointee.input?.pointee.heldFrames ?? 0)
  }

  /// Returns the source's frame of this number.
  func sample(_ frame: Int) -> Float {
    Float(0.5 * sin(2 * .pi * frequencyHz / rateHz * Double(frame)))
  }

  func run(seconds length: Double) {
    let end = seconds + length
    while seconds < end {
      seconds += Double(blockFrames) / graphRateHz
      deliver()
      reader.recordEmptyRead(at: nanoseconds(seconds))
      reader.reclassifySource()
      readInputBlock(feed, rows.channels, blockFrames, at: nanoseconds(seconds))
      received.append(contentsOf: UnsafeBufferPointer(start: rows[0], count: blockFrames))
    }
  }

  func forget() { received = [] }

  /// The largest step between neighbouring samples, minus that of a tone of this frequency.
  var roughness: Float {
    let factor = Float(2 * cos(2 * .pi * frequencyHz / graphRateHz))
    return received.withUnsafeBufferPointer { captured in
      var worst: Float = 0
      var frame = 2
      while frame < captured.count {
        worst = max(
          worst, abs(captured[frame] - factor * captured[frame - 1] + captured[frame - 2]))
        frame += 1
      }
      return worst
    }
  }

  private func deliver() {
    guard isWriting else {
      // A stopped card does not buffer frames.
      due = seconds
      return
    }
    if nonLive {
      while true {
        let ring = feed.pointee.ring
        let room = ring.pointee.capacity - ring.pointee.heldFrameCount
        guard room > 0 else { break }
        write(min(room, 4_096), at: seconds)
      }
      reader.recordFullPipe()
      return
    }
    let period = Double(burstFrames) / (rateHz * (1 + partsPerMillion * 1e-6))
    while due + late <= seconds {
      write(burstFrames, at: due + late)
      due += period
      draw()
    }
  }

  private var late = 0.0

  private func draw() {
    seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    late = jitterSeconds * Double(seed >> 40) / Double(1 << 24)
  }

  private func write(_ count: Int, at seconds: Double) {
    for frame in 0 ..< count { burst[0][frame] = sample(sourceFrames + frame) }
    sourceFrames += count
    reader.put(burst.channels, count)
    reader.recordArrival(count, at: nanoseconds(seconds))
  }

  private func nanoseconds(_ seconds: Double) -> UInt64 { UInt64((1_000 + seconds) * 1e9) }
}
