// PipeOutput.swift: sound into standard output. SPDX-License-Identifier: MIT

package import AudioDriver
import AudioFiles
import Glibc
import OfflineDriver
import RealtimeKit

/// What is to be written to a stream, and where it is.
package struct PipeOutputSettings: Sendable, Equatable {
  /// Standard output, which a program may have moved to another descriptor.
  package var descriptor: Int32
  /// How a sample lies; nil for 32-bit float, which loses nothing.
  package var format: DeviceFormat?
  /// Raw PCM, otherwise WAV.
  package var isRaw: Bool

  /// All of it.
  package init(descriptor: Int32 = STDOUT_FILENO, format: DeviceFormat? = nil, isRaw: Bool = false)
  {
    self.descriptor = descriptor
    self.format = format
    self.isRaw = isRaw
  }

  /// Refuses where no sound belongs, and formats that cannot be written. [main]
  package func check() throws(PipeError) {
    if isatty(descriptor) == 1 { throw .outputIsTerminal }
    try checkFormat()
  }

  /// Whether it leads to a file, which takes all that it is given. [any]
  package var isFile: Bool { StandardStream.isFile(descriptor) }

  /// Refuses formats that cannot be written. [any]
  package func checkFormat() throws(PipeError) { _ = try sampleFormat() }

  func sampleFormat() throws(PipeError) -> SampleFormat? {
    guard let format else { return nil }
    // 24 bits are written in three bytes, however a card has them.
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
  /// How the samples lie.
  let format: String
  private var writer: AudioFileWriter
  private let interruption = StopSignal()
  /// Called once writing has failed, where somebody has to be woken; set before anybody writes. [writer]
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
  /// Frames written so far.
  var frameCount: Int { writer.frameCount }

  func write(_ frames: UnsafePointer<Float>, frameCount: Int) throws {
    do {
      try writer.write(frames, frameCount: frameCount)
    } catch {
      onFailure?()
      throw fault(error)
    }
  }

  /// Nothing: see `close`.
  func finish() {}

  /// Completes the header if the output is a file. [any, nobody writing]
  func close() throws {
    guard !isFinished else { return }
    isFinished = true
    do { try writer.finish() } catch { throw fault(error) }
  }

  /// Has a writer come back that waits for a reader which takes nothing. [any]
  package func interrupt() { interruption.raise() }

  private func fault(_ error: AudioFileError) -> PipeError {
    let seconds = Double(writer.frameCount) / Double(sampleRateHz)
    let number = writer.failureNumber
    if number == EPIPE { return .outputClosed(seconds: seconds) }
    let reason = String(cString: strerror(number)).lowercased()
    return .writeFailed(seconds: seconds, reason: reason)
  }
}

extension PipeOutput: FrameSink {}

/// Nowhere: for runs that play nothing.
final class NullOutput: FrameSink {
  let channelCount = 0
  let sampleRateHz: Int
  let clippedSampleCount = 0

  /// Takes as many frames as there are.
  init(sampleRateHz: Int) { self.sampleRateHz = sampleRateHz }

  func write(_ frames: UnsafePointer<Float>, frameCount: Int) {}
  func finish() {}
}
