// PipeInput.swift: reads audio from standard input as it arrives. SPDX-License-Identifier: MIT

import AudioDriver
import AudioFiles
import CSamples
import Glibc

/// A stream of frames from a descriptor, opened up to the end of its header.
///
/// Received frames are returned at once, without waiting for more. One thread at a time.
package final class PipeInput: @unchecked Sendable {
  // Sendable because the thread that opened it passes it to the thread that reads it, which ends
  // before another one begins.

  /// The result of a wait.
  enum ReadResult: Equatable {
    /// Bytes arrived, possibly too few for a frame.
    case bytes
    /// No data arrived in time.
    case nothing
    /// The stream has ended.
    case end
    /// A stop was requested.
    case stopped
  }

  /// The sample format.
  package let format: PipeFormat
  /// Whether the input is a file, which is always a non-live source.
  let isFile: Bool
  /// The number of frames returned so far.
  private(set) var frameCount = 0

  private let descriptor: Int32
  private var bytes: [UInt8]
  /// The start of the received bytes that are not returned yet.
  private var begin = 0
  private var end = 0
  /// The number of audio bytes that are still expected; nil until the end.
  private var expected: Int?
  private let promisedFrameCount: Int?
  /// Whether the other end was closed.
  private var hasEnded = false
  /// The bytes after the audio that the header announced.
  private var rest = StreamTrailer()
  private let channels: UnsafeMutablePointer<csamples_channel>
  private let buffers: UnsafeMutablePointer<UnsafeMutablePointer<Float>?>

  /// The capacity of a pipe.
  private static let capacity = 65_536

  /// Opens a descriptor, which stays open: raw PCM if `raw` describes it, otherwise WAV.
  ///
  /// Waits for the header and checks ten times a second whether it may continue. [main]
  /// - Throws: if it is a terminal, cannot be read, or has an invalid beginning.
  package init(
    descriptor: Int32 = STDIN_FILENO, raw: PipeFormat? = nil,
    canWait: () -> Bool = { true }
  ) throws(PipeError) {
    try Self.check(descriptor)
    var receiver = HeaderReceiver(descriptor: descriptor)
    let magic = try receiver.take(upTo: 12, canWait)
    guard !magic.isEmpty else { throw .inputEmpty }
    if let raw {
      if StreamTrailer.isWAV(magic) { throw .headerBeforeSamples }
      format = raw
      expected = nil
    } else {
      guard magic.count == 12 else {
        throw WAVHeader.couldBeWAV(magic) ? .headerCut : .notWave(beginning: WAVHeader.shown(magic))
      }
      let header = try WAVHeader(magic: magic) { count throws(PipeError) in
        let bytes = try receiver.take(upTo: count, canWait)
        guard bytes.count == count else { throw PipeError.headerCut }
        return bytes
      }
      format = header.format
      expected = header.dataByteCount
    }
    isFile = StandardStream.isFile(descriptor)
    promisedFrameCount = expected.map { [format] in $0 / format.frameByteCount }
    self.descriptor = descriptor
    bytes = [UInt8](repeating: 0, count: Self.capacity + format.frameByteCount)
    channels = .allocate(capacity: format.channelCount)
    buffers = .allocate(capacity: format.channelCount)
    buffers.initialize(repeating: nil, count: format.channelCount)
    if raw != nil {
      bytes.replaceSubrange(0 ..< magic.count, with: magic)
      end = magic.count
    }
  }

  deinit {
    channels.deallocate()
    buffers.deallocate()
  }

  /// Throws if a descriptor cannot deliver audio. [main]
  package static func check(_ descriptor: Int32) throws(PipeError) {
    if isatty(descriptor) == 1 { throw .inputIsTerminal }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .inputEmpty }
    if status.st_mode & S_IFMT == S_IFDIR { throw .unreadable(reason: "it is a directory") }
    if fcntl(descriptor, F_GETFL) & O_ACCMODE == O_WRONLY {
      throw .unreadable(reason: "it is open only for writing")
    }
  }

  /// The number of received frames that are not returned yet.
  var heldFrameCount: Int { (end - begin) / format.frameByteCount }

  /// Waits for more data while there is room: for `milliseconds`, or without limit if negative.
  ///
  /// The wait also ends when the descriptor `stop` becomes readable.
  ///
  /// - Returns: the result of the wait.
  /// - Throws: if the system fails to read.
  func receive(milliseconds: Int32, stop: Int32) throws(PipeError) -> ReadResult {
    if expected == 0 {
      rest.read(descriptor, stop: stop)
      return .end
    }
    if begin > 0 {
      bytes.replaceSubrange(0 ..< end - begin, with: bytes[begin ..< end])
      (begin, end) = (0, end - begin)
    }
    var events = [
      pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: stop, events: Int16(POLLIN), revents: 0),
    ]
    let found = poll(&events, 2, milliseconds)
    if events[1].revents != 0 { return .stopped }
    if found <= 0 { return .nothing }
    let room = min(bytes.count - end, expected ?? .max)
    let count = bytes.withUnsafeMutableBytes { memory in
      memory.baseAddress.map { read(descriptor, $0 + end, room) } ?? 0
    }
    if count < 0 {
      if errno == EINTR || errno == EAGAIN { return .nothing }
      throw .readFailed(
        seconds: Double(frameCount) / Double(format.sampleRateHz),
        reason: PipeError.reason(errno))
    }
    if count == 0 {
      hasEnded = true
      return .end
    }
    end += count
    expected = expected.map { $0 - count }
    return .bytes
  }

  /// Copies received frames to the channel buffers, from `offset` on; returns how many.
  func take(
    into channelBuffers: UnsafePointer<UnsafeMutablePointer<Float>>, offset: Int, atMost limit: Int
  ) -> Int {
    let count = min(limit, heldFrameCount)
    guard count > 0 else { return 0 }
    let width = format.format.byteCount
    bytes.withUnsafeMutableBytes { memory in
      guard let start = memory.baseAddress else { return }
      for channel in 0 ..< format.channelCount {
        buffers[channel] = channelBuffers[channel] + offset
        let first = (start + begin + channel * width).assumingMemoryBound(to: UInt8.self)
        (channels + channel).initialize(
          to: csamples_channel(first: first, stride: UInt32(format.frameByteCount)))
      }
      var frames = csamples_frames(
        format: format.format.code, channel_count: UInt32(format.channelCount),
        channels: channels, rows: buffers, dither: nil)
      csamples_read_frames(&frames, 0, 0, UInt32(count))
    }
    begin += count * format.frameByteCount
    frameCount += count
    return count
  }

  /// A message after the end, if the header promised more or another file followed; otherwise nil.
  var note: String? {
    if let note = rest.note("Standard input") { return note }
    guard hasEnded, let promised = promisedFrameCount, frameCount < promised else { return nil }
    return
      "Standard input is truncated: its header announces \(promised) frames, but it held \(frameCount)."
  }
}

/// Receives a header piece by piece, and nothing after it.
private struct HeaderReceiver {
  let descriptor: Int32

  /// Returns exactly `count` bytes, or fewer at the end of the stream.
  mutating func take(upTo count: Int, _ canWait: () -> Bool) throws(PipeError) -> [UInt8] {
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: min(count, 65_536))
    while bytes.count < count {
      var event = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let found = poll(&event, 1, 100)
      guard canWait() else { throw .interrupted }
      if found <= 0 { continue }
      let byteCount = read(descriptor, &piece, min(piece.count, count - bytes.count))
      if byteCount < 0, errno == EINTR || errno == EAGAIN { continue }
      if byteCount < 0 { throw .unreadable(reason: String(cString: strerror(errno)).lowercased()) }
      if byteCount == 0 { break }
      bytes += piece[..<byteCount]
    }
    return bytes
  }
}
