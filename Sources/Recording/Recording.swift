// Recording.swift: a file that grows while sound is rendered. SPDX-License-Identifier: MIT

import AudioFiles
import Glibc
package import RealtimeKit
import Synchronization

/// A file, the ring that leads to it, and the thread between them.
///
/// The thread outlives this object's users where the disk stands still: it keeps the object alive.
package final class Recording: @unchecked Sendable {
  // Unchecked for the pointer to the ring, whose two sides are the render thread's and the writer's.

  /// How much sound a ring holds while the disk is busy, in seconds.
  package static let usualRingSeconds = 10.0
  /// How long the end of a file is waited for, in seconds.
  package static let patienceSeconds = 10.0

  /// What it was asked for.
  package let request: RecordingRequest
  /// Where the render thread leaves its frames. [render]
  package let ring: UnsafeMutablePointer<FrameRing>

  private let sampleRateHz: Int
  private let status: Mutex<RecordingStatus>
  private let stopSignal = StopSignal()

  /// A recording that is not begun yet. [main]
  init(_ request: RecordingRequest, sampleRateHz: Double, ringFrameCount: Int) {
    self.request = request
    self.sampleRateHz = Int(sampleRateHz.rounded())
    ring = .allocate(capacity: 1)
    ring.initialize(
      to: FrameRing(channelCount: request.channelCount, frameCount: ringFrameCount))
    status = Mutex(
      RecordingStatus(
        RecordingReport(
          path: request.path, channelCount: request.channelCount, sampleRateHz: self.sampleRateHz)))
  }

  deinit {
    ring.deinitialize(count: 1)
    ring.deallocate()
  }

  /// How it goes. [any]
  package var report: RecordingReport { status.withLock { $0.report } }

  /// Whether it was begun, and its end was waited for. [any]
  package var isStopped: Bool { status.withLock { $0.hasStopped } }

  /// What happened since the last call, one sentence each. [any]
  package func takeNotices() -> [String] {
    status.withLock { status in
      defer { status.notices = [] }
      return status.notices
    }
  }

  // MARK: - Start and end

  /// Begins the file and the thread that writes it. [main]
  ///
  /// - Throws: `AudioFileError` where the file cannot be begun.
  func start() throws(AudioFileError) {
    var file = try AudioFileWriter(request.settings(sampleRateHz: sampleRateHz))
    // It opens from the first moment on.
    try file.refreshHeader()
    let writer = RecordingWriter(self, file)
    guard let code = writer.start() else {
      status.withLock { $0.isRunning = true }
      return
    }
    throw .notWritable(path: request.path, reason: systemText(code))
  }

  /// Has everything written and ends the file; no block is under way and none follows. [main]
  func stop() {
    guard status.withLock({ $0.isRunning }) else { return }
    stopSignal.raise()
    var patience = Self.patienceSeconds
    while !report.isFinished, patience > 0 {
      usleep(1_000)
      patience -= 0.001
    }
    status.withLock {
      $0.isRunning = false
      $0.hasStopped = true
    }
  }

  // MARK: - For the writer

  /// Waits for so long, or until the end is asked for; whether it is. [writer]
  func waitForStop(milliseconds: Int32) -> Bool {
    var event = pollfd(fd: stopSignal.descriptor, events: Int16(POLLIN), revents: 0)
    poll(&event, 1, milliseconds)
    return stopSignal.isRaised
  }

  /// Changes what is known of it. [writer]
  func update(_ change: (inout sending RecordingStatus) -> Void) {
    status.withLock { change(&$0) }
  }
}

/// What the writer and those who ask share.
struct RecordingStatus {
  var report: RecordingReport
  var notices: [String] = []
  var isRunning = false
  var hasStopped = false

  init(_ report: RecordingReport) { self.report = report }
}

private func systemText(_ number: Int32) -> String { String(cString: strerror(number)) }
