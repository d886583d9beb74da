// AcousticPath.swift: devices that can be part of an acoustic feedback loop. SPDX-License-Identifier: MIT

import AudioDriver

/// Decides whether played audio can return to an input through the air.
///
/// A pipe, a file, silence and a clock device neither play nor capture sound in a room. Any other device may, also a
/// line input: a mixer output can feed a loudspeaker.
enum AcousticPath {
  /// Returns the input channels of a stream that can capture its outputs. [any]
  static func microphones(in stream: StreamDescription) -> [Int] {
    var channels: [Int] = []
    var first = 0
    for input in stream.inputs {
      if isAcoustic(input.device) { channels += first ..< first + input.channelCount }
      first += input.channelCount
    }
    return channels
  }

  /// Whether one of the outputs can be a loudspeaker. [any]
  static func hasLoudspeaker(_ stream: StreamDescription) -> Bool {
    stream.outputs.contains { isAcoustic($0.device) }
  }

  private static func isAcoustic(_ device: String) -> Bool {
    // Standard input or output, the clock, and ALSA's `file` and `null`, also behind a converting plugin.
    let end = device.split(separator: ":").last ?? ""
    return !["-", "dummy"].contains(device) && end != "null" && !device.hasPrefix("file:")
  }
}
