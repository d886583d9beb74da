// AudioFileReader.swift: frames out of any file that libsndfile reads. SPDX-License-Identifier: MIT

import CFiles
import CSndFile
import Glibc

/// An open audio file that is read from start to end.
///
/// It supports every format, rate and channel count of libsndfile, including 64 channels and 384
/// kHz. It reads ahead in larger chunks, so that blocks of any length cost the same.
@safe package struct AudioFileReader: ~Copyable {
  /// The highest sample rate that is believed, in Hz: twice the fastest converters made.
  package static let highestRateHz = 768_000

  /// The name of standard input in messages.
  package static let standardInputName = "Standard input"

  /// The path from the user, or `standardInputName`.
  package let path: String
  /// Frames a second.
  package let sampleRateHz: Int
  /// Samples in a frame, at least 1.
  package let channelCount: Int
  /// The number of frames; nil for a stream, or a file with an unknown end.
  package let frameCount: Int?

  let file: SoundFile
  let descriptor: FileDescriptorOwner
  private let isShort: Bool
  /// Whether the audio comes from a pipe, which can be read only once.
  package let isStream: Bool
  private let promisedFrameCount: Int?
  /// The number of frames that the header of a stream announces; nil if it announces none.
  private let streamFrameCount: Int?
  private let floats: UnsafeMutableBufferPointer<Float>
  private let shorts: UnsafeMutableBufferPointer<Int16>
  private var next = 0
  private var bufferedFrames = 0
  private var position = 0
  private var hasEnded = false
  /// The bytes that follow the audio of a WAV stream.
  private var rest = StreamTrailer()

  /// Opens the file at a path. [any]
  ///
  /// - Parameters:
  ///   - path: a regular file. Opening it never waits for another program.
  ///   - allowsPipe: whether a named pipe is read, like standard input. Use it only if the caller
  ///     may wait for the pipe's writer.
  /// - Throws: if the file is missing, a directory, another kind of file, unreadable, not audio, without
  ///   frames, or of an impossible rate.
  package init(path: String, allowsPipe: Bool = false) throws(AudioFileError) {
    guard !path.utf8.contains(0) else {
      throw .unreadable(path: path, reason: "its path contains a NUL character")
    }
    var kind = CFILES_NOTHING
    let number = unsafe cfiles_open_regular(path, allowsPipe, &kind)
    guard number >= 0 else {
      if kind == CFILES_DIRECTORY { throw .isDirectory(path: path) }
      if [CFILES_PIPE, CFILES_SOCKET, CFILES_DEVICE].contains(kind) {
        throw unsafe .notARegularFile(path: path, kind: String(cString: cfiles_kind_name(kind)))
      }
      throw errno == ENOENT || errno == ENOTDIR
        ? .missing(path: path) : .unreadable(path: path, reason: errorMessage(errno))
    }
    let descriptor = FileDescriptorOwner(number, closesOnDeinit: true)
    guard kind == CFILES_PIPE else {
      try self.init(descriptor, path: path, raw: nil)
      return
    }
    let source = try StreamWait.during(path) { () throws(AudioFileError) in
      try NonSeekableInput.awaitWriter(of: number, name: path)
      return try NonSeekableInput.readable(number, name: path)
    }
    if source.number == number {
      try self.init(descriptor, path: path, raw: nil)
    } else {
      try self.init(source, path: path, raw: nil)
    }
  }

  /// Reads a stream, by default standard input.
  ///
  /// Raw PCM if `raw` describes it, otherwise a file of any format. The descriptor stays open.
  /// [any]
  package init(stream: Int32 = 0, raw: RawFormat? = nil) throws(AudioFileError) {
    let name = stream == 0 ? Self.standardInputName : "Stream \(stream)"
    let descriptor =
      raw == nil
      ? try StreamWait.during(name) { () throws(AudioFileError) in
        try NonSeekableInput.readable(stream, name: name)
      }
      : FileDescriptorOwner(stream, closesOnDeinit: false)
    try self.init(descriptor, path: name, raw: raw)
  }

  private init(
    _ descriptor: consuming FileDescriptorOwner, path: String, raw: RawFormat?
  ) throws(AudioFileError) {
    var info = SF_INFO()
    if let raw {
      info.samplerate = Int32(clamping: raw.sampleRateHz)
      info.channels = Int32(clamping: raw.channelCount)
      info.format = AudioContainer.raw.code(raw.format, isLarge: false)
    }
    let number = descriptor.number
    let start = lseek(number, 0, SEEK_CUR)
    let isStream = start < 0
    let described = info
    if isStream { StreamWait.during(path) { SoundFile.waitForData(number) } }
    let handle = try unsafe SoundFile.open(isStream: isStream) {
      if !isStream { lseek(number, start, SEEK_SET) }
      info = described
      // The library closes the descriptor if it refuses a file, even if it was not to close it.
      return unsafe sf_open_fd(fcntl(number, F_DUPFD_CLOEXEC, 0), Int32(SFM_READ), &info, 1)
    } refusal: {
      TruncationCheck.endsEarly(number) ? .truncated(path: path) : Self.refusal(path)
    }
    let file = unsafe SoundFile(handle)
    guard 1 ... Self.highestRateHz ~= Int(info.samplerate) else {
      throw .impossibleRate(path: path, sampleRateHz: Int(info.samplerate))
    }
    if info.frames == 0 && !isStream {
      throw TruncationCheck.endsEarly(number) ? .truncated(path: path) : .noFrames(path: path)
    }
    self.path = path
    self.isStream = isStream
    sampleRateHz = Int(info.samplerate)
    channelCount = Int(info.channels)
    // The library reports the greatest number for a length that it could not determine, as in a
    // FLAC file from a pipe or an Ogg file without its end.
    frameCount = isStream || info.frames == .max ? nil : Int(info.frames)
    streamFrameCount = isStream && info.frames > 0 ? Int(info.frames) : nil
    isShort = Int(info.format) & Int(SF_FORMAT_SUBMASK) == Int(SF_FORMAT_PCM_16)
    promisedFrameCount =
      isStream
      ? TruncationCheck.isPlaceholder(info) ? nil : streamFrameCount
      : TruncationCheck.promisedFrameCount(number, info)
    self.file = file
    self.descriptor = descriptor
    // 128 kB of floats: few calls into the library, and still in the second cache when it is used.
    let sampleCount = max(1, 32_768 / channelCount) * channelCount
    unsafe floats = .allocate(capacity: sampleCount)
    unsafe shorts = .allocate(capacity: isShort ? sampleCount : 0)
  }

  deinit {
    unsafe floats.deallocate()
    unsafe shorts.deallocate()
  }

  private static func refusal(_ path: String) -> AudioFileError {
    // The library reports a rate of 0 Hz as an internal error. The log contains the reason.
    let hasNoRate = unsafe SoundFile.log(of: nil).split(separator: "\n").contains { line in
      let words = line.split(separator: " ")
      return words.starts(with: ["Sample", "Rate", ":"]) && words.last == "0"
    }
    if hasNoRate { return .impossibleRate(path: path, sampleRateHz: 0) }
    return unsafe .notAudio(path: path, reason: String(cString: sf_strerror(nil)))
  }

  /// Reads the next frames into the first `frameCount` positions of `channelCount` channel buffers.
  /// [any]
  ///
  /// - Returns: the number of frames, which is smaller than `frameCount` only at the end, and then
  ///   0.
  package mutating func read(
    into channels: UnsafePointer<UnsafeMutablePointer<Float>>, frameCount: Int
  ) throws(AudioFileError) -> Int {
    var done = 0
    while done < frameCount {
      if next == bufferedFrames { try refill() }
      let count = min(frameCount - done, bufferedFrames - next)
      if count == 0 { break }
      unsafe serve(channels, at: done, count)
      done += count
    }
    return done
  }

  /// Moves to a frame, or to the end if it is beyond; not for streams. [any]
  ///
  /// - Returns: the frame that is read next.
  package mutating func seek(to frame: Int) throws(AudioFileError) -> Int {
    let target = max(0, min(frame, frameCount ?? frame))
    let reached = unsafe Int(sf_seek(file.handle, sf_count_t(target), SEEK_SET))
    guard reached >= 0 else {
      throw .readFailed(
        path: path, seconds: Double(target) / Double(sampleRateHz), reason: faultText)
    }
    (next, bufferedFrames, position, hasEnded) = (0, 0, reached, false)
    return reached
  }

  /// The title, the artist and other texts of the file. [any]
  package var tags: AudioFileTags { unsafe AudioFileTags(of: file.handle) }

  /// A message for the user after all frames were read: nil, or one about a truncated file or a second one.
  package var note: String? {
    guard hasEnded else { return nil }
    if let note = rest.note(path) { return note }
    guard let promised = promisedFrameCount ?? frameCount, promised > position else {
      return TruncationCheck.lacksLastPage(descriptor.number)
        ? "\(path) is truncated: its last Ogg page is missing; it holds \(position) frames." : nil
    }
    return
      "\(path) is truncated: its header announces \(promised) frames, but it holds \(position)."
  }

  private mutating func serve(
    _ channels: UnsafePointer<UnsafeMutablePointer<Float>>, at start: Int, _ count: Int
  ) {
    guard let frames = unsafe floats.baseAddress?.advanced(by: next * channelCount) else { return }
    unsafe withUnsafeTemporaryAllocation(
      of: UnsafeMutablePointer<Float>.self, capacity: channelCount
    ) { rows in
      for channel in 0 ..< channelCount {
        unsafe rows.initializeElement(at: channel, to: channels[channel] + start)
      }
      guard let rows = rows.baseAddress else { return }
      unsafe Interleaving.split(frames, to: rows, channelCount: channelCount, frameCount: count)
    }
    next += count
  }

  private mutating func refill() throws(AudioFileError) {
    next = 0
    bufferedFrames = 0
    if hasEnded { return }
    guard let samples = unsafe floats.baseAddress else { return }
    let space = unsafe floats.count / channelCount
    // The library would read on, and drop what follows the frames.
    let wanted = min(space, streamFrameCount.map { $0 - position } ?? space)
    bufferedFrames =
      isStream
      ? StreamWait.during(path) { unsafe readFrames(wanted, to: samples) }
      : unsafe readFrames(wanted, to: samples)
    if isShort, let integers = unsafe shorts.baseAddress {
      unsafe Quantizer.floats(from: integers, to: samples, count: bufferedFrames * channelCount)
    }
    position += bufferedFrames
    if bufferedFrames < space { try end() }
  }

  private func readFrames(_ wanted: Int, to samples: UnsafeMutablePointer<Float>) -> Int {
    guard isShort, let integers = unsafe shorts.baseAddress else {
      return unsafe Int(sf_readf_float(file.handle, samples, sf_count_t(wanted)))
    }
    return unsafe Int(sf_readf_short(file.handle, integers, sf_count_t(wanted)))
  }

  /// The reason of the last fault.
  private var faultText: String {
    fcntl(descriptor.number, F_GETFD) < 0 ? errorMessage(EBADF) : file.faultText
  }

  private mutating func end() throws(AudioFileError) {
    hasEnded = true
    // Only system errors count: a codec's error at the end of a cut file is the truncation.
    if unsafe sf_error(file.handle) == Int32(SF_ERR_SYSTEM) {
      throw .readFailed(
        path: path, seconds: Double(position) / Double(sampleRateHz), reason: faultText)
    }
    guard position == 0 else {
      if isStream { rest.read(descriptor.number) }
      return
    }
    let isCut = frameCount ?? 0 > 0 || TruncationCheck.endsEarly(descriptor.number)
    throw isCut ? .truncated(path: path) : .noFrames(path: path)
  }
}
