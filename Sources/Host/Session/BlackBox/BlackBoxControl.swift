// BlackBoxControl.swift: when a session writes a black box. SPDX-License-Identifier: MIT

import AudioDriver
import Dispatch
import ErrorModel
import FoundationEssentials
import Glibc
import RenderGraph
import RigSchema

/// Writes black boxes on request and after faults.
final class BlackBoxControl {
  private let active: ActiveRig
  private let loop: RenderLoop
  private let loads: NodeLoadMonitor
  private var trigger: BlackBoxTrigger

  private var graph: LiveGraph { active.graph }
  private var notices: NoticeQueue { active.notices }

  /// Creates an owner of the black boxes of a session.
  ///
  /// - Parameters:
  ///   - directory: the parent directory of automatic black boxes; nil to disable them.
  ///   - active: the rig.
  ///   - loop: the rendering, whose xruns cause black boxes.
  ///   - loads: the load of the nodes, which a black box contains.
  init(
    in directory: String?, _ active: ActiveRig, _ loop: RenderLoop, _ loads: NodeLoadMonitor
  ) {
    (self.active, self.loop, self.loads) = (active, loop, loads)
    trigger = BlackBoxTrigger(directory: directory)
  }

  /// Adds notices to the next black box.
  func record(_ notices: [HostNotice]) { trigger.record(notices) }

  /// Writes the audio, MIDI and block times of the last ten seconds to a new directory.
  ///
  /// - Parameter path: the absolute path of the directory.
  /// - Throws: `BlackBoxError`.
  func write(to path: String) throws {
    let parent = URL(fileURLWithPath: path).deletingLastPathComponent().path
    guard SaveLocation("\(parent)/x").hasDirectory else {
      throw BlackBoxError.noDirectory(path: parent)
    }
    guard !FileManager.default.fileExists(atPath: path) else {
      throw BlackBoxError.exists(path: path)
    }
    try blackBox(reason: "asked", in: path).write(to: path)
  }

  /// Detects faults, and writes a black box that is due.
  func poll() {
    let status = loop.driver.status
    defer { trigger.xrunCount = status.xrunCount }
    guard trigger.directory != nil else { return }
    trigger.follow(graph)
    // A black box contains the times of the nodes.
    graph.editor.measuresNodes = true
    if status.xrunCount > trigger.xrunCount { request("xrun") }
    guard let pending = trigger.pending,
      ProcessInfo.processInfo.systemUptime >= pending.due
    else { return }
    writePendingBlackBox(pending.reason)
  }

  /// Schedules a black box, if automatic ones are enabled.
  func request(_ reason: String) {
    let now = ProcessInfo.processInfo.systemUptime
    guard trigger.directory != nil, trigger.pending == nil,
      now >= trigger.notBefore,
      trigger.directoryCount < BlackBoxTrigger.maximumDirectoryCount
    else { return }
    trigger.pending = (reason, now + BlackBoxTrigger.delaySeconds)
  }

  /// Writes a scheduled black box at the end, and waits until all are written.
  func finish() {
    if let pending = trigger.pending { writePendingBlackBox(pending.reason) }
    trigger.writer.sync {}
  }

  private func writePendingBlackBox(_ reason: String) {
    trigger.pending = nil
    trigger.notBefore = ProcessInfo.processInfo.systemUptime + BlackBoxTrigger.seconds
    trigger.directoryCount += 1
    guard let directory = trigger.directory else { return }
    let name = "\(RigWriter.legalName(active.rig.rig.name))-\(Self.stamp(Date()))-\(reason)"
    let path = "\(directory)/\(name)"
    let box: BlackBoxWriter
    do {
      box = try blackBox(reason: reason, in: path)
    } catch {
      notices.append(.blackBoxEmpty(error))
      return
    }
    let last = trigger.directoryCount == BlackBoxTrigger.maximumDirectoryCount
    let notices = active.notices
    trigger.writer.async {
      do {
        try FileManager.default.createDirectory(
          atPath: directory, withIntermediateDirectories: true,
          attributes: [.posixPermissions: 0o700])
        try box.write(to: path)
        notices.append(.blackBoxSaved(path))
        if last { notices.append(.blackBoxLimit) }
      } catch {
        notices.append(.blackBoxNotWritten(error))
      }
    }
  }

  /// Returns a directory name that sorts by time and is legal in every file system.
  private static func stamp(_ date: Date) -> String {
    date.ISO8601Format(.iso8601(timeZone: .gmt, dateTimeSeparator: .standard))
      .replacing(":", with: "")
  }

  private func blackBox(reason: String, in directory: String) throws -> BlackBoxWriter {
    let (loads, status) = (loads.take(), loop.status)
    guard let snapshot = graph.engine.takeSnapshot() else { throw BlackBoxError.empty }
    trigger.follow(graph)
    let frameCount = snapshot.outputs.first?.count ?? snapshot.inputs.first?.count ?? 0
    guard frameCount > 0 else { throw BlackBoxError.empty }
    var rig = RigSaver(active: active).rigNow(in: directory)
    RecordingTaps.remove(from: &rig)
    return BlackBoxWriter(
      snapshot: snapshot,
      report: BlackBoxWriter.Report(
        reason: reason, time: Date().ISO8601Format(), run: active.rig.rig.name,
        seconds: Double(frameCount) / snapshot.sampleRateHz, sampleRateHz: snapshot.sampleRateHz,
        periodFrames: active.stream.periodFrames, devices: status.devices.map(\.device),
        xruns: status.xrunCount, lostSeconds: status.lostSeconds,
        nodes: loads.map { load in
          BlackBoxWriter.Node(
            name: load.name, plugin: load.plugin, meanPercent: load.mean * 100,
            p99Percent: load.percentile * 100, worstPercent: load.maximum * 100,
            latencyFrames: load.latencyFrames, faults: load.faultCount)
        }, notices: trigger.notices),
      names: trigger.names,
      rig: RigWriter.text(of: rig, heading: "The values at the time of the black box."))
  }
}
