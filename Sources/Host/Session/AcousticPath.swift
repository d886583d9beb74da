// AcousticPath.swift: which devices can be part of a loop through the air. SPDX-License-Identifier: MIT

import AudioDriver

/// Whether sound that is played can come back into what is captured.
///
/// A pipe, a file, silence and the clock that replaces a card neither play nor capture sound in a room.
/// Any other device may, also a line input: a mixer's output may lead to a loudspeaker.
enum AcousticPath {
  /// The channels of a stream's inputs that may capture what its outputs play. [any]
  static func microphones(in stream: StreamDescription) -> [Int] {
    var channels: [Int] = []
    var first = 0
    for input in stream.inputs {
      if isInRoom(input.device) { channels += first ..< first + input.channelCount }
      first += input.channelCount
    }
    return channels
  }

  /// Whether one of the outputs may be a loudspeaker. [any]
  static func hasLoudspeaker(_ stream: StreamDescription) -> Bool {
    stream.outputs.contains { isInRoom($0.device) }
  }

  private static func isInRoom(_ device: String) -> Bool {
    // Standard input or output, the clock, and ALSA's `file` and `null`, also behind a plug-in that converts.
    let end = device.split(separator: ":").last ?? ""
    return !["-", "dummy"].contains(device) && end != "null" && !device.hasPrefix("file:")
  }
}
