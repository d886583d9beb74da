// LiveSession.swift: a rig that runs on audio devices. SPDX-License-Identifier: MIT

package import AudioDriver
package import Builtins
package import ErrorModel
package import HostModel
package import PluginLoading
import PluginModel
import RealtimeKit
import RenderGraph
import RigPlanning

/// A rig between devices: opens, starts, supervises, fades out and closes them.
///
/// Each part of its work has an owner; all of them change the rig through `ActiveRig`.
package final class LiveSession {
  /// The rig and its graph.
  let active: ActiveRig
  /// The rendering by the driver.
  let loop: RenderLoop
  let values: ValueControl
  let sceneControl: SceneControl
  let sources: SourceReloader
  let pluginFiles: PluginFileReloader
  let rates: RateControl
  let faultHandler: FaultHandler
  let workerFaultHandler: WorkerFaultHandler
  let refusalReview = RefusalReview()
  let blackBoxes: BlackBoxControl
  let loads: NodeLoadMonitor
  let meters: MeterControl
  /// The notices for the next report.
  package let notices = NoticeQueue()
  var recordingWatch = RecordingMonitor()
  /// The text of each rig file that this session has saved last.
  var savedTexts: [String: String] = [:]
  /// Peaks that were taken for displays since the last report, linear.
  var heldPeaks: (inputs: [Float], outputs: [Float]) = ([], [])

  /// The driver, which calls the engine.
  package var driver: any AudioDriver { loop.driver }
  /// The MIDI connection; nil if the rig uses no MIDI.
  package var midi: (any MIDILink)? { loop.midi }
  /// The monitor of the audio thread; nil if it is disabled.
  package var realTimeWatch: RealTimeSafetyMonitor? { loop.realTimeWatch }
  /// Messages about the start.
  package let notes: [String]
  /// The rig as it was prepared, with manual changes.
  var rig: PreparedRig { active.rig }
  /// The active graph.
  var graph: LiveGraph { active.graph }
  var library: PluginLibrary { active.library }

  /// Opens the driver for a prepared rig, creates its nodes and compiles them.
  ///
  /// No audio is rendered yet. [main]
  ///
  /// - Parameters:
  ///   - rig: the rig, whose plugins are resolved and whose diagnostics were reported.
  ///   - library: creates the nodes.
  ///   - midi: the MIDI connection, if the rig uses MIDI.
  ///   - clock: external clocks, if the rig uses any.
  ///   - realTimeWatch: monitors the audio thread.
  ///   - directory: the parent directory of automatic black boxes; nil to disable them.
  ///   - openDriver: opens the devices that the rig and the user request.
  /// - Throws: errors of the driver, of the plan for the opened channels, or of a plugin.
  package init(
    _ rig: PreparedRig, _ library: PluginLibrary, midi: (any MIDILink)? = nil,
    clock: (any ClockLink)? = nil,
    realTimeWatch: RealTimeSafetyMonitor? = nil, blackBoxes directory: String? = nil,
    openDriver: (StreamRequest) throws -> any AudioDriver
  ) throws {
    try rig.checkRecordings()
    let driver = try openDriver(rig.streamRequest)
    var crashReporter = CrashReporter()
    unsafe crashReporter.follow(rig, library)
    active = try ActiveRig(rig, library, driver, notices)
    loop = RenderLoop(active, driver, midi, clock, realTimeWatch, crashReporter)
    // A black box and the report about a violation contain the times of the nodes.
    loads = NodeLoadMonitor(active, isPermanent: realTimeWatch != nil || directory != nil)
    blackBoxes = BlackBoxControl(in: directory, active, loop, loads)
    faultHandler = FaultHandler(active, blackBoxes, loads)
    workerFaultHandler = WorkerFaultHandler(active, blackBoxes)
    sources = SourceReloader(active, loop)
    pluginFiles = PluginFileReloader(active)
    rates = RateControl(active, loop)
    sceneControl = SceneControl(active)
    values = ValueControl(active, sceneControl)
    meters = MeterControl(active)
    notes =
      rig.plugins.compactMap(library.note) + active.graph.notes + driver.stream.notes
      + [BuiltInAudio.note(for: driver.stream)].compactMap(\.self)
    active.onSwitch = { [unowned sources, unowned pluginFiles] in
      sources.followNew()
      pluginFiles.followNew()
    }
  }

  /// Starts the devices and fades in. [main]
  package func start() throws { try loop.start() }

  /// Fades out, waits until silence was played, and closes the devices. [main]
  package func stop() {
    sources.stop()
    pluginFiles.stop()
    rates.reset()
    recordingWatch.follow(graph.members)
    loop.fadeOut()
    blackBoxes.finish()
    driver.stop()
    driver.close()
    meters.end()
    loop.stopMIDI()
    loop.close()
  }

  /// Ends recordings and other files without waiting for a render thread. [main, or the thread of
  /// `FaultMonitor` while the main thread is blocked]
  ///
  /// Nodes and driver are not closed, because the process ends next.
  package func abandon(because fault: FatalFault) {
    loop.abandon(because: fault)
    meters.end()
  }
}

extension LiveSession {
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
    /// Notices about MIDI devices that were connected or disconnected since the last report.
    package var midiNotices: [HostNotice]
    /// The reports of analysers in the rig.
    package var analyses: [(name: String, report: AnalyserReport)]
    /// The readouts of nodes.
    package var readouts: [NodeReadouts]
    /// The properties that plugins have changed since the last report.
    package var properties: [PropertyReport]
    /// The actions of feedback suppression since the last report, oldest first.
    package var feedbackEvents: [FeedbackEvent]
    /// The requests that sandboxes have refused since the last report.
    package var refusals: [NodeRefusal]
    /// The overload that causes dropouts at present; nil if there is none.
    package var overload: OverloadAdvice?
    /// Other notices since the last report.
    package var notices: [HostNotice]
  }

  /// Returns the status since the last report. [main]
  ///
  /// It also handles devices that were lost, reconnected, or changed their sample rate. So it must
  /// be called about ten times a second.
  ///
  /// - Throws: errors of plugins at a sample rate that the devices require.
  package func report() throws -> Report {
    driver.supervise()
    try rates.follow()
    try loop.followBlockLength()
    recordingWatch.follow(graph.members)
    sceneControl.applyProgramChange()
    graph.advance()
    faultHandler.handle()
    // Before a node that ended is replaced.
    let refusals = refusalReview.take(from: graph.members)
    workerFaultHandler.handle()
    loads.stopIfIdle()
    notices.append(contentsOf: IsolationReview(active: active).moveNodes())
    // While rendering is stalled, a new module would be reported without taking effect.
    if FaultMonitor.shared?.stall == nil {
      sources.take()
      pluginFiles.take()
    }
    loop.nameNodes()
    loop.reportRealTimeViolations()
    loop.reportMessages()
    loop.restoreProcessState()
    blackBoxes.poll()
    let delayed = active.latencies.takeNotices()
    if !delayed.isEmpty { graph.realignLatency() }
    notices.append(contentsOf: delayed)
    let engine = graph.engine
    let load = unsafe engine.pointer.pointee.load.take()
    faultHandler.handleOverload(
      mean: load.mean, maximum: load.maximum, xrunCount: driver.status.xrunCount)
    let peaks = takeReportPeaks()
    return Report(
      inputPeaks: peaks.inputs, outputPeaks: peaks.outputs,
      meanLoad: load.mean, worstLoad: load.maximum, driver: status,
      midi: midi?.status,
      midiNotices: (midi?.takeNotices() ?? []) + (loop.clock?.takeNotices() ?? []),
      analyses: analyses(),
      readouts: readouts, properties: graph.takePropertyChanges(),
      feedbackEvents: graph.feedbackSuppressor?.takeReports() ?? [],
      refusals: refusals, overload: faultHandler.advice, notices: takeNotices())
  }

  /// Returns the notices since the last report or call.
  ///
  /// The results of recordings are known when the session has stopped. [main]
  package func takeNotices() -> [HostNotice] {
    let taken =
      notices.take() + PlayerControl(active: active).takeNotices() + meters.takeNotices()
      + recordingWatch.takeNotices()
    blackBoxes.record(taken)
    return taken
  }

  private func analyses() -> [(name: String, report: AnalyserReport)] {
    graph.members.flatMap { member in
      member.nodes.compactMap { node in
        node.capabilities[Analyser.self].map { (member.name, $0.takeReport()) }
      }
    }
  }
}
