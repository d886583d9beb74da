// ToySession.swift: a session with toys, whose blocks the test renders. SPDX-License-Identifier: MIT

import AudioDriver
import Foundation
import InstalledFormats
import PluginCatalogue
import PluginLoading
import PluginModel
import PluginReports
import RealtimeKit
import RigSchema
import RigTestSupport
import Session
import ToyFormat

@testable import outboard

/// A directory with toys, and a library that finds them.
final class Toys {
  let path =
    URL(fileURLWithPath: NSTemporaryDirectory()).path + "/outboard-toys-\(UUID().uuidString)"
  let library: PluginLibrary

  /// Toys by their file names, with their lines.
  init(_ toys: [String: String], areTrusted: Bool = true) throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    for (name, text) in toys {
      try text.write(toFile: "\(path)/\(name).toy", atomically: true, encoding: .utf8)
    }
    var formats = FormatRegistry.installed
    formats.formats.append(ToyFormat(directories: [path], isTrusted: areTrusted))
    library = PluginLibrary(
      formats: formats,
      catalogue: Catalogue(
        sources: formats.sources.filter { $0.name == ToyFormat.kind.rawValue },
        child: ChildCommand(
          executable: try RigTestEnvironment.product("toy-child"),
          arguments: [ScanHelper.argument]),
        cacheDirectory: path + "/cache"),
      isolation: IsolationPolicy(faults: nil))
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Reads a rig as a file of the directory.
  func rig(_ nodes: String, _ connections: String) throws -> PreparedRig {
    let text =
      "outboard: 1\ninput: hand\noutput: hand\nnodes: {\(nodes)}\nconnections: [\(connections)]\n"
    return try PreparedRig(RigReader.read(text: text, file: path + "/rig.yaml"), library)
  }

  /// The JSON of `outboard info` and `outboard list`.
  func report(_ name: String) throws -> [String: Any] {
    let plugin = try library.find(name)
    let data = try JSONEncoder().encode(
      PluginReport(plugin, presets: try library.presets(of: plugin)))
    return try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
  }
}

/// Renders blocks on demand.
final class HandDriver: AudioDriver {
  let stream: StreamDescription
  private var renderer: Renderer?

  init() {
    let side = DeviceStream(
      device: "hand", name: "A hand", channelCount: 1, format: "FLOAT", sampleRateHz: 48_000,
      periodFrames: 64, bufferFrames: 64)
    var stream = StreamDescription(
      inputs: [side], outputs: [side], sampleRateHz: 48_000, periodFrames: 64, isLinked: true)
    stream.isRealTime = false
    self.stream = stream
  }

  func start(_ renderer: Renderer) { self.renderer = renderer }
  func stop() { renderer = nil }
  var status: DriverStatus {
    var status = DriverStatus()
    status.isRunning = renderer != nil
    return status
  }

  /// The last amplitude of the output after a second of a square wave with an amplitude.
  func play(_ value: Float) -> Float? {
    guard let callback = renderer?.callback else { return nil }
    for _ in 0 ..< 750 {
      for channel in 0 ..< callback.inputs.channelCount {
        for frame in 0 ..< 64 { callback.inputs[channel][frame] = frame % 2 == 0 ? value : -value }
      }
      callback.render(64)
    }
    return -callback.outputs[0][63]
  }
}
