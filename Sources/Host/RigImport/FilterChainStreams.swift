// FilterChainStreams.swift: the streams of a filter chain of PipeWire. SPDX-License-Identifier: MIT

import Manifests

/// The properties of the streams of a filter chain: what plays to it, and where it plays to.
enum FilterChainStreams {
  /// Takes over the sample rate, and reports properties that change the connections of a stream.
  static func read(_ arguments: RelaxedJSON, into project: inout ForeignProject) {
    for name in ["", "capture.props", "playback.props"] {
      let properties = name.isEmpty ? arguments : arguments[name]
      if let rate = properties?["audio.rate"]?.number.flatMap({ Int(exactly: $0) }),
        StreamLimits.ratesHz.contains(rate)
      {
        project.sampleRateHz = rate
      }
      for key in ["target.object", "node.target", "media.class"] {
        guard let value = properties?[key] else { continue }
        let end = name == "playback.props" ? "output" : "input"
        let advice =
          key == "media.class"
          ? "Other programs do not see a session as a device; connect them in PipeWire."
          : "Name the device as `\(end)` in the rig, or connect the session in PipeWire."
        project.notes.append(
          ImportNote(
            name, line: value.line,
            .unsupported(feature: "\(key) = \((value.text ?? "").shortened)", advice: advice)))
      }
    }
  }
}
