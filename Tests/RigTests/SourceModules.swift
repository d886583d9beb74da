// SourceModules.swift: shared parts of tests of sources. SPDX-License-Identifier: MIT

import PluginModel

@testable import PluginLoading

/// Returns the output of a module for 1 on both channels.
func output(of plugin: PluginDescription, _ library: PluginLibrary) throws -> [Float] {
  let node = try library.makeNode(
    plugin, NodeConfiguration(sampleRateHz: 48_000, maximumFrameCount: 8))
  try node.activate()
  defer { node.deactivate() }
  let count = node.audioInputCount + node.audioOutputCount
  let samples = UnsafeMutablePointer<Float>.allocate(capacity: count * 8)
  samples.initialize(repeating: 1, count: count * 8)
  defer { samples.deallocate() }
  let rows = (0 ..< count).map { samples + $0 * 8 }
  rows.withUnsafeBufferPointer { rows in
    guard let base = rows.baseAddress else { return }
    node.step.function(node.step.context, base, 8)
  }
  return (node.audioInputCount ..< count).map { samples[$0 * 8 + 7] }
}
