// RenderLoop.swift: the rendering of an active rig by a driver. SPDX-License-Identifier: MIT

import AudioDriver
import ErrorModel
import FileRecording
import FoundationEssentials
import Glibc
import PluginModel
import RenderGraph
import RigPlanning
import Synchronization

/// Starts, restarts and fades out the rendering of the active rig by the driver. [main]
final class RenderLoop {
  /// The time limit of a process call, in periods, if that is longer than the usual limit.
  static let timeoutBlocks = 4.0

  /// The driver, which calls the engine.
  let driver: any AudioDriver
  /// The MIDI connection; nil if the rig uses no MIDI.
  let midi: (any MIDILink)?
  /// External clocks; nil if the rig uses none.
  let clock: (any ClockLink)?
  /// The monitor of the audio thread; nil if it is disabled.
  let realTimeWatch: RealTimeSafetyMonitor?
  /// The plugin fault that ends the session; nil if there is none.
  private(set) var fault: FatalFault?
  private let active: ActiveRig
  /// The block length that the plugins know.
  private var blockFrames: Int
  private var messageWatch = PluginLogReporter()
  private var crashReporter: CrashReporter
  private let processState = SharedProcessState()

  private var graph: LiveGraph { active.graph }
  private var notices: NoticeQueue { active.notices }
  /// The xruns, lost frames and failures so far.
  var status: DriverStatus { statusAtFault ?? withStall(driver.status) }
  /// The status when a fault ended the session.
  private var statusAtFault: DriverStatus?
  /// The driver's counts when no node hung.
  private var (xrunsBeforeStall, secondsBeforeStall) = (0, 0.0)

  /// Creates a loop that does not render yet.
  init(
    _ active: ActiveRig, _ driver: any AudioDriver, _ midi: (any MIDILink)?,
    _ clock: (any ClockLink)?,
    _ realTimeWatch: RealTimeSafetyMonitor?, _ crashReporter: CrashReporter
  ) {
    (self.active, self.driver, self.midi, self.clock) = (active, driver, midi, clock)
    (self.realTimeWatch, self.crashReporter) = (realTimeWatch, crashReporter)
    blockFrames = driver.stream.blockFrames
  }

  /// Starts the devices and fades in.
  ///
  /// - Throws: errors of MIDI devices or of the driver.
  func start() throws {
    realTimeWatch?.watch(graph)
    nameNodes()
    let stream = driver.stream
    FaultMonitor.shared?.allow(
      seconds: Self.timeoutBlocks * Double(stream.periodFrames) / stream.sampleRateHz)
    unsafe graph.engine.pointer.pointee.fade.open()
    // MIDI that arrives before the audio starts waits for it.
    try midi?.start(graph.engine)
    do {
      try clock?.start(graph.engine)
      try driver.start(graph.engine.renderer)
    } catch {
      stopMIDI()
      throw error
    }
  }

  /// Stops MIDI and clocks.
  func stopMIDI() {
    midi?.stop()
    clock?.stop()
  }

  /// Replaces the graph by another graph of the same rig.
  ///
  /// The driver must be stopped, and is started again.
  func restart(with next: LiveGraph) throws {
    stopMIDI()
    next.adopt(graph)
    graph.deactivate()
    reportMessages()
    active.replaceGraph(by: next)
    blockFrames = driver.stream.blockFrames
    try start()
  }

  /// Reports a changed period to plugins that use it, while nothing is rendered.
  func followBlockLength() throws {
    guard driver.stream.blockFrames != blockFrames else { return }
    blockFrames = driver.stream.blockFrames
    guard graph.observesBlockLength, driver.status.isRunning else { return }
    driver.stop()
    stopMIDI()
    graph.notifyBlockLength(blockFrames)
    try start()
  }

  /// Fades out, and waits until silence was played.
  func fadeOut() {
    let (engine, stream) = (graph.engine, driver.stream)
    unsafe engine.pointer.pointee.fade.close()
    let buffered = Double(stream.output?.bufferFrames ?? 0) / stream.sampleRateHz
    let period = Double(stream.periodFrames) / stream.sampleRateHz
    // The fade, the current period, and the data in the device buffer.
    let deadline = Date().addingTimeInterval(Engine.fadeSeconds + 2 * period + buffered + 0.5)
    while driver.status.isRunning, unsafe !engine.pointer.pointee.fade.isSilent, Date() < deadline {
      usleep(2_000)
    }
    if driver.status.isRunning { usleep(UInt32(buffered * 1e6)) }
  }

  /// Destroys the nodes after rendering has ended, and reports their last messages.
  func close() {
    graph.deactivate()
    reportMessages()
    notices.append(contentsOf: messageWatch.flush())
  }

  // MARK: - Supervision

  /// Names the nodes for crash reports.
  func nameNodes() { unsafe crashReporter.follow(active.rig, active.library, graph.contextNames) }

  /// Reports the log messages of plugins since the last call.
  func reportMessages() {
    let now = ProcessInfo.processInfo.systemUptime
    notices.append(contentsOf: messageWatch.takeMessages(graph.members, now: now))
  }

  /// Reports real-time violations since the last call.
  func reportRealTimeViolations() {
    guard let realTimeWatch else { return }
    realTimeWatch.follow(graph)
    notices.append(contentsOf: realTimeWatch.takeNotices())
  }

  /// Restores process settings that plugins changed while they ran, and reports the plugins.
  func restoreProcessState() {
    unsafe ForeignChanges.recordModes(in: graph.editor.contexts, of: graph.members)
    ForeignChanges.report(processState.restore(), among: graph.members)
    notices.append(contentsOf: ForeignChanges.takeNotices(on: graph.members))
  }

  // MARK: - Faults that end the session

  /// Counts the time for which a node hangs.
  ///
  /// The driver counts it when the node returns, which can be before the fault is reported.
  private func withStall(_ status: DriverStatus) -> DriverStatus {
    var status = status
    guard let seconds = FaultMonitor.shared?.stall?.seconds else {
      (xrunsBeforeStall, secondsBeforeStall) = (status.xrunCount, status.lostSeconds)
      return status
    }
    status.xrunCount = max(status.xrunCount, xrunsBeforeStall + 1)
    status.lostSeconds = max(status.lostSeconds, secondsBeforeStall + seconds)
    return status
  }

  /// Ends recordings without waiting for a render thread. [main, or the thread of `FaultMonitor` while the
  /// main thread is blocked]
  func abandon(because fault: FatalFault) {
    self.fault = fault
    var status = withStall(driver.status)
    status.failure = fault.message
    statusAtFault = status
    for member in graph.members {
      for node in member.nodes where node.capabilities[Recording.self] != nil { node.deactivate() }
    }
  }
}
