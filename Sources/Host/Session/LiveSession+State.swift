// LiveSession+State.swift: what clients read of a session, and musical time. SPDX-License-Identifier: MIT

package import AudioDriver
package import FileRecording
package import HostModel
package import MIDIClock
package import PluginCatalogue
import PluginLoading
package import PluginModel
import RealtimeKit
package import RenderGraph
import RigPlanning
package import RigSchema
import Synchronization

extension LiveSession {
  /// A node, and its parameters.
  package struct ParameterTarget {
    /// The node's name in the rig.
    package var name: String
    /// The parameters in the plugin's order.
    package var parameters: [Parameter]
    /// The instances; a `HotSwapNode` is replaced by the node that it wraps.
    package var nodes: [any Node]
    /// The automated parameters.
    package var automated: Set<Int>
    /// The parameters that controls move in ramps, of all instances.
    package var moves: [ParameterMove]
  }

  /// A node of the rig, with its current values.
  package struct NodeValues: Sendable, Equatable {
    /// The node's name in the rig.
    package var name: String
    /// The plugin.
    package var plugin: PluginDescription
    /// The value of each parameter, in the plugin's order.
    package var values: [Float]
  }

  /// A scene of the rig.
  package struct Scene: Sendable, Equatable {
    /// The name of the scene.
    package var name: String
    /// The default duration of its recall, in seconds; nil for an immediate recall.
    package var overSeconds: Double?
    /// Whether this scene was recalled or stored last.
    package var isCurrent: Bool
  }

  // MARK: - Stream

  /// The number of rendered frames; restarts at 0 with a graph of another sample rate. [main]
  package var renderedFrameCount: UInt64 { graph.renderedFrameCount }
  /// The parameters of the opened devices.
  package var stream: StreamDescription { driver.stream }
  /// The xruns, lost frames and failures so far.
  package var status: DriverStatus { loop.status }
  /// The plugin fault that ends the session; nil if there is none.
  package var fault: FatalFault? { loop.fault }
  /// The number of threads that have rendered; 1 until there is enough work for more. [main]
  package var usedThreadCount: Int { graph.engine.usedThreadCount }
  /// The latency of the plugins, in frames.
  package var latencyFrames: Int { graph.latencyFrames }
  /// The active and completed recordings, oldest first. [main]
  package var recordings: [RecordingReport] { recordingWatch.reports }
  /// Whether each recorder records, in the order of the rig. [main]
  package var recorderStates: [Bool] {
    graph.members.compactMap { $0.nodes.first?.capabilities[Recording.self] }
      .map { $0.wanted == .recording }
  }
  /// The paths of level logs that lost lines. [main]
  package var incompleteLogs: [String] { meters.incompleteLogs }

  /// The faults of nodes since the start, by name. [main]
  package var nodeFaults: [RunRecord.NodeFaultCount] {
    active.faults.counts.sorted { $0.key < $1.key }.map { name, count in
      let member = graph.members.first { $0.name == name }
      return .init(
        node: name, plugin: member?.plugin.identifier ?? "",
        kind: active.faults.kinds[name]?.word ?? "", count: count)
    }
  }

  // MARK: - Measurement

  /// Returns the load of the nodes since the last call, in the order of the rig. [main]
  ///
  /// The first call starts the measurement, and its result covers no block.
  package func nodeLoads() -> [NodeLoad] { loads.take() }

  /// Returns the readings of all meters: input and output, then those of the rig in its order.
  /// [main]
  ///
  /// Input and output are measured from the first call on.
  package func meterReadings() -> [NamedReading] { meters.readings() }

  /// Resets all meters. [main]
  package func restartMeters() { meters.restart() }

  // MARK: - Rig

  /// The plugin formats of its library.
  package var formats: FormatRegistry { library.formats }
  /// The name of the rig.
  package var rigName: String { rig.rig.name }
  /// The nodes, in the order of the rig. [main]
  package var nodeValues: [NodeValues] { active.nodeValues }
  /// The readouts of the nodes, in the order of the rig. [main]
  package var readouts: [NodeReadouts] { graph.members.readouts() }
  /// All known property values, in the order of the rig. [main]
  package var properties: [PropertyReport] { graph.propertyValues() }
  /// The scenes in the order of the rig. [main]
  package var scenes: [Scene] { sceneControl.scenes }
  /// Whether a scene change is in progress, so that `advanceMorph` must be called repeatedly. [main]
  package var isMorphing: Bool { !sceneControl.morph.isEmpty }
  /// The revision of the history; it changes with every change of the rig, undo and redo. [main]
  package var historyNumber: Int { active.history.number }
  /// Counts the steps of the history, including changes of values. [main]
  package var stepNumber: Int { active.history.stepNumber }
  /// The current rig; parameter values are in `nodeValues`. [main]
  package var currentRig: RigDescription { rig.rig }

  /// The nodes that are bypassed because of faults. [main]
  package var bypassedNodes: Set<String> { active.faults.bypassedNodes }

  /// All nodes, in the order of the rig. [main]
  package var parameterTargets: [ParameterTarget] {
    zip(graph.members, graph.plan.nodes).map { member, planned in
      ParameterTarget(
        name: member.name, parameters: member.plugin.parameters,
        nodes: member.nodes.map(\.inside), automated: Set(planned.lanes.map(\.parameter)),
        moves: member.nodes.flatMap { graph.graph.automation(of: $0)?.moves ?? [] })
    }
  }

  /// Returns the writable property values of a node, as a rig file has them. [main]
  package func propertyTexts(ofNode position: Int) -> [(uri: String, text: String)] {
    let member = graph.members[position]
    guard let node = member.nodes.first?.capabilities.properties else { return [] }
    return member.plugin.properties.enumerated().compactMap { index, property in
      guard property.isWritable, let value = node.property(index) else { return nil }
      return (property.uri, value.spelling)
    }
  }

  /// Whether a connection can be named by its ends: an audio connection outside of nested rigs that
  /// leads to no command-line recorder.
  package static func isNamed(_ connection: RigConnection) -> Bool {
    connection.scope.isEmpty && !connection.carriesMIDI && !RecordingTaps.isTap(connection)
  }
}

extension LiveSession {
  /// Musical time as clients see it.
  package struct TransportStatus: Sendable, Equatable {
    /// The tempo in beats per minute.
    package var beatsPerMinute: Double
    /// Whether the transport rolls.
    package var isRolling: Bool
    /// The clock that it follows; nil for none.
    package var clock: ClockStatus?
  }

  /// The present tempo and clock. [main]
  package var transportStatus: TransportStatus {
    let transport = graph.engine.transport
    return TransportStatus(
      beatsPerMinute: transport?.beatsPerMinute ?? rig.rig.transport.beatsPerMinute,
      isRolling: transport?.isRolling ?? false, clock: loop.clock?.status)
  }

  /// Changes the tempo, which `save` writes, from the next block on, and that of a shared clock. [main]
  ///
  /// - Parameter beatsPerMinute: one of `TransportSettings.temposBPM`.
  package func setTempo(_ beatsPerMinute: Double) {
    graph.engine.transport?.setTempo(beatsPerMinute)
    active.requestedTempo = beatsPerMinute
    _ = loop.clock?.request(.tempo(beatsPerMinute))
  }

  /// Starts or stops the transport from the next block on; a shared clock starts it later. [main]
  package func setRolling(_ isRolling: Bool) {
    let isShared = loop.clock?.request(isRolling ? .start : .stop) ?? false
    if !isShared || !isRolling { graph.engine.transport?.setRolling(isRolling) }
  }

  /// Jumps to the beginning at the next block; a shared clock jumps later. [main]
  package func rewind() {
    if loop.clock?.request(.rewind) != true { graph.engine.transport?.locate(frame: 0) }
  }
}

extension LiveSession {
  /// Returns levels since the last call. [main]
  ///
  /// The peaks count for the next report, too. The audio thread does nothing more for this than for meters and `top`.
  package func takeLevels() -> LevelReading {
    let (inputs, outputs) = takePeaks()
    heldPeaks.inputs = Self.higher(heldPeaks.inputs, inputs)
    heldPeaks.outputs = Self.higher(heldPeaks.outputs, outputs)
    let peaks = loads.takePeaks()
    let all = readouts
    let nodes = zip(graph.members, peaks).map { member, peak in
      LevelReading.Node(
        name: member.name, peak: peak,
        readouts: all.first { $0.node == member.name || $0.node == "\(member.name)/1" })
    }
    return LevelReading(inputPeaks: inputs, outputPeaks: outputs, nodes: nodes)
  }

  /// Returns the peaks since the last call with those that were taken for displays, and forgets them. [main]
  func takeReportPeaks() -> (inputs: [Float], outputs: [Float]) {
    let (inputs, outputs) = takePeaks()
    defer { heldPeaks = ([], []) }
    return (
      Self.higher(heldPeaks.inputs, inputs), Self.higher(heldPeaks.outputs, outputs)
    )
  }

  private func takePeaks() -> (inputs: [Float], outputs: [Float]) {
    let engine = graph.engine
    return (
      (0 ..< engine.settings.inputChannelCount).map {
        unsafe engine.pointer.pointee.inputMeter.take($0)
      },
      (0 ..< engine.settings.outputChannelCount).map {
        unsafe engine.pointer.pointee.outputMeter.take($0)
      }
    )
  }

  /// Returns the higher of two peaks for each channel.
  private static func higher(_ one: [Float], _ other: [Float]) -> [Float] {
    one.count == other.count ? zip(one, other).map { max($0, $1) } : other
  }
}
