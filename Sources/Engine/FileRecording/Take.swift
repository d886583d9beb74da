// Take.swift: one file of a recording, and the list of marks next to it. SPDX-License-Identifier: MIT

import AudioFiles
import ErrorModel
import Glibc

/// A file that grows, made by the main thread and the writer's from then on.
final class Take: @unchecked Sendable {
  // Unchecked because it changes threads once, with the command that starts it.

  /// The values for its file name, and for the next one.
  let nameValues: TakeFileName.Values
  /// The path of the file.
  let path: String
  /// The index of its report in the recording.
  var reportIndex = 0
  /// Frames that belong to it, and are silent in it or came after its end.
  var lostFrameCount = 0
  /// Whether the take ended before the audio did.
  private(set) var hasFailed = false
  /// Whether the removal of the file was reported.
  var hasReportedRemoval = false
  /// The maximum number of frames; nil if it is not known beforehand.
  private let longestFrameCount: Int?
  private var extendedFrameCount = 0

  private var file: AudioFileWriter
  private var labels: LabelFile
  /// Markers to be written to the file itself.
  private var marks: [FileMarker] = []
  /// A disk that fails again and again must not fill the memory.
  private static let maximumMarkCount = 10_000
  private let split: SplitLength?
  private let sampleRateHz: Int
  /// The maximum size of a header and of a codec's last pages, in bytes.
  private static let (headerBytes, codecBytes) = (4096, 600_000)

  /// Creates a file that can be opened from the start. [main or writer]
  ///
  /// - Throws: the error if it cannot be created.
  init(
    _ request: RecorderSettings, _ name: TakeFileName, _ nameValues: TakeFileName.Values,
    sampleRateHz: Int
  ) throws(AudioFileError) {
    var nameValues = nameValues
    var opened: AudioFileWriter?
    let settings = request.settings(path: "", sampleRateHz: sampleRateHz)
    while true {
      var settings = settings
      settings.path = name.path(nameValues)
      do throws(AudioFileError) {
        opened = try AudioFileWriter(settings)
        break
      } catch .recordingExists(let path) {
        // The file of another program is never overwritten.
        guard nameValues.part > 1 || name.countsTakes else { throw .recordingExists(path: path) }
        if nameValues.part > 1 { nameValues.part += 1 } else { nameValues.take += 1 }
      } catch {
        throw error
      }
    }
    guard var file = opened.take() else { preconditionFailure("the loop ends with a file") }
    try file.refreshHeader()
    self.nameValues = nameValues
    path = name.path(nameValues)
    self.sampleRateHz = sampleRateHz
    split = request.split
    longestFrameCount = Self.longest(
      request.split, file, file.format.byteCount * request.channelCount, sampleRateHz)
    self.file = file
    labels = LabelFile(ofFile: path, sampleRateHz: sampleRateHz)
  }

  private static func longest(
    _ split: SplitLength?, _ file: borrowing AudioFileWriter, _ bytesPerFrame: Int,
    _ sampleRateHz: Int
  ) -> Int? {
    switch split {
    case nil: nil
    case .seconds(let seconds)?: max(1, Int((seconds * Double(sampleRateHz)).rounded()))
    // The size of a codec's file is known only when it is there.
    case .bytes(let count)?:
      file.isCompressed ? nil : max(1, (count - headerBytes) / bytesPerFrame)
    }
  }

  /// Frames in it.
  var frameCount: Int { file.frameCount }
  /// Samples that were clipped.
  var clippedSampleCount: Int { file.clippedSampleCount }

  /// Returns the number of next frames, at most `limit`, that belong to the file; 0 if another file
  /// is due.
  func framesThatFit(atMost limit: Int) -> Int {
    if frameCount < extendedFrameCount { return min(limit, extendedFrameCount - frameCount) }
    if let longestFrameCount { return max(0, min(limit, longestFrameCount - frameCount)) }
    guard case .bytes(let count)? = split else { return limit }
    return file.byteCount >= max(count / 2, count - Self.codecBytes) ? 0 : limit
  }

  /// Extends the file by another minute if no other file can be begun.
  func extend() { extendedFrameCount = frameCount + 60 * sampleRateHz }

  /// Adds frames; returns a notice if the file ends with that. [writer]
  func write(_ samples: UnsafePointer<Float>, frameCount count: Int) -> HostNotice? {
    let before = frameCount
    let notice = attempt { file throws(AudioFileError) in
      try file.write(samples, frameCount: count)
    }
    lostFrameCount += count - (frameCount - before)
    return notice
  }

  /// Updates the header, so that the file is valid. [writer]
  func refresh() -> HostNotice? {
    attempt { file throws(AudioFileError) in try file.refreshHeader() }
  }

  /// Has the disk take it. [writer]
  func flush() -> HostNotice? {
    attempt { file throws(AudioFileError) in try file.flush() }
  }

  /// Whether the file still has a name. [writer]
  var hasName: Bool { file.hasName }

  /// Adds a note at the end; returns a notice if that fails. [writer]
  func addMarker(_ text: String, frameCount count: Int = 0) -> HostNotice? {
    let text = text.split(whereSeparator: { $0.isNewline || $0 == "\t" }).joined(separator: " ")
    if marks.count < Self.maximumMarkCount {
      marks.append(FileMarker(frame: frameCount, frameCount: count, text: text))
    }
    guard let code = labels.addMarker(text, at: frameCount, frameCount: count), !hasFailed else {
      // The reason, for example a full disk, has been reported.
      return nil
    }
    let reason = String(cString: strerror(code)).lowercased()
    return .marksNotWritten(path, to: labels.path, reason: reason)
  }

  /// Completes the file; removes it if it has no frames. [writer]
  func end() -> HostNotice? {
    labels.end()
    guard !hasFailed else { return nil }
    guard frameCount > 0 else {
      file.discard()
      return nil
    }
    return attempt { file throws(AudioFileError) in try file.finish() }
      ?? attempt { [marks] file throws(AudioFileError) in try file.append(marks) }
      ?? attempt { file throws(AudioFileError) in try file.flush() }
  }

  /// Takes it away before anything was written. [main]
  func discard() { file.discard() }

  private func attempt(
    _ work: (inout AudioFileWriter) throws(AudioFileError) -> Void
  ) -> HostNotice? {
    guard !hasFailed else { return nil }
    do throws(AudioFileError) {
      try work(&file)
      return nil
    } catch {
      hasFailed = true
      file.finalizeAfterError()
      return .recordingFailed(path, error)
    }
  }
}
