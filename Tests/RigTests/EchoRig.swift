// EchoRig.swift: a rig of one plugin with parameters of every kind. SPDX-License-Identifier: MIT

import PluginModel
import Testing

@testable import Manifests
@testable import RigPlanning
@testable import RigSchema

/// A rig whose node `e.1` is an echo, with one given key.
struct EchoRig {
  /// The key, such as `scenes`.
  let key: String

  static let echo: PluginDescription = {
    var echo = stereo("echo")
    echo.parameters = [
      Parameter(
        symbol: "mix", name: "Mix", unit: "%", minimum: 0, defaultValue: 20, maximum: 100),
      Parameter(
        symbol: "cutoff", name: "Cutoff", unit: "Hz", minimum: 20, defaultValue: 1_000,
        maximum: 20_000, scale: .logarithmic),
      Parameter(symbol: "mute", name: "Mute", scale: .toggle),
      Parameter(symbol: "taps", name: "Taps", minimum: 1, maximum: 8, scale: .integer),
      Parameter(symbol: "pan", name: "Pan", minimum: -1, maximum: 1),
    ]
    return echo
  }()

  func read(_ text: String) throws -> RigDescription {
    try RigReader.read(
      text: """
        outboard: 1
        nodes: {e.1: {plugin: echo}}
        connections: [in -> e.1 -> out]
        \(key):
        \(text)
        """, file: "rig.yaml")
  }

  func plan(_ text: String) throws -> RigPlan {
    try RigPlan(
      try read(text), plugins: [Self.echo], inputChannelCount: 2, outputChannelCount: 2)
  }

  /// Returns the message about an error.
  func complaint(_ text: String) throws -> String {
    let error = #expect(throws: ManifestError.self) { _ = try plan(text) }
    return error.map { "\($0)" } ?? ""
  }
}
