// PreparedRig+Check.swift: what a rig is refused for before a device is opened. SPDX-License-Identifier: MIT

import Builtins
import FileRecording
package import PluginCatalogue
package import PluginModel
package import RenderGraph
package import Rig

extension PreparedRig {
  /// The rate and block length that the rig's plugins are tried at before a device is opened: those that the
  /// rig asks for, or else the usual ones. [any]
  package var trialConditions: Preflight.Conditions {
    var conditions = Preflight.Conditions.usual
    conditions.sampleRateHz = rig.sampleRateHz.map(Double.init) ?? conditions.sampleRateHz
    conditions.maximumFrameCount = rig.periodFrames ?? conditions.maximumFrameCount
    return conditions
  }

  /// Refuses plugins that cannot be used, or did not survive their trial under `trialConditions`. [main]
  ///
  /// `onSlow` is called once with each plugin whose trial takes longer than a person expects.
  ///
  /// - Throws: `PluginLibraryError` for the first one.
  package func checkPlugins(
    _ library: PluginLibrary, onSlow: @escaping (PluginDescription) -> Void = { _ in }
  ) throws {
    try library.checkByTrial(plugins, at: trialConditions, onSlow: onSlow)
  }

  /// Refuses whatever `run` and `render` refuse before they open a device or a file. [main]
  ///
  /// Makes the rig's nodes, compiles their graph, and takes it down again. Nothing is written or played.
  ///
  /// - Throws: the error that `run` or `render` would throw, the first one.
  package func checkNodes(_ library: PluginLibrary) throws {
    try checkRecordings()
    try checkPlugins(library)
    let plan = try plan()
    let conditions = trialConditions
    let frames =
      rig.isOffline
      ? plan.blockFrames(
        atMost: conditions.maximumFrameCount, sampleRateHz: Int(conditions.sampleRateHz))
      : conditions.maximumFrameCount
    _ = try compiled(
      library, plan, sampleRateHz: conditions.sampleRateHz, maximumFrameCount: frames)
  }

  /// Compiles the graph of the rig's nodes, and takes the nodes down again. [main]
  ///
  /// - Parameters:
  ///   - library: makes the nodes.
  ///   - plan: the rig's plan.
  ///   - sampleRateHz: frames a second.
  ///   - maximumFrameCount: the longest block.
  /// - Returns: the compiled graph, which is not to be rendered.
  /// - Throws: what a plugin has against it, or a loop.
  package func compiled(
    _ library: PluginLibrary, _ plan: RigPlan, sampleRateHz: Double, maximumFrameCount: Int
  ) throws -> CompiledGraph {
    let transport = Transport(rig.transport, sampleRateHz: sampleRateHz)
    let configuration = NodeConfiguration(
      sampleRateHz: sampleRateHz, maximumFrameCount: maximumFrameCount, isOffline: rig.isOffline,
      hasConstantBlocks: true, transport: transport)
    var crashWords = CrashReporter()
    crashWords.follow(self, library)
    let makeNode = nodeMaker(library)
    let built = try RigBuilder.build(plan, configuration) { plugin, configuration in
      // A recorder would begin its file.
      guard RecorderSettings(plugin) == nil else {
        return Builtin.mixer.makeNode(channelCount: plugin.audioInputs.count, configuration)
      }
      return try makeNode(plugin, configuration)
    }
    defer {
      for node in built.members.flatMap(\.nodes) { node.deactivate() }
    }
    let settings = Engine.Settings(
      inputChannelCount: plan.inputChannelCount, outputChannelCount: plan.outputChannelCount,
      maximumFrameCount: maximumFrameCount, sampleRateHz: sampleRateHz, startsFadedOut: false)
    return try GraphCompiler.compile(built.graph, for: Engine(settings, transport: transport))
  }
}
