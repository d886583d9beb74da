// LiveSession.swift: one rig, running on a sound card. SPDX-License-Identifier: MIT

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

/// A rig between devices: opened, started, watched, faded out and closed.
package final class LiveSession {
  /// How it goes, as shown ten times a second.
  package struct Report: Sendable {
    /// Sample peaks of the inputs since the last report, linear.
    package var inputPeaks: [Float]
    /// Sample peaks of the outputs since the last report, linear.
    package var outputPeaks: [Float]
    /// Share of the period that the rendering took since the last report, and the worst of it.
    package var meanLoad: Double
    /// The worst block since the last report.
    package var worstLoad: Double
    /// Xruns, losses, failure.
    package var driver: DriverStatus
    /// How MIDI goes; nil where the rig has to do with none.
    package var midi: MIDIStatus?
    /// MIDI devices that came and went since the last report, one sentence each.
    package var midiNotices: [String]
    /// What analysers in the rig have heard.
    package var analyses: [(name: String, report: AnalyserReport)]
    /// What nodes measure.
    package var readouts: [NodeReadouts]
    /// Properties that plugins have told another value of since the last report.
    package var properties: [PropertyReport]
    /// What the howl guard did since the last report, oldest first.
    package var howls: [FeedbackEvent]
    /// What else happened since the last report, one sentence each.
    package var notices: [String]
  }

  /// Frames that the graph has rendered: it grows for as long as the audio thread lives, and begins
  /// anew with a graph of another rate. [main]
  package var renderedFrameCount: UInt64 {
    graph.engine.pointer.pointee.frameCount.load(ordering: .relaxed)
  }
  /// What was negotiated with the devices.
  package var stream: StreamDescription { driver.stream }
  /// Xruns, losses and failures so far.
  package var status: DriverStatus { withFault(driver.status) }
  /// What foreign code did that ends the run.
  package internal(set) var fault: FatalFault?
  /// How many threads have rendered: 1 until there was work enough for more. [main]
  package var usedThreadCount: Int { graph.engine.usedThreadCount }
  /// Frames by which plugins delay the sound.
  package var latencyFrames: Int { graph.latencyFrames }
  /// The values of all properties that are known, in the order of the rig. [main]
  package var properties: [PropertyReport] { graph.propertyValues() }
  /// What is worth knowing before it starts, one sentence each.
  package let notes: [String]

  /// What pulls the blocks.
  package let driver: any AudioDriver
  /// What carries MIDI; nil where the rig has to do with none.
  package let midi: (any MIDILink)?
  /// The rig as it was prepared.
  var rig: PreparedRig
  let library: PluginLibrary
  /// What renders now.
  var graph: LiveGraph
  /// What watches the sources of the rig's modules; none until they are followed.
  var followers: [any BuildFollower] = []
  /// What they call when they have made something new.
  var onSourceNews: (@Sendable () -> Void)?
  var latencies: LatencyMonitor
  /// What it was before.
  var history = UndoHistory()
  /// Values on their way to a scene.
  var morph = SceneMorph()
  /// The scene that was gone over to, or stored, last.
  var currentScene: String?
  /// Until when nodes are measured, in seconds of the system's uptime.
  var measuredUntil = 0.0
  /// Which nodes were found at fault.
  var faults = NodeFaults()
  /// The rig as it was last read, without what was set by hand since.
  var written: PreparedRig
  /// How long the graph's blocks are, as its plugins know it.
  private var blockFrames: Int
  /// What is made ready for another rate; nil while the devices insist on none.
  var rateChange: RateChange?
  var notices: [String] = []
  /// What watches the audio thread; nil where nobody asked for it.
  package let realTimeWatch: RealTimeSafetyMonitor?
  var blackBoxWatch: BlackBoxTrigger
  /// Meters of what comes in and goes out, once somebody has looked.
  var borderMeters: IOMeters?
  let processState = SharedProcessState()
  private var recordingWatch = RecordingMonitor()
  private var messageWatch = PluginLogReporter()
  var crashWords = CrashReporter()
  var overload = OverloadWatch()
  /// How recordings go, and went, the oldest first. [main]
  package var recordings: [RecordingReport] { recordingWatch.reports }

  /// Opens the driver for a prepared rig, makes its nodes and compiles them; no sound flows yet. [main]
  ///
  /// - Parameters:
  ///   - rig: prepared, so that its plugins are known and its mistakes have been told.
  ///   - library: makes the nodes.
  ///   - midi: carries MIDI, where the rig has to do with any.
  ///   - realTimeWatch: watches the audio thread.
  ///   - blackBoxes: the folder that black boxes are written to unasked; nil for none.
  ///   - openDriver: opens the devices that the rig and the user ask for.
  /// - Throws: what the driver, the plan for the channels that were got, or a plugin has against it.
  package init(
    _ rig: PreparedRig, _ library: PluginLibrary, midi: (any MIDILink)? = nil,
    realTimeWatch: RealTimeSafetyMonitor? = nil, blackBoxes: String? = nil,
    openDriver: (StreamRequest) throws -> any AudioDriver
  ) throws {
    self.midi = midi
    self.realTimeWatch = realTimeWatch
    blackBoxWatch = BlackBoxTrigger(folder: blackBoxes)
    self.rig = rig
    written = rig
    self.library = library
    try rig.checkRecordings()
    driver = try openDriver(rig.streamRequest)
    crashWords.follow(rig, library)
    graph = try LiveGraph(rig, library, for: driver.stream)
    self.rig.triedAt = Preflight.Conditions(graph.configuration)
    latencies = LatencyMonitor(graph.members)
    blockFrames = driver.stream.blockFrames
    notes =
      rig.plugins.compactMap(library.note) + graph.notes + driver.stream.notes
      + [BuiltInAudio.note(for: driver.stream)].compactMap(\.self)
  }

  /// Starts the devices and fades in. [main]
  package func start() throws {
    realTimeWatch?.watch(graph)
    crashWords.follow(rig, library, graph.contextNames)
    FaultMonitor.shared?.allow(
      seconds: Self.patienceBlocks * Double(stream.periodFrames) / stream.sampleRateHz)
    graph.engine.pointer.pointee.fade.open()
    // What is played before the sound begins waits for it.
    try midi?.start(graph.engine)
    do {
      try driver.start(graph.engine.renderer)
    } catch {
      midi?.stop()
      throw error
    }
  }

  /// What happened since the last report.
  ///
  /// Devices that went, came or changed their rate are seen to at the same time; so this is to be
  /// called about ten times a second. [main]
  /// - Throws: where the devices insist on another rate, what the plugins have against it.
  package func report() throws -> Report {
    driver.supervise()
    try followRate()
    if driver.stream.blockFrames != blockFrames { try followBlockLength() }
    recordingWatch.follow(graph.members)
    followProgram()
    graph.attend()
    seeToFaults()
    endIdleMeasuring()
    // What is new would not be heard, though it were said so.
    if FaultMonitor.shared?.stall == nil { takeSources() }
    crashWords.follow(rig, library, graph.contextNames)
    seeToRealTime()
    notices += takeMessages()
    seeToForeignChanges()
    attendBlackBox()
    let delayed = latencies.takeNotices()
    if !delayed.isEmpty { graph.lineUp() }
    notices += delayed
    let engine = graph.engine
    let load = engine.pointer.pointee.load.take()
    seeToOverload(mean: load.mean, worst: load.worst)
    return Report(
      inputPeaks: (0 ..< engine.settings.inputChannelCount).map {
        engine.pointer.pointee.inputMeter.take($0)
      },
      outputPeaks: (0 ..< engine.settings.outputChannelCount).map {
        engine.pointer.pointee.outputMeter.take($0)
      },
      meanLoad: load.mean, worstLoad: load.worst, driver: status,
      midi: midi?.status, midiNotices: midi?.takeNotices() ?? [], analyses: analyses(),
      readouts: readouts, properties: graph.takePropertyChanges(),
      howls: graph.howlGuard?.takeReports() ?? [], notices: takeNotices())
  }

  /// What happened since the last report, or call, one sentence each; what became of recordings is known
  /// once the session has stopped. [main]
  package func takeNotices() -> [String] {
    let taken =
      notices + takePlayerNotices() + takeMeterNotices() + recordingWatch.takeNotices()
    notices = []
    blackBoxWatch.remember(taken)
    return taken
  }

  /// What plugins said since the last call.
  private func takeMessages() -> [String] {
    messageWatch.takeSentences(graph.members, now: ProcessInfo.processInfo.systemUptime)
  }

  private func seeToRealTime() {
    guard let realTimeWatch else { return }
    realTimeWatch.follow(graph)
    notices += realTimeWatch.takeNotices()
  }

  /// Puts another graph of the same rig in the place of the one that was rendered; the driver is
  /// stopped, and started again. [main]
  func goOn(with next: LiveGraph) throws {
    midi?.stop()
    next.adopt(graph)
    graph.deactivate()
    notices += takeMessages()
    graph = next
    rig.triedAt = Preflight.Conditions(graph.configuration)
    latencies = LatencyMonitor(graph.members)
    blockFrames = driver.stream.blockFrames
    try start()
  }

  /// Notes that a node of the rig is another plugin from now on.
  func setPlugin(_ plugin: PluginDescription, ofNode index: Int) {
    rig.plugins[index] = plugin
  }

  /// Notes that a node of the rig has another property from now on.
  func noteProperty(_ property: Property, _ value: PropertyValue, ofNode index: Int) {
    rig.rig.nodes[index].properties.removeAll {
      Property.place(of: $0.symbol, in: [property]) != nil
    }
    rig.rig.nodes[index].properties.append(
      RigParameter(symbol: property.uri, text: value.spelling))
  }

  /// Tells plugins that listen that a device came back with other periods: while nothing renders.
  private func followBlockLength() throws {
    blockFrames = driver.stream.blockFrames
    guard graph.hearsBlockLength, driver.status.isRunning else { return }
    driver.stop()
    midi?.stop()
    graph.tellBlockLength(blockFrames)
    try start()
  }

  /// Fades out, waits until silence has been played, and closes. [main]
  package func stop() {
    for follower in followers { follower.stop() }
    forgetRate()
    recordingWatch.follow(graph.members)
    fallSilent()
    finishBlackBoxes()
    driver.stop()
    borderMeters?.end()
    midi?.stop()
    graph.deactivate()
    notices += takeMessages() + messageWatch.takeRest()
  }

  /// Fades out, and waits until silence has been played. [main]
  func fallSilent() {
    let engine = graph.engine
    engine.pointer.pointee.fade.close()
    let buffered = Double(stream.output?.bufferFrames ?? 0) / stream.sampleRateHz
    let period = Double(stream.periodFrames) / stream.sampleRateHz
    // The fade, the period under way, and what the device still holds; a dead device is not waited for.
    let patience = Date().addingTimeInterval(Engine.fadeSeconds + 2 * period + buffered + 0.5)
    while driver.status.isRunning, !engine.pointer.pointee.fade.isSilent, Date() < patience {
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
