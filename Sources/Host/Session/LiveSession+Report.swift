// LiveSession+Report.swift: supervision of a session, ten times a second. SPDX-License-Identifier: MIT

package import AudioDriver
package import Builtins
package import HostModel
import PluginModel
import RealtimeKit
import RenderGraph
import RigPlanning

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
    /// What sandboxes have refused since the last report.
    package var refusals: [NodeRefusal]
    /// The overload that causes dropouts at present; nil if there is none.
    package var overload: OverloadAdvice?
    /// Other messages since the last report.
    package var notices: [String]
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
    let load = engine.pointer.pointee.load.take()
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

  /// Returns the messages since the last report or call.
  ///
  /// The results of recordings are known when the session has stopped. [main]
  package func takeNotices() -> [String] {
    let taken =
      notices.take() + PlayerControl(active: active).takeNotices() + meters.takeNotices()
      + recordingWatch.takeNotices()
    blackBoxes.record(taken)
    return taken
  }

  private func analyses() -> [(name: String, report: AnalyserReport)] {
    graph.members.flatMap { member in
      member.nodes.compactMap { node in
        node.abilities[Analyser.self].map { (member.name, $0.takeReport()) }
      }
    }
  }
}
