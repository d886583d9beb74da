// NonSeekableInput.swift: audio files that arrive through a pipe. SPDX-License-Identifier: MIT

import CFiles
import Glibc

/// The format of raw PCM on a stream, little-endian.
package struct RawFormat: Sendable, Equatable {
  /// Frames a second.
  package var sampleRateHz: Int
  /// Samples in a frame.
  package var channelCount: Int
  /// The sample format.
  package var format: SampleFormat

  /// Creates a format.
  package init(sampleRateHz: Int, channelCount: Int, format: SampleFormat) {
    self.sampleRateHz = sampleRateHz
    self.channelCount = channelCount
    self.format = format
  }
}

/// A descriptor that cannot be wound back, made readable for a library that would like to.
enum NonSeekableInput {
  /// Returns the descriptor to read instead of `stream`, which errors call `name`.
  ///
  /// It is the stream itself if its file format can be read as it arrives (WAV, AIFF, AU);
  /// otherwise its whole content in memory.
  static func readable(_ stream: Int32, name: String) throws(AudioFileError) -> FileDescriptorOwner
  {
    let isSeekable = lseek(stream, 0, SEEK_CUR) >= 0
    if isSeekable || canStream(firstBytes(of: stream)) {
      return FileDescriptorOwner(stream, closesOnDeinit: false)
    }
    return try copyToTemporaryFile(stream, name: name)
  }

  /// Waits until a pipe that was opened in non-blocking mode has a writer, and makes its reads
  /// block from then on.
  static func awaitWriter(of pipe: Int32, name: String) throws(AudioFileError) {
    var event = pollfd(fd: pipe, events: Int16(POLLIN), revents: 0)
    while unsafe poll(&event, 1, -1) < 0 {
      guard errno == EINTR else { throw .unreadable(path: name, reason: errorMessage(errno)) }
    }
    _ = fcntl(pipe, F_SETFL, fcntl(pipe, F_GETFL) & ~O_NONBLOCK)
  }

  private static func canStream(_ magic: [UInt8]) -> Bool {
    ["RIFF", "RIFX", "FORM", ".snd"].contains { Array($0.utf8) == magic }
  }

  /// Returns the first four bytes of a pipe without removing them; fewer if there are fewer, or if
  /// it is not a pipe.
  private static func firstBytes(of stream: Int32) -> [UInt8] {
    while true {
      var ends: [Int32] = [0, 0]
      guard unsafe pipe(&ends) == 0 else { return [] }
      defer { ends.forEach { close($0) } }
      let count = cfiles_tee(stream, ends[1], 4)
      guard count > 0 else { return [] }
      var bytes = [UInt8](repeating: 0, count: 4)
      guard count < 4 else {
        return unsafe read(ends[0], &bytes, 4) == 4 ? bytes : []
      }
      // Either the writer is slow, because `tee` does not wait for more data than there is; or it
      // has closed the pipe.
      var state = pollfd(fd: stream, events: 0, revents: 0)
      if unsafe poll(&state, 1, 1) > 0, state.revents & Int16(POLLHUP) != 0 { return [] }
    }
  }

  private static func copyToTemporaryFile(_ stream: Int32, name: String) throws(AudioFileError)
    -> FileDescriptorOwner
  {
    let memory = unsafe FileDescriptorOwner(
      cfiles_memory_file("outboard-input"), closesOnDeinit: true)
    var bytes = [UInt8](repeating: 0, count: 1 << 18)
    while true {
      let count = unsafe read(stream, &bytes, bytes.count)
      if count < 0 && errno == EINTR { continue }
      guard count >= 0, memory.number >= 0, writeAll(bytes, count, to: memory.number) else {
        throw .unreadable(path: name, reason: errorMessage(errno))
      }
      if count == 0 { break }
    }
    lseek(memory.number, 0, SEEK_SET)
    return memory
  }

  private static func writeAll(_ bytes: [UInt8], _ count: Int, to file: Int32) -> Bool {
    unsafe bytes.withUnsafeBytes { all in
      var done = 0
      while done < count {
        let written = unsafe write(file, all.baseAddress?.advanced(by: done), count - done)
        if written < 0 && errno != EINTR { return false }
        done += max(0, written)
      }
      return true
    }
  }
}
