// LiveSession.swift: a rig that runs on audio devices. SPDX-License-Identifier: MIT

package import AudioDriver
package import PluginLoading

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
  let notices = NoticeQueue()
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
    crashReporter.follow(rig, library)
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
