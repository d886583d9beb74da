// RenderRequest.swift: what is rendered, from file to file. SPDX-License-Identifier: MIT

package import AudioFiles

/// The files and settings of a rendering.
package struct RenderRequest: Sendable {
  /// The path of the input, `-` for standard input; nil for a rig that generates its own audio.
  package var input: String?
  /// The format of headerless PCM on standard input; nil for an audio file.
  package var rawInput: RawFormat?
  /// The path of a MIDI file to play; nil for none.
  package var midi: String?
  /// The path of the output, `-` for standard output.
  package var output: String
  /// The file descriptor of standard output.
  package var standardOutput: Int32 = 1
  /// The file format of the output; nil to use the extension, and WAV on standard output.
  package var container: AudioContainer?
  /// The sample format; nil for the best one of the file format.
  package var format: SampleFormat?
  /// Whether an existing output is overwritten.
  package var replaces = false
  /// The time to render after the end of the input, in seconds; nil until the tail is silent.
  package var tailSeconds: Double?
  /// The length of the input to render, or the total length without input, in seconds; nil for the whole input.
  package var seconds: Double?
  /// The sample rate without an input, in Hz; nil for that of the rig, or 48000.
  package var sampleRateHz: Int?
  /// The block length in frames; nil for the default.
  package var blockFrames: Int?

  /// Renders a rig to a file.
  package init(output: String) { self.output = output }
}
