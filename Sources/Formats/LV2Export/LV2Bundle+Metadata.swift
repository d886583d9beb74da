// LV2Bundle+Metadata.swift: the module metadata for the shim. SPDX-License-Identifier: MIT

import PluginModel

extension LV2Bundle {
  /// The start of the first metadata line, which identifies an exported bundle. [any]
  package static let metadataHeading = "outboard-module"
  private static let metadataVersion = 4

  /// Returns `module.metadata`.
  ///
  /// Sources/SDK/LV2Shim/metadata.c reads it in this order. [any]
  ///
  /// Fractions are the bits of the number, so that the locale of a host has no effect.
  package var facts: String {
    let (block, frames) = blockMetadata
    let lines =
      [
        "\(Self.metadataHeading) \(Self.metadataVersion)", "uri \(uri)",
        "inputs \(module.audioInputs.count)", "outputs \(module.audioOutputs.count)",
        "block \(block) \(frames)", "rates \(requirements.ratesHz.count)",
      ] + requirements.ratesHz.map { "rate \($0)" } + [
        "midi \(digit(module.acceptsMIDI))",
        "latency \(digit(reportsLatency))", "state \(digit(exports.state))",
        "globals \(digit(exports.globals))",
        "in_place \(digit(requirements.canRunInPlace))", "readouts \(module.readouts.count)",
        "files \(module.properties.count)",
      ] + module.properties.map { "file \(fileURI($0))" }
      + ["parameters \(module.parameters.count)"] + module.parameters.enumerated().map(line)
    return lines.joined(separator: "\n") + "\n"
  }

  private var blockMetadata: (word: String, frameCount: Int) {
    switch requirements.block {
    case .any: ("any", 0)
    case .fixed(let frameCount): ("fixed", frameCount)
    case .multiple(of: let frameCount): ("multiple_of", frameCount)
    case .maximum(let frameCount): ("maximum", frameCount)
    }
  }

  private func line(_ index: Int, _ parameter: Parameter) -> String {
    let smoothing = requirements.smoothingSeconds
    let scale =
      switch parameter.scale {
      case .linear, .logarithmic: "continuous"
      case .integer: "integer"
      case .toggle: "toggle"
      }
    let choices = parameter.isEnumeration ? parameter.choices.map(\.value) : []
    // A ramp between choices would pass through illegal values.
    let isRamped = index < smoothing.count && choices.isEmpty && scale == "continuous"
    let seconds = isRamped ? smoothing[index] : 0
    let words =
      ["parameter", scale]
      + [parameter.minimum, parameter.defaultValue, parameter.maximum].map(bits)
      + [String(seconds.bitPattern, radix: 16), "\(choices.count)"] + choices.map(bits)
    return words.joined(separator: " ")
  }

  private func bits(_ value: Float) -> String { String(value.bitPattern, radix: 16) }

  private func digit(_ flag: Bool) -> Int { flag ? 1 : 0 }
}
