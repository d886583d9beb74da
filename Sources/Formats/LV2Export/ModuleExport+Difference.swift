// ModuleExport+Difference.swift: the difference between two builds of a module. SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc
import ModuleHost
import NativeModules
import PluginCatalogue
package import PluginModel

extension ModuleExport {
  /// Returns the largest difference between two builds of a module, linear; nil if they cannot be compared. [main]
  ///
  /// Both process half a second of noise and a note, with default values. Both must have passed preflight.
  package static func difference(
    _ one: PluginDescription, _ other: PluginDescription
  ) throws -> Float? {
    guard one.library != other.library else { return 0 }
    let (first, second) = (try samples(of: one), try samples(of: other))
    guard first.count == second.count else { return nil }
    let differences = zip(first, second).map { abs($0 - $1) }
    // NaN or infinity in both builds counts as equal.
    guard zip(first, second).allSatisfy({ $0.isNaN == $1.isNaN }) else { return nil }
    return differences.filter { !$0.isNaN }.max() ?? 0
  }

  private static func samples(of plugin: PluginDescription) throws -> [Float] {
    let node = try ModulePreflight.node(plugin, .standard)
    try node.activate()
    let (frames, blocks) = (Preflight.Conditions.standard.maximumFrameCount, 47)
    let rows = unsafe (0 ..< max(1, node.audioInputCount + node.audioOutputCount)).map { _ in
      let row = UnsafeMutablePointer<Float>.allocate(capacity: frames)
      unsafe row.initialize(repeating: 0, count: frames)
      return unsafe row
    }
    defer { unsafe rows.forEach { unsafe $0.deallocate() } }
    _ = node.send(midi: [0x90, 60, 100], atFrame: 0)
    var samples: [Float] = []
    var seed: UInt32 = 1
    for _ in 0 ..< blocks {
      for input in 0 ..< node.audioInputCount {
        let row = unsafe rows[input]
        for frame in 0 ..< frames {
          seed = seed &* 1_664_525 &+ 1_013_904_223
          unsafe row[frame] = Float(Int32(bitPattern: seed)) / 8_589_934_592
        }
      }
      ForeignCode.call(ForeignCode.Owner(plugin.name), .quick("run")) {
        unsafe node.step.function(node.step.context, rows, UInt32(frames))
      }
      for output in unsafe node.audioInputCount ..< rows.count {
        unsafe samples += UnsafeBufferPointer(start: rows[output], count: frames)
      }
    }
    node.deactivate()
    return samples
  }
}
