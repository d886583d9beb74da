// LiveSession.swift: a rig that runs on audio devices. SPDX-License-Identifier: MIT

package import AudioDriver
package import Builtins
package import FileRecording
import FoundationEssentials
import Glibc
import PluginCatalogue
import PluginModel
import RealtimeKit
import RenderGraph
package import Rig
import Synchronization

/// A rig between devices: opens, starts, supervises, fades out and closes them.
package final class LiveSession {
  /// The status of a session, polled ten times a second.
  package struct Report: Sendable {
    /// The sample peaks of the inputs since the last report, linear.
    package var inputPeaks: [Float]
    /// The sample peaks of the outputs since the last report, linear.
    package var outputPeaks: [Float]
    /// The mean share of the period that rendering took since the last report.
    package var meanLoad: Double
    /// The maximum share since the last report.
    package var worstLoad: Double
    /// The xruns, lost frames and failures of the driver.
    package var driver: DriverStatus
    /// The MIDI status; nil if the rig uses no MIDI.
    package var midi: MIDIStatus?
    /// Messages about MIDI devices that were connected or disconnected since the last report.
    package var midiNotices: [String]
    /// The reports of analysers in the rig.
    package var analyses: [(name: String, report: AnalyserReport)]
    /// The readouts of nodes.
    package var readouts: [NodeReadouts]
    /// The properties that plugins have changed since the last report.
    package var properties: [PropertyReport]
    /// The actions of feedback suppression since the last report, oldest first.
    package var feedbackEvents: [FeedbackEvent]
    /// Other messages since the last report.
    package var notices: [String]
  }

  /// The number of rendered frames; restarts at 0 with a graph of another sample rate. [main]
  package var renderedFrameCount: UInt64 {
    graph.engine.pointer.pointee.frameCount.load(ordering: .relaxed)
  }
  /// The parameters of the opened devices.
  package var stream: StreamDescription { driver.stream }
  /// The xruns, lost frames and failures so far.
  package var status: DriverStatus { withFault(driver.status) }
  /// The plugin fault that ends the session; nil if there is none.
  package internal(set) var fault: FatalFault?
  /// The number of threads that have rendered; 1 until there is enough work for more. [main]
  package var usedThreadCount: Int { graph.engine.usedThreadCount }
  /// The latency of the plugins, in frames.
  package var latencyFrames: Int { graph.latencyFrames }
  /// All known property values, in the order of the rig. [main]
  package var properties: [PropertyReport] { graph.propertyValues() }
  /// Messages about the start.
  package let notes: [String]

  /// The driver, which calls the engine.
  package let driver: any AudioDriver
  /// The MIDI connection; nil if the rig uses no MIDI.
  package let midi: (any MIDILink)?
  /// The rig as it was prepared.
  var rig: PreparedRig
  let library: PluginLibrary
  /// The active graph.
  var graph: LiveGraph
  /// The watchers of plugin sources; empty until `followSources` is called.
  var followers: [any BuildFollower] = []
  /// Called by the watchers when a plugin was compiled.
  var onSourceNews: (@Sendable () -> Void)?
  var latencies: LatencyMonitor
  /// The previous rigs.
  var history = UndoHistory()
  /// The scene change that is in progress.
  var morph = SceneMorph()
  /// The scene that was recalled or stored last.
  var currentScene: String?
  /// When the measurement of nodes ends, in seconds of system uptime.
  var measuredUntil = 0.0
  /// The faults of nodes.
  var faults = NodeFaults()
  /// The rig as it was last read, without manual changes.
  var written: PreparedRig
  /// The block length that the plugins know.
  private var blockFrames: Int
  /// The pending change of the sample rate; nil if there is none.
  var rateChange: RateChange?
  var notices: [String] = []
  /// The monitor of the audio thread; nil if it is disabled.
  package let realTimeWatch: RealTimeSafetyMonitor?
  var blackBoxWatch: BlackBoxTrigger
  /// The meters of input and output, once they were read.
  var ioMeters: IOMeters?
  let processState = SharedProcessState()
  private var recordingWatch = RecordingMonitor()
  private var messageWatch = PluginLogReporter()
  var crashReporter = CrashReporter()
  var overload = OverloadWatch()
  /// The active and completed recordings, oldest first. [main]
  package var recordings: [RecordingReport] { recordingWatch.reports }
  /// The paths of level logs that lost lines. [main]
  package internal(set) var incompleteLogs: [String] = []

  /// Opens the driver for a prepared rig, creates its nodes and compiles them.
  ///
  /// No audio is rendered yet. [main]
  ///
  /// - Parameters:
  ///   - rig: the rig, whose plugins are resolved and whose diagnostics were reported.
  ///   - library: creates the nodes.
  ///   - midi: the MIDI connection, if the rig uses MIDI.
  ///   - realTimeWatch: monitors the audio thread.
  ///   - blackBoxes: the parent directory of automatic black boxes; nil to disable them.
  ///   - openDriver: opens the devices that the rig and the user request.
  /// - Throws: errors of the driver, of the plan for the opened channels, or of a plugin.
  package init(
    _ rig: PreparedRig, _ library: PluginLibrary, midi: (any MIDILink)? = nil,
    realTimeWatch: RealTimeSafetyMonitor? = nil, blackBoxes: String? = nil,
    openDriver: (StreamRequest) throws -> any AudioDriver
  ) throws {
    self.midi = midi
    self.realTimeWatch = realTimeWatch
    blackBoxWatch = BlackBoxTrigger(directory: blackBoxes)
    self.rig = rig
    written = rig
    self.library = library
    try rig.checkRecordings()
    driver = try openDriver(rig.streamRequest)
    crashReporter.follow(rig, library)
    graph = try LiveGraph(rig, library, for: driver.stream)
    self.rig.preflightConditions = Preflight.Conditions(graph.configuration)
    latencies = LatencyMonitor(graph.members)
    blockFrames = driver.stream.blockFrames
    notes =
      rig.plugins.compactMap(library.note) + graph.notes + driver.stream.notes
      + [BuiltInAudio.note(for: driver.stream)].compactMap(\.self)
  }

  /// Starts the devices and fades in. [main]
  package func start() throws {
    realTimeWatch?.watch(graph)
    crashReporter.follow(rig, library, graph.contextNames)
    FaultMonitor.shared?.allow(
      seconds: Self.timeoutBlocks * Double(stream.periodFrames) / stream.sampleRateHz)
    graph.engine.pointer.pointee.fade.open()
    // MIDI that arrives before the audio starts waits for it.
    try midi?.start(graph.engine)
    do {
      try driver.start(graph.engine.renderer)
    } catch {
      midi?.stop()
      throw error
    }
  }

  /// Returns the status since the last report. [main]
  ///
  /// It also handles devices that were lost, reconnected, or changed their sample rate. So it must
  /// be called about ten times a second.
  ///
  /// - Throws: errors of plugins at a sample rate that the devices require.
  package func report() throws -> Report {
    driver.supervise()
    try applyDeviceRate()
    if driver.stream.blockFrames != blockFrames { try followBlockLength() }
    recordingWatch.follow(graph.members)
    applyProgramChange()
    graph.advance()
    handleFaults()
    handleWorkerFaults()
    stopIdleMeasurement()
    // While rendering is stalled, a new module would be reported without taking effect.
    if FaultMonitor.shared?.stall == nil { takeSources() }
    crashReporter.follow(rig, library, graph.contextNames)
    reportRealTimeViolations()
    notices += takeMessages()
    handleForeignChanges()
    pollBlackBox()
    let delayed = latencies.takeNotices()
    if !delayed.isEmpty { graph.realignLatency() }
    notices += delayed
    let engine = graph.engine
    let load = engine.pointer.pointee.load.take()
    handleOverload(mean: load.mean, maximum: load.maximum)
    return Report(
      inputPeaks: (0 ..< engine.settings.inputChannelCount).map {
        engine.pointer.pointee.inputMeter.take($0)
      },
      outputPeaks: (0 ..< engine.settings.outputChannelCount).map {
        engine.pointer.pointee.outputMeter.take($0)
      },
      meanLoad: load.mean, worstLoad: load.maximum, driver: status,
      midi: midi?.status, midiNotices: midi?.takeNotices() ?? [], analyses: analyses(),
      readouts: readouts, properties: graph.takePropertyChanges(),
      feedbackEvents: graph.feedbackSuppressor?.takeReports() ?? [], notices: takeNotices())
  }

  /// Returns the messages since the last report or call.
  ///
  /// The results of recordings are known when the session has stopped. [main]
  package func takeNotices() -> [String] {
    let taken =
      notices + takePlayerNotices() + takeMeterNotices() + recordingWatch.takeNotices()
    notices = []
    blackBoxWatch.record(taken)
    return taken
  }

  /// Returns the log messages of plugins since the last call.
  private func takeMessages() -> [String] {
    messageWatch.takeMessages(graph.members, now: ProcessInfo.processInfo.systemUptime)
  }

  private func reportRealTimeViolations() {
    guard let realTimeWatch else { return }
    realTimeWatch.follow(graph)
    notices += realTimeWatch.takeNotices()
  }

  /// Replaces the graph by another graph of the same rig.
  ///
  /// The driver must be stopped, and is started again. [main]
  func restart(with next: LiveGraph) throws {
    midi?.stop()
    next.adopt(graph)
    graph.deactivate()
    notices += takeMessages()
    graph = next
    rig.preflightConditions = Preflight.Conditions(graph.configuration)
    latencies = LatencyMonitor(graph.members)
    blockFrames = driver.stream.blockFrames
    try start()
  }

  /// Records that a node of the rig has another plugin.
  func setPlugin(_ plugin: PluginDescription, ofNode index: Int) {
    rig.plugins[index] = plugin
  }

  /// Records that a node of the rig has another property value.
  func recordProperty(_ property: Property, _ value: PropertyValue, ofNode index: Int) {
    rig.rig.nodes[index].properties.removeAll {
      Property.place(of: $0.symbol, in: [property]) != nil
    }
    rig.rig.nodes[index].properties.append(
      RigParameter(symbol: property.uri, text: value.spelling))
  }

  /// Reports a changed period to plugins that use it, while nothing is rendered.
  private func followBlockLength() throws {
    blockFrames = driver.stream.blockFrames
    guard graph.observesBlockLength, driver.status.isRunning else { return }
    driver.stop()
    midi?.stop()
    graph.notifyBlockLength(blockFrames)
    try start()
  }

  /// Fades out, waits until silence was played, and closes the devices. [main]
  package func stop() {
    for follower in followers { follower.stop() }
    resetDeviceRate()
    recordingWatch.follow(graph.members)
    fadeOut()
    finishBlackBoxes()
    driver.stop()
    ioMeters?.end()
    midi?.stop()
    graph.deactivate()
    notices += takeMessages() + messageWatch.flush()
  }

  /// Fades out, and waits until silence was played. [main]
  func fadeOut() {
    let engine = graph.engine
    engine.pointer.pointee.fade.close()
    let buffered = Double(stream.output?.bufferFrames ?? 0) / stream.sampleRateHz
    let period = Double(stream.periodFrames) / stream.sampleRateHz
    // The fade, the current period, and the data in the device buffer.
    let deadline = Date().addingTimeInterval(Engine.fadeSeconds + 2 * period + buffered + 0.5)
    while driver.status.isRunning, !engine.pointer.pointee.fade.isSilent, Date() < deadline {
      usleep(2_000)
    }
    if driver.status.isRunning { usleep(UInt32(buffered * 1e6)) }
  }

  private func analyses() -> [(name: String, report: AnalyserReport)] {
    graph.members.flatMap { member in
      member.nodes.compactMap { node in
        node.abilities[Analyser.self].map { (member.name, $0.takeReport()) }
      }
    }
  }
}
