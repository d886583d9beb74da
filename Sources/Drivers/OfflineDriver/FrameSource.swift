// FrameSource.swift: where a rendering takes its frames from and puts them. SPDX-License-Identifier: MIT

package import AudioFiles

/// Something that frames can be read from, from its start to its end.
package protocol FrameSource: AnyObject {
  /// Samples in a frame.
  var channelCount: Int { get }
  /// How many frames there are, if that is known.
  var frameCount: Int? { get }
  /// A message for the user after all frames were read.
  var note: String? { get }
  /// Reads into the first `frameCount` places of each row; returns how many frames there were, fewer
  /// than asked for only at the end. [any one thread]
  func read(
    into channels: UnsafePointer<UnsafeMutablePointer<Float>>, frameCount: Int
  ) throws -> Int
  /// Called before the first read of each rendering. Does nothing by default. [main]
  func prepare()
  /// Ends a read that waits, and all further ones of the rendering. Does nothing by default. [any]
  func interrupt()
}

extension FrameSource {
  package func prepare() {}
  package func interrupt() {}
}

/// Something that interleaved frames can be put into.
///
/// Made on one thread, then used by one other until `finish`.
package protocol FrameSink: AnyObject {
  /// Samples in a frame.
  var channelCount: Int { get }
  /// Frames a second.
  var sampleRateHz: Int { get }
  /// Samples clipped so far.
  var clippedSampleCount: Int { get }
  /// Takes frames. [any one thread]
  func write(_ frames: UnsafePointer<Float>, frameCount: Int) throws
  /// Makes it whole; a sink that goes without it leaves nothing behind. [any one thread]
  func finish() throws
  /// Ends a write that waits, with an error. Does nothing by default. [any]
  func interrupt()
}

extension FrameSink {
  package func interrupt() {}
}

/// An audio file as a source.
package final class AudioFileSource: FrameSource {
  private var reader: AudioFileReader

  /// Takes an open file over. [any]
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

  /// Begins the file. [any]
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
