// RecordingWriter.swift: the thread that empties a ring into files. SPDX-License-Identifier: MIT

import AudioFiles
import CRealtime
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
        tell(take?.flush())
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
    meetOrders()
    while let next = ring.pointee.next(atMost: framesToOrder(pieceFrameCount)) {
      switch next {
      case .frames(let start, let count):
        Interleaving.join(
          ring.pointee.rows, from: start, to: piece, channelCount: channelCount, frameCount: count)
        hear(count)
      case .gap(let count): hearGap(count)
      }
      ring.pointee.drop(next)
      meetOrders()
      if now() - refreshed > Double(Self.pauseMilliseconds) / 1_000 {
        settle()
        refreshed = now()
      }
    }
    if ring.pointee.lastGapFrameCount > 0 { tellLoss() }
    settle()
  }

  /// Records this number of frames of the chunk.
  private func hear(_ count: Int) {
    preroll.add(piece, frameCount: count)
    if pausedSince == nil { write(piece, count) }
    position += count
  }

  /// Takes in silence in the place of frames that were lost.
  private func hearGap(_ count: Int) {
    if pausedSince == nil, let take {
      tellLoss()
      tell(take.note("\(count) frames lost", frameCount: framesToOrder(count)))
    }
    piece.update(repeating: 0, count: pieceFrameCount * channelCount)
    var left = count
    while left > 0 {
      let length = framesToOrder(min(left, pieceFrameCount))
      if pausedSince == nil { take?.lostFrameCount += length }
      hear(length)
      meetOrders()
      left -= length
    }
  }

  /// Writes frames to the current file, and to further files if it is split.
  private func write(_ samples: UnsafePointer<Float>, _ count: Int) {
    var done = 0
    while done < count, let take {
      let length = take.room(atMost: count - done)
      if length == 0 {
        split()
        continue
      }
      tell(take.write(samples + done * channelCount, frameCount: length), endsFile: true)
      done += length
    }
  }

  /// Completes the file in its current state, and reports its length.
  private func settle() {
    guard let take else { return }
    tell(take.refresh(), endsFile: true)
    note(take)
  }

  private func note(_ take: Take, isFinished: Bool = false) {
    let (frameCount, clipped) = (take.frameCount, take.clippedSampleCount)
    // It is not known yet which file a current gap belongs to.
    let open = isFinished || pausedSince != nil ? 0 : recording.ring.pointee.lastGapFrameCount
    let lost = take.lostFrameCount + open
    recording.update { status in
      status.reports[take.place].frameCount = frameCount
      status.reports[take.place].clippedSampleCount = clipped
      status.reports[take.place].lostFrameCount = lost
      status.reports[take.place].isFinished = isFinished
    }
  }

  // MARK: - Orders

  private func framesToOrder(_ count: Int) -> Int {
    // Those that are due have been met.
    recording.nextOrderPosition.map { max(1, min(count, $0 - position)) } ?? count
  }

  private func meetOrders() {
    while let order = recording.takeOrder(dueAt: position) { meet(order.deed) }
  }

  private func meet(_ deed: ScheduledCommand.Action) {
    switch deed {
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
      tell(take?.note("paused for \(seconds) s"))
    case .split: split()
    case .mark(let text): tell(take?.note(text))
    }
  }

  /// Continues in another file without a gap.
  private func split() {
    guard let take else { return }
    var facts = take.facts
    facts.part += 1
    do {
      let next = try recording.makeTake(try TakeFileName(recording.request.path), facts)
      end(take)
      self.take = next
    } catch {
      take.extend()
      tell("\(error) Recording continues in \(take.path).")
    }
  }

  private func end() {
    if let take { end(take) }
    take = nil
    pausedSince = nil
  }

  private func end(_ take: Take) {
    if !take.hasName { recording.update { $0.reports[take.place].isLost = true } }
    tell(take.end(), endsFile: true)
    note(take, isFinished: true)
  }

  // MARK: - Errors

  /// Reports an event; if it ends the file, further frames are lost until another take.
  private func tell(_ sentence: String?, endsFile: Bool = false) {
    guard let sentence else { return }
    let place = endsFile ? take?.place : nil
    recording.update { status in
      status.notices.append(sentence)
      guard let place else { return }
      status.reports[place].failure = sentence
      // It can be started again.
      status.state = .waiting
    }
  }

  private func tellLoss() {
    guard let take, !take.hasFailed, pausedSince == nil else { return }
    recording.update { $0.tellLoss(at: take.place) }
  }

  private func checkName() {
    guard let take, !take.hasToldRemoval, !take.hasFailed, !take.hasName else { return }
    take.hasToldRemoval = true
    tell("\(take.path) was deleted during recording. Its content will be lost at the end.")
  }

  // MARK: - The end

  private func finish() {
    // The final number of lost frames is only known after rendering has ended.
    let lost = recording.ring.pointee.lastGapFrameCount
    if lost > 0 { hearGap(lost) }
    while let order = recording.takeOrder(dueAt: .max) { meet(order.deed) }
    end()
    recording.update { $0.hasEnded = true }
  }

  /// Seconds on a monotonic clock.
  private func now() -> Double { Double(crealtime_nanoseconds()) / 1e9 }
}
