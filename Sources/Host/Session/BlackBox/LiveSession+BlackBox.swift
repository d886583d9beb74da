// LiveSession+BlackBox.swift: when a session writes a black box. SPDX-License-Identifier: MIT

import AudioDriver
import Dispatch
import FoundationEssentials
import Glibc
import PluginModel
import RenderGraph
import RigSchema
import Synchronization

/// The state of automatic black boxes.
struct BlackBoxTrigger {
  /// The length of a black box, in seconds.
  static let seconds = 10.0
  /// The delay from a fault to its black box, in seconds, so that it also contains what followed.
  static let delaySeconds = 1.0
  /// The maximum number of automatic black boxes, so that a long session does not fill the disk.
  static let maximumDirectoryCount = 50
  /// The number of recent messages in a black box.
  static let maximumNoticeCount = 100

  /// The parent directory of automatic black boxes; nil if they are disabled.
  let directory: String?
  var xrunCount = 0
  /// The reason for the next black box, and when it is written, in seconds of system uptime.
  var pending: (reason: String, due: Double)?
  /// The earliest time of the next automatic black box, because the previous one has most of the
  /// data.
  var notBefore = -Double.infinity
  var directoryCount = 0
  var notices: [String] = []
  /// Nodes by the addresses of their states, including removed nodes.
  var names: [BlackBoxSnapshot.NodeAddress: String] = [:]
  /// The messages of the thread that writes black boxes.
  let pendingNotices = BlackBoxNotices()
  let writer = DispatchQueue(label: "black box")

  /// Stores the node names of a graph.
  mutating func follow(_ graph: LiveGraph) {
    for (context, name) in graph.contextNames {
      names[BlackBoxSnapshot.NodeAddress(context)] = name
    }
  }

  mutating func record(_ messages: [String]) {
    notices += messages
    notices.removeFirst(max(0, notices.count - Self.maximumNoticeCount))
  }
}

/// Passes messages from one thread to another.
final class BlackBoxNotices: Sendable {
  private let messages = Mutex<[String]>([])

  func add(_ message: String) { messages.withLock { $0.append(message) } }

  func take() -> [String] {
    messages.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
  }
}

extension LiveSession {
  /// Writes the audio, MIDI and block times of the last ten seconds to a new directory. [main]
  ///
  /// - Parameter path: the absolute path of the directory.
  /// - Throws: `BlackBoxError`.
  package func writeBlackBox(to path: String) throws {
    let parent = URL(fileURLWithPath: path).deletingLastPathComponent().path
    guard SaveLocation("\(parent)/x").hasDirectory else {
      throw BlackBoxError.noDirectory(path: parent)
    }
    guard !FileManager.default.fileExists(atPath: path) else {
      throw BlackBoxError.exists(path: path)
    }
    try blackBox(reason: "asked", in: parent).write(to: path)
  }

  /// Detects faults, and writes a black box that is due. [main]
  func pollBlackBox() {
    let status = driver.status
    defer { blackBoxWatch.xrunCount = status.xrunCount }
    guard blackBoxWatch.directory != nil else { return }
    blackBoxWatch.follow(graph)
    // A black box contains the times of the nodes.
    graph.editor.measuresNodes = true
    if status.xrunCount > blackBoxWatch.xrunCount { requestBlackBox("xrun") }
    notices += blackBoxWatch.pendingNotices.take()
    guard let pending = blackBoxWatch.pending,
      ProcessInfo.processInfo.systemUptime >= pending.due
    else { return }
    writePendingBlackBox(pending.reason)
  }

  /// Schedules a black box, if automatic ones are enabled. [main]
  func requestBlackBox(_ reason: String) {
    let now = ProcessInfo.processInfo.systemUptime
    guard blackBoxWatch.directory != nil, blackBoxWatch.pending == nil,
      now >= blackBoxWatch.notBefore,
      blackBoxWatch.directoryCount < BlackBoxTrigger.maximumDirectoryCount
    else { return }
    blackBoxWatch.pending = (reason, now + BlackBoxTrigger.delaySeconds)
  }

  /// Writes a scheduled black box at the end, and waits until all are written. [main]
  func finishBlackBoxes() {
    if let pending = blackBoxWatch.pending { writePendingBlackBox(pending.reason) }
    blackBoxWatch.writer.sync {}
    notices += blackBoxWatch.pendingNotices.take()
  }

  private func writePendingBlackBox(_ reason: String) {
    blackBoxWatch.pending = nil
    blackBoxWatch.notBefore = ProcessInfo.processInfo.systemUptime + BlackBoxTrigger.seconds
    blackBoxWatch.directoryCount += 1
    guard let directory = blackBoxWatch.directory else { return }
    let box: BlackBoxWriter
    do {
      box = try blackBox(reason: reason, in: directory)
    } catch {
      notices.append("The black box of this event was not saved. \(error)")
      return
    }
    let name = "\(RigWriter.legalName(rigName))-\(Self.stamp(Date()))-\(reason)"
    let last = blackBoxWatch.directoryCount == BlackBoxTrigger.maximumDirectoryCount
    let pendingNotices = blackBoxWatch.pendingNotices
    blackBoxWatch.writer.async {
      do {
        try FileManager.default.createDirectory(
          atPath: directory, withIntermediateDirectories: true,
          attributes: [.posixPermissions: 0o700])
        try box.write(to: "\(directory)/\(name)")
        pendingNotices.add("The last seconds are in \(directory)/\(name).")
        if last {
          pendingNotices.add("That was the last black box of this session: the limit is reached.")
        }
      } catch {
        pendingNotices.add("\(error)")
      }
    }
  }

  /// Returns a directory name that sorts by time and is legal in every file system.
  private static func stamp(_ date: Date) -> String {
    date.ISO8601Format(.iso8601(timeZone: .gmt, dateTimeSeparator: .standard))
      .replacing(":", with: "")
  }

  private func blackBox(reason: String, in directory: String) throws -> BlackBoxWriter {
    let loads = nodeLoads()
    guard let snapshot = graph.engine.takeSnapshot() else { throw BlackBoxError.empty }
    blackBoxWatch.follow(graph)
    let frameCount = snapshot.outputs.first?.count ?? snapshot.inputs.first?.count ?? 0
    guard frameCount > 0 else { throw BlackBoxError.empty }
    var rig = rigNow(in: directory)
    RecordingTaps.remove(from: &rig)
    return BlackBoxWriter(
      snapshot: snapshot,
      report: BlackBoxWriter.Report(
        reason: reason, time: Date().ISO8601Format(), run: rigName,
        seconds: Double(frameCount) / snapshot.sampleRateHz, sampleRateHz: snapshot.sampleRateHz,
        periodFrames: stream.periodFrames, devices: status.devices.map(\.device),
        xruns: status.xrunCount, lostSeconds: status.lostSeconds,
        nodes: loads.map { load in
          BlackBoxWriter.Node(
            name: load.name, plugin: load.plugin, meanPercent: load.mean * 100,
            p99Percent: load.percentile * 100, worstPercent: load.maximum * 100,
            latencyFrames: load.latencyFrames, faults: load.faultCount)
        }, notices: blackBoxWatch.notices),
      names: blackBoxWatch.names,
      rig: RigWriter.text(of: rig, heading: "The values at the time of the black box."))
  }
}
