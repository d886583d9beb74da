// Recording.swift: files that are written during rendering. SPDX-License-Identifier: MIT

import AudioFiles
package import ErrorModel
import Glibc
package import RealtimeKit
import Synchronization

/// A recorder's takes, their ring, and the thread between them.
///
/// If the disk stalls, the thread outlives this object's users: it keeps the object alive.
package final class Recording: @unchecked Sendable {
  // Unchecked for the pointer to the ring, whose two sides are the render thread's and the writer's.

  /// The default length of the ring, in seconds, for times when the disk is busy.
  package static let defaultRingSeconds = 10.0
  /// The time limit for completing a file, in seconds.
  package static let timeoutSeconds = 10.0

  /// The settings of the recorder.
  package let request: RecorderSettings
  /// The ring that the render thread writes. [render]
  package let ring: UnsafeMutablePointer<FrameRing>

  let sampleRateHz: Int
  let notices = NoticeQueue()
  private let status: Mutex<RecordingStatus>
  private let stopSignal = StopSignal()

  /// Creates a recording without a file. [main]
  init(_ request: RecorderSettings, sampleRateHz: Double, ringFrameCount: Int) {
    self.request = request
    self.sampleRateHz = Int(sampleRateHz.rounded())
    ring = .allocate(capacity: 1)
    ring.initialize(
      to: FrameRing(channelCount: request.channelCount, frameCount: ringFrameCount))
    status = Mutex(RecordingStatus())
  }

  deinit {
    ring.deinitialize(count: 1)
    ring.deallocate()
  }

  /// The state of its files, oldest first; empty before the first start. [any]
  package var reports: [RecordingReport] { status.withLock { $0.reports } }

  /// The state of the last file. [any]
  package var report: RecordingReport { reports.last ?? report(of: request.path) }

  /// Whether the recording was started, and has ended. [any]
  package var isStopped: Bool { status.withLock { $0.hasStopped } }

  /// Returns the notices since the last call. [any]
  package func takeNotices() -> [HostNotice] {
    // While the disk is stalled, the writer cannot report the loss itself.
    if ring.pointee.lastGapFrameCount > 0, wanted == .recording {
      reportLostFrames(at: reports.count - 1)
    }
    return notices.take()
  }

  /// Returns the notices about the files that have ended since the last call. [any]
  package func takeSummaries() -> [HostNotice] {
    status.withLock { status in
      let ended = status.reports.dropFirst(status.reportedCount).prefix {
        $0.isFinished || status.hasStopped
      }
      status.reportedCount += ended.count
      return ended.map(\.summary)
    }
  }

  // MARK: - Start and end

  /// Starts the writing thread, and the first file unless it waits for a command. [main]
  ///
  /// - Throws: `AudioFileError` if the file cannot be created, or the error of its name.
  func start() throws {
    let take = request.startsWaiting ? nil : try beginTake()
    let writer = RecordingWriter(self)
    if let take {
      // From the first frame on that there is.
      update { $0.orders.append(ScheduledCommand(position: 0, action: .begin(take))) }
    }
    guard let code = DetachedThread.start({ writer.run() }) else {
      status.withLock {
        $0.isRunning = true
        $0.state = take == nil ? .stopped : .recording
      }
      return
    }
    take?.discard()
    throw AudioFileError.notWritable(
      path: take?.path ?? request.path, reason: String(cString: strerror(code)))
  }

  /// Writes everything and completes the file; no block is being rendered or will be. [main]
  func stop() {
    guard status.withLock({ $0.isRunning }) else { return }
    stopSignal.signal()
    var timeout = Self.timeoutSeconds
    while !status.withLock({ $0.hasEnded }), timeout > 0 {
      usleep(1_000)
      timeout -= 0.001
    }
    status.withLock {
      $0.isRunning = false
      $0.hasStopped = true
    }
  }

  // MARK: - Orders

  /// The requested state. [any]
  package var wanted: RecordingState { status.withLock { $0.state } }

  /// The state, as a part of a message. [any]
  package var state: String {
    let (state, report) = status.withLock { ($0.state, $0.reports.last) }
    let path = report?.path ?? request.path
    return switch state {
    case .stopped: "waits for its start"
    case .recording: "records to \(path), \(report?.length ?? "")"
    case .paused: "is paused, \(report?.length ?? "") in \(path)"
    }
  }

  /// Executes a command from a frame on; a file is created at once. [main]
  ///
  /// - Parameters:
  ///   - order: the command.
  ///   - position: the frame, counted from the first one of the recorder; nil for the next one.
  /// - Returns: the new state, as a part of a message.
  /// - Throws: `RecordingError` if the command is not possible, `AudioFileError` if a file cannot
  ///   be created.
  package func perform(_ order: RecorderCommand, at position: Int? = nil) throws -> String {
    let position = position ?? ring.pointee.offeredFrameCount
    let state = status.withLock { $0.state }
    let path = report.path
    func send(_ action: ScheduledCommand.Action, _ next: RecordingState) {
      update {
        $0.orders.append(ScheduledCommand(position: position, action: action))
        $0.state = next
      }
    }
    switch (order, state) {
    case (.start, .stopped):
      let take = try beginTake()
      send(.begin(take), .recording)
      return "records to \(take.path)"
    case (.start, .recording): throw RecordingError.alreadyRecording(path: path)
    case (.start, .paused), (.resume, .paused):
      send(.resume, .recording)
      return "continues in \(path)"
    case (.resume, .recording): throw RecordingError.notPaused(path: path)
    case (_, .stopped): throw RecordingError.notRecording
    case (.stop, _):
      send(.end, .stopped)
      return "completes \(path)"
    case (.pause, .recording):
      send(.pause, .paused)
      return "pauses in \(path)"
    case (.pause, .paused): throw RecordingError.paused(path: path)
    case (.split, _):
      send(.split, state)
      return "continues in another file after \(path)"
    case (.mark(let text), _):
      send(.mark(text), state)
      return "marks \(path)"
    }
  }

  /// Begins the next take.
  private func beginTake() throws -> Take {
    let name = try TakeFileName(request.path)
    var values = TakeFileName.Values()
    values.take = name.nextTake()
    do throws(AudioFileError) {
      return try makeTake(name, values)
    } catch .recordingExists(let path) where !reports.isEmpty {
      // It is most likely its own.
      throw RecordingError.nameExists(path: path)
    } catch {
      throw error
    }
  }

  /// Begins a file and takes it up among the reports. [main or writer]
  func makeTake(_ name: TakeFileName, _ values: TakeFileName.Values) throws(AudioFileError) -> Take
  {
    let take = try Take(request, name, values, sampleRateHz: sampleRateHz)
    let report = report(of: take.path)
    update {
      take.reportIndex = $0.reports.count
      $0.reports.append(report)
    }
    return take
  }

  private func report(of path: String) -> RecordingReport {
    RecordingReport(path: path, channelCount: request.channelCount, sampleRateHz: sampleRateHz)
  }

  // MARK: - For the writer

  /// Waits for this time, or until the end is requested; returns whether it is. [writer]
  func waitForStop(milliseconds: Int32) -> Bool {
    var event = pollfd(fd: stopSignal.descriptor, events: Int16(POLLIN), revents: 0)
    poll(&event, 1, milliseconds)
    return stopSignal.isRaised
  }

  /// Changes the status. [any but render]
  func update(_ change: (inout RecordingStatus) -> Void) {
    status.withLock { change(&$0) }
  }

  /// Reports once that a file loses frames. [any but render]
  func reportLostFrames(at index: Int) {
    let path = status.withLock { $0.takeLossyPath(at: index) }
    if let path { notices.append(.recordingLosesFrames(path)) }
  }

  /// The frame of the next command; nil for none. [writer]
  var nextOrderPosition: Int? { status.withLock { $0.orders.first?.position } }

  /// The next order, if it is due. [writer]
  func takeDueCommand(dueAt position: Int) -> ScheduledCommand? {
    status.withLock { status in
      guard let first = status.orders.first, first.position <= position else { return nil }
      return status.orders.removeFirst()
    }
  }
}

/// The state of a recorder.
package enum RecordingState {
  case stopped, recording, paused
}

/// Data that the writer shares with other threads.
struct RecordingStatus {
  /// The requested state, which the writer reaches later.
  var state = RecordingState.stopped
  var reports: [RecordingReport] = []
  /// The number of reported items.
  var reportedCount = 0
  var orders: [ScheduledCommand] = []
  var isRunning = false
  var hasEnded = false
  var hasStopped = false
  /// The files whose losses were reported.
  private var reportedLossTakes: Set<Int> = []

  /// Returns the path of a file that loses frames, once.
  mutating func takeLossyPath(at index: Int) -> String? {
    guard reports.indices.contains(index), reports[index].failure == nil,
      !reports[index].isFinished, reportedLossTakes.insert(index).inserted
    else { return nil }
    return reports[index].path
  }
}
