// LV2Format.swift: LV2 as a format of the host. SPDX-License-Identifier: MIT

package import PluginCatalogue
package import PluginModel

extension PluginKind {
  /// An LV2 plugin, named by its URI.
  package static let lv2 = PluginKind(rawValue: "lv2")
}

extension FormatTraits {
  /// The traits of LV2.
  static let lv2 = FormatTraits(
    [.stateHasProperties, .acceptsEmptyBlocks, .rendersTailInBlocks], noun: "an LV2 plugin",
    stateFile: "manifest.ttl", clearingFunction: "`activate`",
    leakAdvice:
      "an instance is created and destroyed. Free in `cleanup` what `instantiate` allocates.")
}

/// LV2 plugins in the bundles of `LV2_PATH`.
package struct LV2Format: PluginFormat {
  /// Creates the format.
  package init() {}

  package let kind = PluginKind.lv2
  package var source: PluginSource? { .lv2 }
  package func makeLoader() -> (any PluginLoader)? { LV2Loader() }
  package var presets: (any PresetFormat)? { LV2PresetFormat() }
  /// The directories of all bundles, because any bundle can contain presets.
  package var sharedDirectories: [String] {
    LV2Directories.directories(ofPath: LV2Environment.path, home: LV2Environment.home)
  }
  package var helpers: [FormatHelper] {
    [FormatHelper(argument: PresetScanHelper.argument) { PresetScanHelper.run() }]
  }
}

extension PluginSource {
  /// LV2 plugins in the bundles of `LV2_PATH`.
  package static let lv2 = PluginSource(
    name: PluginKind.lv2.rawValue,
    units: { LV2Search.units(ofPath: LV2Environment.path, home: LV2Environment.home) },
    isDivisible: true,
    scan: { unit, part, event in
      try LV2Scanner.scan(
        bundle: unit, where: { part.contains($0) }, opened: { event(.opened) }
      ) { plugin in
        let rank = UInt64(plugin.version.minor) << 32 | UInt64(plugin.version.micro)
        event(.found(ScannedPlugin(plugin.description, rank: rank)))
      } preset: { plugin, name in
        event(.preset(PresetName(plugin: plugin, name: name)))
      }
    },
    preflight: { description, conditions, stage in
      let plugin = try LV2Scanner.plugin(description.identifier, inBundle: description.location)
      let generatesAudio = try LV2Preflight.run(
        plugin, sampleRateHz: conditions.sampleRateHz, frameCount: conditions.maximumFrameCount
      ) { stage(Preflight.Stage($0)) }
      var traits = Preflight.Traits(changesOf: description)
      if generatesAudio { traits.insert(.generatesAudio) }
      return traits
    },
    libraryFault: { LV2Scanner.turtleFault(inNoise: $0) })
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

/// Creates LV2 nodes, and reads each bundle only once. [main]
private final class LV2Loader: PluginLoader {
  /// Loaded bundles by path.
  private var worlds: [String: LV2World] = [:]

  func makeNode(
    _ plugin: PluginDescription, _ configuration: NodeConfiguration, _ traits: Preflight.Traits
  ) throws -> any Node {
    let world = try world(ofBundle: plugin.location)
    let installed = try world.plugin(plugin.identifier)
    let node = try LV2Node(installed, configuration, world: world)
    node.generatesAudio = traits.contains(.generatesAudio)
    for (index, (wanted, given)) in zip(plugin.parameters, installed.description.parameters)
      .enumerated() where wanted.defaultValue != given.defaultValue
    {
      node.setParameter(index, to: wanted.defaultValue)
    }
    return node
  }

  private func world(ofBundle path: String) throws -> LV2World {
    if let world = worlds[path] { return world }
    let world = try LV2World()
    world.loadBundle(path)
    worlds[path] = world
    return world
  }
}

/// LV2 presets, which any bundle can contain.
private struct LV2PresetFormat: PresetFormat {
  func list(of plugin: PluginDescription, in context: FormatContext) -> [PluginPreset]? {
    let bundles = context.catalogue.sources.filter { $0.name == PluginSource.lv2.name }.flatMap {
      $0.units().paths
    }
    let request = PresetScanHelper.Request(
      plugin: plugin.identifier, home: plugin.location, bundles: bundles)
    return PresetScanHelper.presets(request, by: context.catalogue.child)
  }

  func values(
    of preset: PluginPreset, of plugin: PluginDescription
  ) throws -> [ParameterPreset.Value]? {
    let world = try LV2World()
    let state = try world.state(of: preset, of: plugin)
    guard state.isOfPortsAlone else { return nil }
    return state.portValues.compactMap { symbol, value in
      guard let position = plugin.parameters.firstIndex(where: { $0.symbol == symbol }) else {
        return nil
      }
      return .init(parameter: position, value: plugin.parameters[position].nearestValid(to: value))
    }
  }

  var storage: PresetStorage? {
    PresetStorage(directory: UserLV2Directory.directory, ending: ".preset.lv2", file: "/preset.ttl")
  }
}
