// PipeOutput.swift: writes audio to standard output. SPDX-License-Identifier: MIT

package import AudioDriver
import AudioFiles
import Glibc
import OfflineDriver
import RealtimeKit

/// The descriptor and format of an output stream.
package struct PipeOutputSettings: Sendable, Equatable {
  /// The descriptor of standard output, which a program may have moved.
  package var descriptor: Int32
  /// The sample format; nil for 32-bit float, which is lossless.
  package var format: DeviceFormat?
  /// Whether to write raw PCM; otherwise WAV.
  package var isRaw: Bool

  /// Creates settings.
  package init(descriptor: Int32 = STDOUT_FILENO, format: DeviceFormat? = nil, isRaw: Bool = false)
  {
    self.descriptor = descriptor
    self.format = format
    self.isRaw = isRaw
  }

  /// Throws if the descriptor is a terminal, or the format cannot be written. [main]
  package func check() throws(PipeError) {
    if isatty(descriptor) == 1 { throw .outputIsTerminal }
    try checkFormat()
  }

  /// Whether the descriptor is a file, which never blocks. [any]
  package var isFile: Bool { StandardStream.isFile(descriptor) }

  /// Throws if the format cannot be written. [any]
  package func checkFormat() throws(PipeError) { _ = try sampleFormat() }

  func sampleFormat() throws(PipeError) -> SampleFormat? {
    guard let format else { return nil }
    // 24-bit samples are written in three bytes, even if a card has four.
    let wanted = format == .s24 ? .s24Packed : format
    guard let found = SampleFormat.allCases.first(where: { $0.asDevice == wanted }) else {
      throw .formatNotOffered(format: format.rawValue)
    }
    return found
  }
}

/// An output stream: WAV of unknown length, or raw PCM.
///
/// Created on one thread, then used by one other at a time. The owner closes it, because a run may
/// stop and continue.
package final class PipeOutput {
  package let channelCount: Int
  package let sampleRateHz: Int
  /// The sample format.
  let format: String
  private var writer: AudioFileWriter
  private let interruption = StopSignal()
  /// Called after a write has failed, to wake a reader; set before the first write. [writer]
  var onFailure: (@Sendable () -> Void)?
  private var isFinished = false

  /// Writes the header. [main]
  package init(
    _ request: PipeOutputSettings, channelCount: Int, sampleRateHz: Int
  ) throws {
    self.channelCount = channelCount
    self.sampleRateHz = sampleRateHz
    var settings = AudioFileWriter.Settings(
      path: "-", sampleRateHz: sampleRateHz, channelCount: channelCount)
    settings.standardOutput = request.descriptor
    settings.container = request.isRaw ? .raw : .wav
    settings.format = try request.sampleFormat()
    settings.interrupt = interruption.descriptor
    writer = try AudioFileWriter(settings)
    format = writer.format.asDevice.rawValue
  }

  var clippedSampleCount: Int { writer.clippedSampleCount }
  /// The number of frames written so far.
  var frameCount: Int { writer.frameCount }

  func write(_ frames: UnsafePointer<Float>, frameCount: Int) throws {
    do {
      try writer.write(frames, frameCount: frameCount)
    } catch {
      onFailure?()
      throw fault(error)
    }
  }

  /// Does nothing: see `close`.
  func finish() {}

  /// Completes the header if the output is a file. [any, no writer]
  func close() throws {
    guard !isFinished else { return }
    isFinished = true
    do { try writer.finish() } catch { throw fault(error) }
  }

  /// Cancels a write that waits for a stalled reader. [any]
  package func interrupt() { interruption.signal() }

  private func fault(_ error: AudioFileError) -> PipeError {
    let seconds = Double(writer.frameCount) / Double(sampleRateHz)
    let number = writer.failureNumber
    if number == EPIPE { return .outputClosed(seconds: seconds) }
    return .writeFailed(seconds: seconds, reason: PipeError.reason(number))
  }
}

extension PipeOutput: FrameSink {}

/// A sink that discards everything, for sessions that play nothing.
final class NullOutput: FrameSink {
  let channelCount = 0
  let sampleRateHz: Int
  let clippedSampleCount = 0

  /// Accepts any number of frames.
  init(sampleRateHz: Int) { self.sampleRateHz = sampleRateHz }

  func write(_ frames: UnsafePointer<Float>, frameCount: Int) {}
  func finish() {}
}
