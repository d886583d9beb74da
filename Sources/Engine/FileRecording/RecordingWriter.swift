// RecordingWriter.swift: the thread that empties a ring into files. SPDX-License-Identifier: MIT

import AudioFiles
import CRealtime
import ErrorModel
import RealtimeKit

/// Empties a recording's ring ten times a second; the header follows each time, the disk every
/// second.
///
/// The recorder's audio passes through the ring at all times. Commands contain their frame and are
/// executed when it arrives. Takes therefore begin and end to the frame, even on a slow disk.
final class RecordingWriter: @unchecked Sendable {
  // Unchecked as it belongs to its thread from the start of that on.

  private static let pauseMilliseconds: Int32 = 100
  private static let flushSeconds = 1.0
  /// The number of samples that are written to the file at once.
  private static let pieceSampleCount = 65_536

  private let recording: Recording
  private let channelCount: Int
  private let piece: UnsafeMutablePointer<Float>
  private let pieceFrameCount: Int
  private let preroll: Preroll
  /// The current file.
  private var take: Take?
  /// Frames taken out of the ring, lost ones included.
  private var position = 0
  /// The start of a pause; nil if there is none.
  private var pausedSince: Int?

  init(_ recording: Recording) {
    self.recording = recording
    let request = recording.request
    channelCount = request.channelCount
    pieceFrameCount = max(1, Self.pieceSampleCount / channelCount)
    piece = .allocate(capacity: pieceFrameCount * channelCount)
    piece.initialize(repeating: 0, count: pieceFrameCount * channelCount)
    let seconds = request.prerollSeconds
    preroll = Preroll(
      channelCount: channelCount,
      frameCount: Int((seconds * Double(recording.sampleRateHz)).rounded()))
  }

  deinit {
    piece.deallocate()
  }

  /// Writes until the end. [writer]
  func run() {
    var flushed = now()
    var isLast = false
    while !isLast {
      isLast = recording.waitForStop(milliseconds: Self.pauseMilliseconds)
      drain()
      if !isLast, now() - flushed >= Self.flushSeconds {
        report(take?.flush())
        checkName()
        flushed = now()
      }
    }
    finish()
  }

  // MARK: - Frames

  private func drain() {
    let ring = recording.ring
    var refreshed = now()
    runDueCommands()
    while let next = ring.pointee.next(atMost: framesToNextCommand(pieceFrameCount)) {
      switch next {
      case .frames(let start, let count):
        Interleaving.join(
          ring.pointee.buffers, from: start, to: piece, channelCount: channelCount,
          frameCount: count)
        consume(count)
      case .gap(let count): consumeGap(count)
      }
      ring.pointee.drop(next)
      runDueCommands()
      if now() - refreshed > Double(Self.pauseMilliseconds) / 1_000 {
        flushHeader()
        refreshed = now()
      }
    }
    if ring.pointee.lastGapFrameCount > 0 { reportLostFrames() }
    flushHeader()
  }

  /// Records this number of frames of the chunk.
  private func consume(_ count: Int) {
    preroll.add(piece, frameCount: count)
    if pausedSince == nil { write(piece, count) }
    position += count
  }

  /// Inserts silence for frames that were lost.
  private func consumeGap(_ count: Int) {
    if pausedSince == nil, let take {
      reportLostFrames()
      report(take.addMarker("\(count) frames lost", frameCount: framesToNextCommand(count)))
    }
    piece.update(repeating: 0, count: pieceFrameCount * channelCount)
    var left = count
    while left > 0 {
      let length = framesToNextCommand(min(left, pieceFrameCount))
      if pausedSince == nil { take?.lostFrameCount += length }
      consume(length)
      runDueCommands()
      left -= length
    }
  }

  /// Writes frames to the current file, and to further files if it is split.
  private func write(_ samples: UnsafePointer<Float>, _ count: Int) {
    var done = 0
    while done < count, let take {
      let length = take.framesThatFit(atMost: count - done)
      if length == 0 {
        split()
        continue
      }
      report(take.write(samples + done * channelCount, frameCount: length), endsFile: true)
      done += length
    }
  }

  /// Completes the file in its current state, and reports its length.
  private func flushHeader() {
    guard let take else { return }
    report(take.refresh(), endsFile: true)
    updateStatus(take)
  }

  private func updateStatus(_ take: Take, isFinished: Bool = false) {
    let (frameCount, clipped) = (take.frameCount, take.clippedSampleCount)
    // It is not known yet which file a current gap belongs to.
    let open = isFinished || pausedSince != nil ? 0 : recording.ring.pointee.lastGapFrameCount
    let lost = take.lostFrameCount + open
    recording.update { status in
      status.reports[take.reportIndex].frameCount = frameCount
      status.reports[take.reportIndex].clippedSampleCount = clipped
      status.reports[take.reportIndex].lostFrameCount = lost
      status.reports[take.reportIndex].isFinished = isFinished
    }
  }

  // MARK: - Orders

  private func framesToNextCommand(_ count: Int) -> Int {
    // Those that are due have been met.
    recording.nextOrderPosition.map { max(1, min(count, $0 - position)) } ?? count
  }

  private func runDueCommands() {
    while let order = recording.takeDueCommand(dueAt: position) { run(order.action) }
  }

  private func run(_ action: ScheduledCommand.Action) {
    switch action {
    case .begin(let next):
      end()
      take = next
      preroll.forEach { write($0, $1) }
    case .end: end()
    case .pause: pausedSince = position
    case .resume:
      let paused = position - (pausedSince ?? position)
      pausedSince = nil
      let seconds = RecordingReport.tenths(Double(paused) / Double(recording.sampleRateHz))
      report(take?.addMarker("paused for \(seconds) s"))
    case .split: split()
    case .mark(let text): report(take?.addMarker(text))
    }
  }

  /// Continues in another file without a gap.
  private func split() {
    guard let take else { return }
    var nameValues = take.nameValues
    nameValues.part += 1
    do {
      let next = try recording.makeTake(try TakeFileName(recording.request.path), nameValues)
      end(take)
      self.take = next
    } catch {
      take.extend()
      report(.recordingNotSplit(take.path, error))
    }
  }

  private func end() {
    if let take { end(take) }
    take = nil
    pausedSince = nil
  }

  private func end(_ take: Take) {
    if !take.hasName { recording.update { $0.reports[take.reportIndex].isLost = true } }
    report(take.end(), endsFile: true)
    updateStatus(take, isFinished: true)
  }

  // MARK: - Errors

  /// Reports an event; if it ends the file, further frames are lost until another take.
  private func report(_ notice: HostNotice?, endsFile: Bool = false) {
    guard let notice else { return }
    let index = endsFile ? take?.reportIndex : nil
    recording.notices.append(notice)
    guard let index else { return }
    recording.update { status in
      status.reports[index].failure = "\(notice)"
      // It can be started again.
      status.state = .stopped
    }
  }

  private func reportLostFrames() {
    guard let take, !take.hasFailed, pausedSince == nil else { return }
    recording.reportLostFrames(at: take.reportIndex)
  }

  private func checkName() {
    guard let take, !take.hasReportedRemoval, !take.hasFailed, !take.hasName else { return }
    take.hasReportedRemoval = true
    report(.recordingRemoved(take.path))
  }

  // MARK: - The end

  private func finish() {
    // The final number of lost frames is only known after rendering has ended.
    let lost = recording.ring.pointee.lastGapFrameCount
    if lost > 0 { consumeGap(lost) }
    while let order = recording.takeDueCommand(dueAt: .max) { run(order.action) }
    end()
    recording.update { $0.hasEnded = true }
  }

  /// Seconds on a monotonic clock.
  private func now() -> Double { Double(crealtime_nanoseconds()) / 1e9 }
}
