// PluginSource+Installed.swift: where the catalogue finds plugins. SPDX-License-Identifier: MIT

package import Catalogue
import Foundation
import LV2Host
import ModuleHost
import PluginModel

extension PluginSource {
  /// Every kind of plugin that is installed.
  package static let installed = [PluginSource.modules, .lv2]

  /// LV2 plugins in the bundles of `LV2_PATH`.
  package static let lv2 = PluginSource(
    name: "lv2",
    units: {
      let environment = ProcessInfo.processInfo.environment
      return LV2Search.units(ofPath: environment["LV2_PATH"], home: environment["HOME"] ?? "")
    },
    isDivisible: true,
    scan: { unit, part, event in
      try LV2Scanner.scan(
        bundle: unit, where: { part.contains($0) }, opened: { event(.opened) }
      ) { plugin in
        let rank = UInt64(plugin.version.minor) << 32 | UInt64(plugin.version.micro)
        event(.found(Finding(plugin.description, rank: rank)))
      }
    },
    trial: { description, conditions, stage in
      let plugin = try LV2Scanner.plugin(description.identifier, inBundle: description.location)
      try LV2Trial.run(
        plugin, sampleRateHz: conditions.sampleRateHz, frameCount: conditions.maximumFrameCount
      ) { stage(Trial.Stage($0)) }
    },
    complaint: { LV2Scanner.turtleFault(inNoise: $0) })

  /// Native modules in `ModuleFolders`.
  package static let modules = PluginSource.modules { ModuleFolders.manifests }

  /// The one module that a manifest describes, wherever it is.
  package static func module(manifest: String) -> PluginSource { .modules { [manifest] } }

  private static func modules(_ manifests: @escaping @Sendable () -> [String]) -> PluginSource {
    PluginSource(
      name: "module", units: { UnitList(manifests()) },
      files: { [$0] + (ModuleFolders.library(forManifest: $0).map { [$0] } ?? []) },
      scan: { unit, _, event in
        let description = try ModuleManifestReader.describe(manifest: unit)
        event(.opened)
        event(.found(Finding(description)))
      },
      trial: { try ModuleTrial.run($0, at: $1, stage: $2) })
  }
}

extension Trial.Stage {
  fileprivate init(_ stage: LV2Stage) {
    self =
      switch stage {
      case .load: .load
      case .create: .create
      case .activate: .activate
      case .run: .run
      case .destroy: .destroy
      }
  }
}

extension ModuleManifestReader {
  /// Reads a manifest and finds its library; one that is not there is the module's refusal. [main]
  static func describe(manifest: String) throws(ManifestError) -> PluginDescription {
    var description = try read(path: manifest)
    description.location = manifest
    if let library = ModuleFolders.library(forManifest: manifest) {
      description.library = library
      description.reportsLatency = ModuleLibrary.tellsLatency(path: library)
    } else {
      let name = URL(fileURLWithPath: manifest).deletingPathExtension().lastPathComponent
      description.refusal =
        "\(manifest) has no library: \(name).so or lib\(name).so has to stand beside it."
    }
    return description
  }
}

/// Takes a module through its life once.
enum ModuleTrial {
  static func run(
    _ description: PluginDescription, at conditions: Trial.Conditions, stage: (Trial.Stage) -> Void
  ) throws {
    stage(.load)
    let library = try ModuleLibrary(path: description.library)
    stage(.create)
    var node: ModuleNode? = try self.node(library, description, conditions)
    // One that does not take this sound may take another.
    for index in description.properties.indices {
      try? node?.setProperty(index, to: .path("trial"))
    }
    stage(.activate)
    node?.activate()
    stage(.run)
    if let node { render(node, longest: conditions.maximumFrameCount) }
    node?.reset()
    stage(.destroy)
    node = nil
  }

  /// An instance, whose sound files are all one noise.
  static func node(
    _ description: PluginDescription, _ conditions: Trial.Conditions
  ) throws -> ModuleNode {
    try node(ModuleLibrary(path: description.library), description, conditions)
  }

  private static func node(
    _ library: ModuleLibrary, _ description: PluginDescription, _ conditions: Trial.Conditions
  ) throws -> ModuleNode {
    try ModuleNode(
      library, description,
      NodeConfiguration(
        sampleRateHz: conditions.sampleRateHz, maximumFrameCount: conditions.maximumFrameCount),
      readSound: decay)
  }

  /// A quarter of a second of noise that dies away, in stereo.
  private static func decay(_ path: String, _ sampleRateHz: Double) -> [[Float]] {
    let count = max(1, Int(sampleRateHz * 0.25))
    return (1 ... 2).map { channel in
      (0 ..< count).map { frame in
        let noise = Float((frame &* 7_919 &* channel) % 2_001 - 1_000) * 1e-3
        return noise * (1 - Float(frame) / Float(count))
      }
    }
  }

  /// A few blocks of quiet noise, whose samples need not be of any quality.
  static func render(_ node: ModuleNode, longest: Int) {
    let blocks = [longest, 1, min(37, longest), longest, max(1, longest / 4)]
    let count = node.audioInputCount + node.audioOutputCount
    let rows = (0 ..< max(1, count)).map { row in
      let samples = UnsafeMutablePointer<Float>.allocate(capacity: longest)
      samples.initialize(repeating: 0, count: longest)
      for frame in 0 ..< longest {
        samples[frame] = Float((frame &* 7_919 &+ row &* 104_729) % 2_001 - 1_000) * 1e-4
      }
      return samples
    }
    defer { for row in rows { row.deallocate() } }
    rows.withUnsafeBufferPointer { pointers in
      guard let base = pointers.baseAddress else { return }
      for frames in blocks { node.step.function(node.step.context, base, UInt32(frames)) }
    }
  }
}
