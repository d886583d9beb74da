// PreparedRig+Check.swift: checks of a rig before a device is opened. SPDX-License-Identifier: MIT

import AudioDriver
import Builtins
import FileRecording
package import PluginCatalogue
package import PluginLoading
package import PluginModel
package import RenderGraph
package import RigPlanning
import RigSchema

extension PreparedRig {
  /// The sample rate and block length of the preflight: those that the rig requests, otherwise the defaults. [any]
  package var requestedConditions: Preflight.Conditions {
    var conditions = Preflight.Conditions.standard
    conditions.sampleRateHz = rig.sampleRateHz.map(Double.init) ?? conditions.sampleRateHz
    conditions.maximumFrameCount = rig.periodFrames ?? conditions.maximumFrameCount
    return conditions
  }

  /// Rejects plugins that cannot be used or fail preflight under `requestedConditions`. [main]
  ///
  /// Calls `onSlow` once for each plugin whose preflight takes long.
  ///
  /// - Throws: `PluginLibraryError` for the first one.
  package func checkPlugins(
    _ library: PluginLibrary, onSlow: @escaping (PluginDescription) -> Void = { _ in }
  ) throws {
    try library.checkUsable(plugins)
    try library.preflight(triedPlugins, at: requestedConditions, onSlow: onSlow)
  }

  /// The plugins that need preflight: those in sandboxes must run nowhere else, and their faults end only a worker.
  var triedPlugins: [PluginDescription] {
    zip(rig.nodes, plugins).filter { !$0.0.isSandboxed }.map(\.1)
  }

  /// Performs all checks of `run` and `render` that need no device or file. [main]
  ///
  /// Creates the nodes of the rig, compiles the graph, and destroys both. Nothing is written or played.
  ///
  /// - Throws: the first error that `run` or `render` would throw.
  package func checkNodes(_ library: PluginLibrary) throws {
    try checkRecordings()
    try checkPlugins(library)
    let plan = try plan()
    let conditions = requestedConditions
    let frames =
      rig.isOffline
      ? plan.blockFrames(
        atMost: conditions.maximumFrameCount, sampleRateHz: Int(conditions.sampleRateHz))
      : rig.periodFrames ?? StreamRequest.defaultPeriodFrames
    _ = try compiled(
      library, plan, sampleRateHz: conditions.sampleRateHz, maximumFrameCount: frames)
  }

  /// Compiles the graph of the rig's nodes, and destroys the nodes. [main]
  ///
  /// - Parameters:
  ///   - library: creates the nodes.
  ///   - plan: the plan of the rig.
  ///   - sampleRateHz: the sample rate in Hz.
  ///   - maximumFrameCount: the longest block.
  /// - Returns: the compiled graph, which must not be rendered.
  /// - Throws: errors of a plugin, or a feedback loop.
  package func compiled(
    _ library: PluginLibrary, _ plan: RigPlan, sampleRateHz: Double, maximumFrameCount: Int
  ) throws -> CompiledGraph {
    let transport = Transport(rig.transport, sampleRateHz: sampleRateHz)
    let configuration = NodeConfiguration(
      sampleRateHz: sampleRateHz, maximumFrameCount: maximumFrameCount, isOffline: rig.isOffline,
      hasConstantBlocks: true, transport: transport)
    var crashReporter = CrashReporter()
    unsafe crashReporter.follow(self, library)
    let makeNode = nodeMaker(library)
    let built = try RigBuilder.build(plan, configuration) { plugin, configuration in
      // A recorder would create its file.
      if let recorder = RecorderSettings(plugin) {
        try recorder.checkExtension(sampleRateHz: Int(configuration.sampleRateHz))
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
