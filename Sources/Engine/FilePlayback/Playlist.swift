// Playlist.swift: files one after the other, at the rate of the graph. SPDX-License-Identifier: MIT

import AudioFiles
import ErrorModel

/// Frames out of a list of files, without a gap between them; of one rate they go through one filter.
final class Playlist {
  /// The source of the next frame in the list.
  struct Position: Equatable {
    /// The index of the file.
    var file = 0
    /// Seconds from its beginning.
    var seconds = 0.0
  }

  /// Frames that are read at a time.
  private static let pieceFrames = 4096

  private let files: [String]
  private let channelCount: Int
  private let sampleRateHz: Double
  /// Whether the first file follows the last one.
  private let isLooping: Bool
  /// The notices of the reader.
  let notices = NoticeQueue()
  /// The length of the current file, in seconds; nil if unknown.
  private(set) var fileSeconds: Double?
  /// The number of invalid samples, which are replaced by silence. [reader]
  private(set) var silencedSampleCount = 0

  private var reported: Set<String> = []
  /// The files with invalid samples.
  private var damagedFiles: Set<Int> = []
  private var reader: AudioFileReader?
  /// The file that the reader reads.
  private var file = 0
  /// The number of frames that were read, at the file's rate.
  private var readFrames = 0
  private var converter: SampleRateConverter?
  private var hasEnded = false
  /// The number of consecutive files that failed.
  private var failureCount = 0

  private let read: ChannelBuffers
  private let mapped: ChannelBuffers
  /// Frames that are ready in `mapped`, and those of them that were taken.
  private var (bufferedFrames, taken) = (0, 0)
  private var wide: ChannelBuffers

  init(_ files: [String], channelCount: Int, sampleRateHz: Double, isLooping: Bool) {
    self.files = files
    self.channelCount = channelCount
    self.sampleRateHz = sampleRateHz
    self.isLooping = isLooping
    read = ChannelBuffers(count: channelCount, frameCount: Self.pieceFrames)
    mapped = ChannelBuffers(count: channelCount, frameCount: Self.pieceFrames)
    wide = read
  }

  /// Opens the first file. [main]
  ///
  /// - Throws: the error of the file.
  func open() throws(AudioFileError) { try open(0) }

  /// The source of the next frame, without the frames in the filter. [reader]
  var position: Position {
    let read = Double(readFrames) / Double(reader?.sampleRateHz ?? 1)
    return Position(
      file: file, seconds: max(0, read - Double(bufferedFrames - taken) / sampleRateHz))
  }

  /// Fills buffers; returns the number of frames, which is smaller only at the end. [reader]
  func read(into rows: ChannelBuffers, from start: Int, frameCount: Int) -> Int {
    var done = 0
    while done < frameCount {
      guard taken < bufferedFrames || refill() else { break }
      let count = min(frameCount - done, bufferedFrames - taken)
      for channel in 0 ..< channelCount {
        (rows[channel] + start + done).update(from: mapped[channel] + taken, count: count)
      }
      taken += count
      done += count
    }
    return done
  }

  /// Moves to a position; to the end if it is beyond. [reader]
  func seek(to position: Position) {
    (bufferedFrames, taken, hasEnded, failureCount) = (0, 0, false, 0)
    converter = nil
    do throws(AudioFileError) {
      if position.file != file || reader == nil { try open(position.file) }
      let frame = position.seconds * Double(reader?.sampleRateHz ?? 1)
      readFrames = try reader?.seek(to: Int(frame.rounded())) ?? 0
    } catch {
      fail(error)
    }
  }

  // MARK: - Files

  private func open(_ position: Int) throws(AudioFileError) {
    reader = nil
    file = position
    readFrames = 0
    let next = try AudioFileReader(path: files[position])
    guard SampleRateConverter.converts(from: next.sampleRateHz, to: sampleRateHz) else {
      throw .rateNotConverted(
        path: files[position], sampleRateHz: next.sampleRateHz, to: sampleRateHz)
    }
    fileSeconds = next.frameCount.map { Double($0) / Double(next.sampleRateHz) }
    if next.channelCount != wide.count {
      wide =
        next.channelCount == channelCount
        ? read : ChannelBuffers(count: next.channelCount, frameCount: Self.pieceFrames)
    }
    reader = consume next
  }

  /// Continues with the next file; false if there is none.
  private func openNextFile() -> Bool {
    if let note = reader?.note { report(.filePlayedInPart(files[file], note)) }
    var next = file
    while failureCount < files.count {
      next += 1
      if next == files.count {
        guard isLooping else { break }
        next = 0
      }
      do throws(AudioFileError) {
        if next == file, reader != nil {
          // Another program may have removed it meanwhile.
          readFrames = try reader?.seek(to: 0) ?? 0
        } else {
          try open(next)
        }
        return true
      } catch {
        fail(error)
      }
    }
    hasEnded = true
    return false
  }

  private func fail(_ error: AudioFileError) {
    failureCount += 1
    reader = nil
    report(.fileNotPlayed(files[file], error))
  }

  /// Reports each notice once, even if a loop repeats it.
  private func report(_ notice: HostNotice) {
    if reported.insert("\(notice)").inserted { notices.append(notice) }
  }

  // MARK: - Frames

  /// Gets further frames ready; false at the end.
  private func refill() -> Bool {
    (bufferedFrames, taken) = (0, 0)
    while bufferedFrames == 0 {
      if hasEnded { return flush() }
      guard let rate = reader?.sampleRateHz else {
        if !openNextFile() { return flush() }
        continue
      }
      if let converter, converter.hasInput {
        bufferedFrames = converter.pull(into: mapped.pointers, frameCount: Self.pieceFrames)
        continue
      }
      // Audio of another sample rate leaves the filter first.
      if let converter, converter.inputRateHz != rate {
        if flush() { return true }
        continue
      }
      let count = readPiece()
      if count == 0 {
        if !openNextFile() { return flush() }
        continue
      }
      failureCount = 0
      convert(count, rate)
    }
    return true
  }

  private func readPiece() -> Int {
    do throws(AudioFileError) {
      let count = try reader?.read(into: wide.pointers, frameCount: Self.pieceFrames) ?? 0
      silence(count)
      readFrames += count
      return count
    } catch {
      fail(error)
      return 0
    }
  }

  /// Replaces NaN and infinity by silence, because they would stay in filters and loops
  /// permanently.
  private func silence(_ count: Int) {
    let (silenced, first) = wide.silence(frameCount: count)
    guard silenced > 0 else { return }
    silencedSampleCount += silenced
    let seconds = Double(readFrames + first) / Double(reader?.sampleRateHz ?? 1)
    let position = (seconds * 10).rounded(.down) / 10
    if damagedFiles.insert(file).inserted {
      report(.fileHasInvalidSamples(files[file], at: position))
    }
  }

  /// Converts frames to the player's channels and the graph's sample rate.
  private func convert(_ count: Int, _ rate: Int) {
    guard Double(rate) != sampleRateHz || converter != nil else {
      mapChannels(count, to: mapped)
      bufferedFrames = count
      return
    }
    if converter == nil {
      converter = SampleRateConverter(
        from: rate, to: sampleRateHz, channelCount: channelCount, pieceFrames: Self.pieceFrames)
    }
    guard converter != nil else {
      fail(
        .rateNotConverted(path: files[file], sampleRateHz: rate, to: sampleRateHz))
      return
    }
    mapChannels(count, to: read)
    converter?.push(read.pointers, frameCount: count)
  }

  /// Outputs the frames that are left in the filter; returns false if there are none.
  private func flush() -> Bool {
    guard converter != nil else { return false }
    taken = 0
    bufferedFrames = converter?.flush(into: mapped.pointers, frameCount: Self.pieceFrames) ?? 0
    if bufferedFrames == 0 { converter = nil }
    return bufferedFrames > 0
  }

  /// Maps one to one, one to all, or the mean of all to one; otherwise the common channels.
  private func mapChannels(_ count: Int, to rows: ChannelBuffers) {
    for channel in 0 ..< channelCount {
      let row = rows[channel]
      if channelCount == 1, wide.count > 1 {
        for frame in 0 ..< count {
          var sum: Float = 0
          for source in 0 ..< wide.count { sum += wide[source][frame] }
          row[frame] = sum / Float(wide.count)
        }
      } else if wide.count == 1 || channel < wide.count {
        let source = wide[wide.count == 1 ? 0 : channel]
        if source != row { row.update(from: source, count: count) }
      } else {
        row.update(repeating: 0, count: count)
      }
    }
  }
}
