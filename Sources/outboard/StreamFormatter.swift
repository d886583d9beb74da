// StreamFormatter.swift: the opened devices as text. SPDX-License-Identifier: MIT

import AudioDriver
import Console
import PipeIO
import Session

/// A description of the opened stream at the start of a session.
struct StreamFormatter {
  /// Returns one line per device, audio before MIDI, and one for the rate and the latency.
  let lines: [String]

  init(_ session: LiveSession) {
    let stream = session.stream
    lines =
      stream.inputs.map { "in   \(Self.describe($0))" }
      + stream.outputs.map { "out  \(Self.describe($0))" }
      + MIDIView.introduction(session.midi?.status)
      + ["     \(Self.timing(stream, pluginFrames: session.latencyFrames))"]
  }

  private static func describe(_ side: DeviceStream) -> String {
    // A missing device has neither format nor buffer.
    guard side.bufferFrames > 0 else { return "\(side.device), not connected" }
    let channels = side.channelCount == 1 ? "1 channel" : "\(side.channelCount) channels"
    if side.device == StandardStream.name {
      return "\(side.name), \(channels), \(side.format), \(Int(side.sampleRateHz)) Hz"
    }
    let name = side.name.isEmpty || side.name == side.device ? "" : " (\(side.name))"
    let periods = side.bufferFrames / max(1, side.periodFrames)
    return
      "\(side.device)\(name), \(channels), \(side.format), \(periods) x \(side.periodFrames) frames"
  }

  private static func timing(_ stream: StreamDescription, pluginFrames: Int) -> String {
    var text = "\(Int(stream.sampleRateHz)) Hz"
    if let roundTrip = stream.roundTripFrames {
      let frames = roundTrip + pluginFrames
      let milliseconds = Double(frames) / stream.sampleRateHz * 1_000
      text +=
        ", \(frames) frames (\(NumberFormat.fixed(milliseconds, places: 1)) ms) from input to output"
    }
    if pluginFrames > 0 { text += ", including \(pluginFrames) frames in plugins" }
    if stream.isLinked { text += ", linked" }
    return text
  }
}
