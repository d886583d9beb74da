// SignalMeter.swift: a ring of frames that another thread measures. SPDX-License-Identifier: MIT

package import ErrorModel
package import RealtimeKit
import Synchronization

/// Measures the audio that a render thread puts into a ring, on the metering thread.
///
/// The render thread copies a block and continues. Frames that do not fit into the ring, because
/// nothing was measured for seconds, are counted and reported as lost.
package final class SignalMeter: @unchecked Sendable {
  // Unchecked for the pointer to the ring, whose two sides are the render thread's and the lock's holder's.

  /// The default length of the ring, in seconds, for times when the processors are busy.
  package static let defaultRingSeconds = 2.0

  /// The ring that the render thread writes. [render]
  package let ring: UnsafeMutablePointer<FrameRing>
  private let measurement: Mutex<LevelMeasurement>
  private let journal: LevelLogger?

  /// Creates an empty meter that is not yet measured. [main]
  ///
  /// A block is no longer than `maximumFrameCount`; `log` is the file for the levels.
  package init(
    channelCount: Int, sampleRateHz: Double, maximumFrameCount: Int, log: LevelLogSettings? = nil,
    ringSeconds: Double = defaultRingSeconds
  ) {
    ring = .allocate(capacity: 1)
    ring.initialize(
      to: FrameRing(
        channelCount: channelCount,
        frameCount: max(Int(sampleRateHz * ringSeconds), 2 * maximumFrameCount)))
    let journal = log.map { LevelLogger($0) }
    self.journal = journal
    let next = LevelMeasurement(channelCount: channelCount, sampleRateHz: sampleRateHz, for: .live)
    next.observer = journal
    measurement = Mutex(next)
  }

  deinit {
    ring.deinitialize(count: 1)
    ring.deallocate()
  }

  /// Starts the measurement. [main]
  ///
  /// - Throws: `LevelLogError` if the level log cannot be created.
  package func start() throws(LevelLogError) {
    try journal?.start()
    MeteringThread.shared.add(self)
  }

  /// Measures the remaining frames and ends. [main, not rendering]
  package func stop() {
    MeteringThread.shared.remove(self)
    drain()
    journal?.stop()
  }

  /// All that is known now. [any but render]
  package var reading: MeterReading {
    drain()
    return measurement.withLock { $0.reading }
  }

  /// Discards all measured values. [any but render]
  package func restart() {
    drain()
    measurement.withLock { $0.restart() }
  }

  /// Returns the notices about the log since the last call. [any but render]
  package func takeNotices() -> [HostNotice] { journal?.notices.take() ?? [] }

  /// The path of the log if lines of it were lost. [any but render]
  package var incompleteLog: String? { journal?.incompletePath }

  /// Measures the frames in the ring. [any but render]
  func drain() {
    measurement.withLock { measurement in
      // No longer than the present data: the writer continues.
      var left = ring.pointee.capacity
      while left > 0, let piece = ring.pointee.next(atMost: left) {
        switch piece {
        case .frames(let start, let count):
          measurement.measure(ring.pointee.buffers, from: start, frameCount: count)
          left -= count
        case .gap(let count): measurement.recordLostFrames(frameCount: count)
        }
        ring.pointee.drop(piece)
      }
    }
  }
}
