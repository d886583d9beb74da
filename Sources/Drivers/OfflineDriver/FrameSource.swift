// FrameSource.swift: the source and the sink of a rendering. SPDX-License-Identifier: MIT

package import AudioFiles

/// A source of frames that is read from start to end.
package protocol FrameSource: AnyObject {
  /// The number of samples in a frame.
  var channelCount: Int { get }
  /// The number of frames, if it is known.
  var frameCount: Int? { get }
  /// A message for the user after all frames were read.
  var note: String? { get }
  /// Reads at most `frameCount` frames into the channel buffers.
  ///
  /// Returns the number of frames, which is smaller only at the end. [any one thread]
  func read(
    into channels: UnsafePointer<UnsafeMutablePointer<Float>>, frameCount: Int
  ) throws -> Int
  /// Called before the first read of each rendering.
  ///
  /// Does nothing by default. [main]
  func prepare()
  /// Cancels a read that waits, and all further reads of the rendering.
  ///
  /// Does nothing by default. [any]
  func interrupt()
}

extension FrameSource {
  package func prepare() {}
  package func interrupt() {}
}

/// A sink for interleaved frames.
///
/// It is created on one thread, then used by one other until `finish`.
package protocol FrameSink: AnyObject {
  /// The number of samples in a frame.
  var channelCount: Int { get }
  /// The sample rate, in Hz.
  var sampleRateHz: Int { get }
  /// The number of samples clipped so far.
  var clippedSampleCount: Int { get }
  /// Writes frames. [any one thread]
  func write(_ frames: UnsafePointer<Float>, frameCount: Int) throws
  /// Completes the output.
  ///
  /// A sink that is freed without it leaves nothing behind. [any one thread]
  func finish() throws
  /// Cancels a write that waits, with an error.
  ///
  /// Does nothing by default. [any]
  func interrupt()
}

extension FrameSink {
  package func interrupt() {}
}

/// An audio file as a source.
package final class AudioFileSource: FrameSource {
  private var reader: AudioFileReader

  /// Takes an open file. [any]
  package init(_ reader: consuming AudioFileReader) {
    self.reader = reader
  }

  package var channelCount: Int { reader.channelCount }
  package var frameCount: Int? { reader.frameCount }
  package var note: String? { reader.note }

  package func read(
    into channels: UnsafePointer<UnsafeMutablePointer<Float>>, frameCount: Int
  ) throws -> Int {
    try reader.read(into: channels, frameCount: frameCount)
  }
}

/// An audio file as a sink.
package final class AudioFileSink: FrameSink {
  package let channelCount: Int
  package let sampleRateHz: Int
  private var writer: AudioFileWriter

  /// Creates the file. [any]
  package init(_ settings: AudioFileWriter.Settings) throws(AudioFileError) {
    channelCount = settings.channelCount
    sampleRateHz = settings.sampleRateHz
    writer = try AudioFileWriter(settings)
  }

  package var clippedSampleCount: Int { writer.clippedSampleCount }

  package func write(_ frames: UnsafePointer<Float>, frameCount: Int) throws {
    try writer.write(frames, frameCount: frameCount)
  }

  package func finish() throws {
    try writer.finish()
  }
}
