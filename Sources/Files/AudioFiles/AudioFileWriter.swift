// AudioFileWriter.swift: frames into a file that appears only when it is whole. SPDX-License-Identifier: MIT

import CSndFile
import Glibc

/// An audio file or stream that is being written.
///
/// The file gets its name at `finish`; a writer that is released before leaves no file. The same frames give
/// the same bytes. Only Ogg streams have a random number. Integer formats round, clip and count clipped samples.
@safe package struct AudioFileWriter: ~Copyable {
  /// The settings of an output.
  package struct Settings: Sendable, Equatable {
    /// The path; `-` is standard output.
    package var path: String
    /// The descriptor of standard output, which a program may have moved.
    package var standardOutput: Int32 = STDOUT_FILENO
    /// A descriptor that becomes readable to cancel a write to a stalled stream; -1 for none.
    package var interrupt: Int32 = -1
    /// Frames a second, above 0.
    package var sampleRateHz: Int
    /// Samples in a frame, at least 1.
    package var channelCount: Int
    /// The file format; nil to use the extension, and WAV on standard output.
    package var container: AudioContainer?
    /// The sample format; nil for the best one of the file format.
    package var format: SampleFormat?
    /// Whether a file that is there already is overwritten.
    package var replaces: Bool
    /// Whether the file has its name from the start and can be read at any time, like a recording.
    ///
    /// Such a file never overwrites another one, even if `replaces` is set.
    package var isGrowing = false
    /// The texts of the file.
    package var tags = AudioFileTags()
    /// The markers or chapters; files of some formats and streams take none.
    package var markers: [FileMarker] = []
    /// The maximum number of frames, if known: decides whether a WAV file may exceed 4 GB.
    package var longestFrameCount: Int?

    /// Creates settings with the best sample format, without overwriting, and with unknown length.
    package init(path: String, sampleRateHz: Int, channelCount: Int) {
      self.path = path
      self.sampleRateHz = sampleRateHz
      self.channelCount = channelCount
      replaces = false
    }
  }

  /// The path from the user, or `Standard output`.
  package let path: String
  /// The kind of file.
  package let container: AudioContainer
  /// The sample format.
  package let format: SampleFormat
  /// The number of frames written so far.
  package private(set) var frameCount = 0
  /// The number of samples that were clipped so far; always 0 for floating point.
  package private(set) var clippedSampleCount = 0

  let channelCount: Int
  let settings: Settings
  let output: OutputFile
  /// The library's; nil for Vorbis, and once the file has ended.
  var handle: OpaquePointer?
  private var vorbis: VorbisEncoder?
  private let header: WAVStreamHeader?
  private let isLarge: Bool
  private let integers: UnsafeMutableBufferPointer<Int32>

  /// Creates a file, or starts a stream on standard output. [any]
  ///
  /// - Throws: if the file exists, its directory is missing or not writable, or the container lacks the settings.
  package init(_ settings: Settings) throws(AudioFileError) {
    if settings.path == "-" {
      // A stream that the parent process closed is not open for writing.
      guard fcntl(settings.standardOutput, F_GETFL) & O_ACCMODE != O_RDONLY else {
        throw .notWritable(
          path: AudioFileError.standardOutput,
          reason: "it is closed. Redirect it to a file or pipe it to a program")
      }
      try self.init(settings, stream: settings.standardOutput, name: AudioFileError.standardOutput)
      return
    }
    guard let container = settings.container ?? AudioContainer(path: settings.path) else {
      throw OutputFile.isDirectory(settings.path)
        ? .isDirectory(path: settings.path) : .unknownExtension(path: settings.path)
    }
    let format = try Self.check(settings, container, path: settings.path)
    guard container.isRecordable || !settings.isGrowing else {
      throw .notRecordable(path: settings.path, container: container)
    }
    let output =
      settings.isGrowing
      ? try OutputFile(growing: settings.path)
      : try OutputFile(path: settings.path, replaces: settings.replaces)
    try self.init(settings, container, format, output, header: nil, path: settings.path)
  }

  /// Begins a stream on a descriptor, which stays open: WAV with open sizes, or raw. [any]
  package init(_ settings: Settings, stream: Int32, name: String) throws(AudioFileError) {
    let container = settings.container ?? .wav
    guard container == .wav || container == .raw else {
      throw .notWritable(path: name, reason: "a stream is WAV or raw, not \(container.name)")
    }
    let format = try Self.check(settings, container, path: name)
    let output = OutputFile(stream: stream, name: name, interrupt: settings.interrupt)
    let header =
      container == .raw
      ? nil
      : WAVStreamHeader(
        sampleRateHz: settings.sampleRateHz, channelCount: settings.channelCount, format: format)
    try self.init(settings, container, format, output, header: header, path: name)
  }

  private init(
    _ settings: Settings, _ container: AudioContainer, _ format: SampleFormat,
    _ output: OutputFile, header: WAVStreamHeader?, path: String
  ) throws(AudioFileError) {
    let bytesPerFrame = format.byteCount * settings.channelCount
    isLarge =
      settings.longestFrameCount.map {
        $0.multipliedReportingOverflow(by: bytesPerFrame).overflow
          || $0 * bytesPerFrame > Self.smallByteCount
      } ?? true
    self.path = path
    self.container = container
    self.format = format
    self.output = output
    self.header = header
    self.settings = settings
    channelCount = settings.channelCount
    unsafe integers = .allocate(capacity: format.integerBits == nil ? 0 : Self.pieceSampleCount)
    unsafe handle = nil
    vorbis = nil
    // The library writes no header to a stream.
    header?.write(to: output)
    let kind = header == nil ? container : .raw
    if kind == .ogg {
      vorbis = try VorbisEncoder(settings, to: output)
    } else {
      let opened = try unsafe Self.open(
        output, kind.code(format, isLarge: isLarge), settings, path: path)
      if kind != .mp3 { unsafe settings.tags.write(to: opened) }
      unsafe handle = opened
    }
  }

  deinit {
    if let handle = unsafe handle { unsafe sf_close(handle) }
    unsafe integers.deallocate()
  }

  /// Writes `frameCount` interleaved frames. [any one thread]
  ///
  /// - Throws: When the disk is full or refuses; the writer is then of no further use.
  package mutating func write(
    _ frames: UnsafePointer<Float>, frameCount count: Int
  ) throws(AudioFileError) {
    try checkLength(count)
    let sampleCount = count * channelCount
    let written =
      unsafe format.integerBits == nil || container.formats.isEmpty
      ? writeFloats(frames, sampleCount) : writeIntegers(frames, sampleCount)
    frameCount += written / channelCount
    if written < sampleCount || output.failure != 0 { throw failure() }
  }

  /// Completes the file and gives it its name. [any one thread]
  ///
  /// - Throws: if the last bytes cannot be written, or a file of that name was created meanwhile.
  package mutating func finish() throws(AudioFileError) {
    close()
    header?.close(output, dataByteCount: frameCount * channelCount * format.byteCount)
    if header == nil { try addTexts() }
    if output.failure != 0 { throw failure() }
    try output.commit()
  }

  /// Makes the encoder write its last bytes.
  mutating func close() {
    if let handle = unsafe handle { unsafe sf_close(handle) }
    unsafe handle = nil
    vorbis?.finish()
    vorbis = nil
  }
}

// MARK: - Setup

extension AudioFileWriter {
  /// The limit of a 32-bit size, with room for headers.
  private static var smallByteCount: Int { 0xffff_ffff - 0x1_0000 }
  /// The number of samples that are converted at once; they fit into the L1 cache.
  private static var pieceSampleCount: Int { 8192 }

  static func check(
    _ settings: Settings, _ container: AudioContainer, path: String
  ) throws(AudioFileError) -> SampleFormat {
    if let format = settings.format, !container.formats.contains(format) {
      throw .formatNotOffered(path: path, container: container, format: format)
    }
    guard settings.channelCount <= container.maximumChannelCount else {
      throw .tooManyChannels(
        path: path, container: container, channelCount: settings.channelCount)
    }
    guard container.supports(sampleRateHz: settings.sampleRateHz) else {
      throw .rateNotOffered(path: path, container: container, sampleRateHz: settings.sampleRateHz)
    }
    return settings.format ?? container.defaultFormat
  }

  private static func open(
    _ output: OutputFile, _ code: Int32, _ settings: Settings, path: String
  ) throws(AudioFileError) -> OpaquePointer {
    var info = SF_INFO()
    info.samplerate = Int32(clamping: settings.sampleRateHz)
    info.channels = Int32(clamping: settings.channelCount)
    info.format = code
    var calls = SndfileIO.calls
    // The reference is not counted: the writer keeps the output as long as the handle.
    let user = unsafe Unmanaged.passUnretained(output).toOpaque()
    let handle = try unsafe SoundFile.open(isStream: false) {
      unsafe sf_open_virtual(&calls, Int32(SFM_WRITE), &info, user)
    } refusal: {
      unsafe output.failure == 0
        ? .notWritable(path: path, reason: String(cString: sf_strerror(nil)))
        : .notWritable(path: path, reason: errorMessage(output.failure))
    }
    // The PEAK chunk would contain the current time.
    unsafe sf_command(handle, Int32(SFC_SET_ADD_PEAK_CHUNK), nil, 0)
    unsafe sf_command(handle, Int32(SFC_RF64_AUTO_DOWNGRADE), nil, 1)
    let size = Int32(MemoryLayout<Double>.size)
    var quality = 0.6
    unsafe sf_command(handle, Int32(SFC_SET_VBR_ENCODING_QUALITY), &quality, size)
    // If the process is killed, an incomplete page is lost. By default, a page of Opus lasts a second.
    var pageMilliseconds = 200.0
    unsafe sf_command(handle, Int32(SFC_SET_OGG_PAGE_LATENCY_MS), &pageMilliseconds, size)
    return unsafe handle
  }
}

// MARK: - Samples

extension AudioFileWriter {
  private func writeFloats(_ samples: UnsafePointer<Float>, _ count: Int) -> Int {
    if let vorbis {
      return unsafe channelCount * vorbis.write(samples, frameCount: count / channelCount)
    }
    guard let handle = unsafe handle else { return 0 }
    return unsafe Int(sf_write_float(handle, samples, sf_count_t(count)))
  }

  private mutating func writeIntegers(_ samples: UnsafePointer<Float>, _ count: Int) -> Int {
    guard let handle = unsafe handle, let integers = unsafe integers.baseAddress else { return 0 }
    // Complete frames only, because the library rejects partial frames.
    let piece = max(1, Self.pieceSampleCount / channelCount) * channelCount
    var done = 0
    while done < count {
      let length = min(piece, count - done)
      let written =
        unsafe format == .s16
        ? writeShorts(handle, samples + done, UnsafeMutableRawPointer(integers), length)
        : writeWide(handle, samples + done, integers, length)
      done += written
      if written < length { break }
    }
    return done
  }

  private mutating func writeShorts(
    _ handle: OpaquePointer, _ samples: UnsafePointer<Float>, _ memory: UnsafeMutableRawPointer,
    _ count: Int
  ) -> Int {
    unsafe memory.withMemoryRebound(to: Int16.self, capacity: count) { shorts in
      unsafe clippedSampleCount += Quantizer.shorts(from: samples, to: shorts, count: count)
      return unsafe Int(sf_write_short(handle, shorts, sf_count_t(count)))
    }
  }

  private mutating func writeWide(
    _ handle: OpaquePointer, _ samples: UnsafePointer<Float>,
    _ integers: UnsafeMutablePointer<Int32>, _ count: Int
  ) -> Int {
    unsafe clippedSampleCount += Quantizer.integers(
      from: samples, to: integers, count: count, bits: format.integerBits ?? 32)
    return unsafe Int(sf_write_int(handle, integers, sf_count_t(count)))
  }

  private func checkLength(_ count: Int) throws(AudioFileError) {
    let byteCount = (frameCount + count) * channelCount * format.byteCount
    let isBounded =
      container.endsAtFourGigabytes || (container == .wav && header == nil && !isLarge)
    if isBounded && byteCount > Self.smallByteCount {
      throw .tooLong(path: path, container: container, seconds: seconds)
    }
  }

  /// The length so far, in seconds.
  package var seconds: Double { Double(frameCount) / Double(settings.sampleRateHz) }
}
