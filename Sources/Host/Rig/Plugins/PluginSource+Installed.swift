// PluginSource+Installed.swift: the sources of installed plugins. SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc
import LV2Host
import ModuleHost
package import PluginCatalogue
import PluginModel
import Reblocking

extension PluginSource {
  /// All kinds of installed plugins.
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
        event(.found(ScannedPlugin(plugin.description, rank: rank)))
      }
    },
    trial: { description, conditions, stage in
      let plugin = try LV2Scanner.plugin(description.identifier, inBundle: description.location)
      let findings = try LV2Preflight.run(
        plugin, sampleRateHz: conditions.sampleRateHz, frameCount: conditions.maximumFrameCount
      ) { stage(Preflight.Stage($0)) }
      var traits = Preflight.Traits(changesOf: description)
      if findings.writesInputs { traits.insert(.writesInputs) }
      if findings.soundsAlone { traits.insert(.soundsAlone) }
      return traits
    },
    complaint: { LV2Scanner.turtleFault(inNoise: $0) })

  /// Native modules in `ModuleDirectories`.
  package static let modules = PluginSource.modules { ModuleDirectories.manifests }

  /// The single module of a manifest at any path.
  package static func module(manifest: String) -> PluginSource { .modules { [manifest] } }

  private static func modules(_ manifests: @escaping @Sendable () -> [String]) -> PluginSource {
    PluginSource(
      name: "module", units: { BundleList(manifests()) },
      files: { [$0] + (ModuleDirectories.library(forManifest: $0).map { [$0] } ?? []) },
      scan: { unit, _, event in
        let description = try ModuleManifestReader.describe(manifest: unit)
        event(.opened)
        event(.found(ScannedPlugin(description)))
      },
      trial: { try ModulePreflight.run($0, at: $1, stage: $2) },
      probe: { try ModulePreflight.maker($0, $1) })
  }
}

extension Preflight.Stage {
  fileprivate init(_ stage: LV2PreflightStage) {
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

extension Preflight.Traits {
  /// The changes that a plugin made in this process.
  init(changesOf plugin: PluginDescription) {
    self = Preflight.Traits(
      changes: ForeignCode.changes(by: plugin.name)
        .union(ForeignCode.changes(by: plugin.library)))
  }
}

extension ModuleManifestReader {
  /// Reads a manifest and finds its library; a missing library makes the module unusable. [main]
  static func describe(manifest: String) throws(ManifestError) -> PluginDescription {
    var description = try read(path: manifest)
    description.location = manifest
    if let library = ModuleDirectories.library(forManifest: manifest) {
      description.library = library
      description.reportsLatency = ModuleLibrary.tellsLatency(path: library)
    } else {
      let name = URL(fileURLWithPath: manifest).deletingPathExtension().lastPathComponent
      description.refusal =
        "\(manifest) has no library. Put \(name).so or lib\(name).so in the same directory."
    }
    return description
  }
}
