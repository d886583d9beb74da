// ComparisonInput.swift: a file that is compared. SPDX-License-Identifier: MIT

package import AudioFiles

/// A file that can be read several times, and its name for messages.
package struct ComparisonInput: Sendable {
  /// The name for messages.
  package let name: String
  /// The sample rate in Hz.
  package let sampleRateHz: Int
  /// The number of channels.
  package let channelCount: Int
  private let path: String
  /// A decoded copy of what cannot be read twice.
  private let copy: UnnamedFile?

  /// Opens a file; a pipe or standard input (`-`) is copied to a temporary file first. [any]
  ///
  /// - Throws: errors of the file.
  package init(path: String) throws(AudioFileError) {
    var reader =
      path == "-" ? try AudioFileReader() : try AudioFileReader(path: path, allowsPipe: true)
    name = reader.path
    sampleRateHz = reader.sampleRateHz
    channelCount = reader.channelCount
    copy = path == "-" || reader.isStream ? try AudioCopy.of(&reader) : nil
    self.path = copy?.path ?? path
  }

  /// Uses a rendering in a temporary file. [any]
  ///
  /// - Throws: errors of the file.
  package init(rendering: UnnamedFile, name: String) throws(AudioFileError) {
    let reader = try AudioFileReader(path: rendering.path)
    self.name = name
    sampleRateHz = reader.sampleRateHz
    channelCount = reader.channelCount
    path = rendering.path
    copy = rendering
  }

  /// Converts the audio to another sample rate in a temporary file. [any]
  ///
  /// - Throws: errors of the file, and `rateNotConverted`.
  package func resampled(to rateHz: Int) throws(AudioFileError) -> ComparisonInput {
    var reader = try AudioFileReader(path: path)
    guard rateHz != sampleRateHz, let copy = try AudioCopy.of(&reader, rateHz: rateHz) else {
      return self
    }
    return try ComparisonInput(rendering: copy, name: name)
  }

  /// Opens the file at its start.
  func open() throws(AudioFileError) -> AudioFileReader { try AudioFileReader(path: path) }
}
