// RecordingWriter.swift: the thread that empties a ring into a file. SPDX-License-Identifier: MIT

import AudioFiles
import CRealtime
import RealtimeKit

/// Empties a recording's ring ten times a second; the header follows each time, the disk every second.
final class RecordingWriter {
  private static let pauseMilliseconds: Int32 = 100
  private static let flushSeconds = 1.0
  /// Samples that are handed to the file at a time.
  private static let pieceSampleCount = 65_536

  private let recording: Recording
  private var file: AudioFileWriter
  private let piece: UnsafeMutableBufferPointer<Float>
  private let pieceFrameCount: Int
  private var hasFailed = false
  private var hasToldLoss = false
  private var hasToldRemoval = false
  /// Frames that came after the file's end.
  private var discardedFrameCount = 0

  init(_ recording: Recording, _ file: consuming AudioFileWriter) {
    self.recording = recording
    self.file = file
    pieceFrameCount = max(1, Self.pieceSampleCount / recording.request.channelCount)
    piece = .allocate(capacity: pieceFrameCount * recording.request.channelCount)
    piece.initialize(repeating: 0)
  }

  deinit {
    piece.deallocate()
  }

  /// Starts the thread, which keeps this object alive; an errno value where there is none to be had.
  /// [main]
  func start() -> Int32? {
    // From here on it is the thread's.
    nonisolated(unsafe) let writer = self
    let code = DetachedThread.start { writer.run() }
    guard code != 0 else { return nil }
    file.discard()
    return code
  }

  /// Writes until the end. [writer]
  func run() {
    var flushed = now()
    var isLast = false
    while !isLast {
      isLast = recording.waitForStop(milliseconds: Self.pauseMilliseconds)
      drain()
      if !isLast, now() - flushed >= Self.flushSeconds {
        attempt { file throws(AudioFileError) in try file.flush() }
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
    while let next = ring.pointee.next(atMost: pieceFrameCount) {
      switch next {
      case .frames(let start, let count):
        write(from: start, count)
      case .gap(let count):
        tellLoss()
        writeSilence(count)
      }
      ring.pointee.drop(next)
      if now() - refreshed > Double(Self.pauseMilliseconds) / 1_000 {
        settle()
        refreshed = now()
      }
    }
    if ring.pointee.lostFrameCount > 0 { tellLoss() }
    settle()
  }

  private func write(from start: Int, _ count: Int) {
    guard !hasFailed, let samples = piece.baseAddress else {
      discardedFrameCount += count
      return
    }
    Interleaving.join(
      recording.ring.pointee.rows, from: start, to: samples,
      channelCount: recording.request.channelCount, frameCount: count)
    let before = file.frameCount
    attempt { file throws(AudioFileError) in try file.write(samples, frameCount: count) }
    discardedFrameCount += count - (file.frameCount - before)
  }

  private func writeSilence(_ count: Int) {
    guard let samples = piece.baseAddress else { return }
    piece.update(repeating: 0)
    var left = count
    // Once the file has ended they are not in it, and were counted when they were lost.
    while left > 0, !hasFailed {
      let length = min(left, pieceFrameCount)
      attempt { file throws(AudioFileError) in try file.write(samples, frameCount: length) }
      left -= length
    }
  }

  /// Makes the file whole as it is, and tells how far it is.
  private func settle() {
    attempt { file throws(AudioFileError) in try file.refreshHeader() }
    let (frameCount, clipped) = (file.frameCount, file.clippedSampleCount)
    let lost = recording.ring.pointee.lostFrameCount + discardedFrameCount
    recording.update { status in
      status.report.frameCount = frameCount
      status.report.clippedSampleCount = clipped
      status.report.lostFrameCount = lost
    }
  }

  // MARK: - What can go wrong

  /// Does something with the file, unless it has ended; a failure ends it and is told.
  private func attempt(_ work: (inout AudioFileWriter) throws(AudioFileError) -> Void) {
    guard !hasFailed else { return }
    do throws(AudioFileError) {
      try work(&file)
    } catch {
      hasFailed = true
      file.salvage()
      let sentence = "\(error)"
      recording.update { status in
        status.notices.append(sentence)
        status.report.failure = sentence
      }
    }
  }

  private func tellLoss() {
    guard !hasToldLoss, !hasFailed else { return }
    hasToldLoss = true
    let path = recording.request.path
    recording.update {
      $0.notices.append(
        "The disk is too slow for \(path): frames are lost, and silent in the file; the sound goes"
          + " on.")
    }
  }

  private func checkName() {
    guard !hasToldRemoval, !hasFailed, !file.hasName else { return }
    hasToldRemoval = true
    let path = recording.request.path
    recording.update {
      $0.notices.append("\(path) was removed while it is recorded, and will be lost at the end.")
    }
  }

  // MARK: - The end

  private func finish() {
    // What was lost at last is known only now that nothing is rendered.
    writeSilence(recording.ring.pointee.lastGapFrameCount)
    settle()
    if file.frameCount == 0 {
      file.discard()
    } else {
      attempt { file throws(AudioFileError) in try file.finish() }
      attempt { file throws(AudioFileError) in try file.flush() }
    }
    recording.update { $0.report.isFinished = true }
  }

  /// Seconds on a clock that only goes on.
  private func now() -> Double { Double(crealtime_nanoseconds()) / 1e9 }
}
