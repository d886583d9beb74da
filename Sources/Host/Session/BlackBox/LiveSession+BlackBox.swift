// LiveSession+BlackBox.swift: when the last seconds of a run are written down. SPDX-License-Identifier: MIT

import AudioDriver
import Dispatch
import FoundationEssentials
import Glibc
import PluginModel
import RenderGraph
import Rig
import Synchronization

/// What a session knows of black boxes that it shall write by itself.
struct BlackBoxTrigger {
  /// How much is kept.
  static let seconds = 10.0
  /// So long after something has gone wrong it is written, so that what followed is in it, too.
  static let delaySeconds = 1.0
  /// A run of weeks must not fill the disk.
  static let mostFolders = 50
  /// What was told last.
  static let mostNotices = 100

  /// Where they go; nil where none is wanted unasked.
  let folder: String?
  var xrunCount = 0
  /// What went wrong, and when it is written, in seconds of the system's uptime.
  var pending: (reason: String, due: Double)?
  /// None is written before, as the last one has most of it.
  var notBefore = -Double.infinity
  var folderCount = 0
  var notices: [String] = []
  /// Nodes by the addresses of their states, those that have gone included.
  var names: [BlackBoxSnapshot.NodeAddress: String] = [:]
  /// What was said of those that were written: by the thread that writes them.
  let told = BlackBoxNotices()
  let writer = DispatchQueue(label: "black box")

  /// Takes note of what the nodes of a graph are called.
  mutating func follow(_ graph: LiveGraph) {
    for (context, name) in graph.contextNames {
      names[BlackBoxSnapshot.NodeAddress(context)] = name
    }
  }

  mutating func remember(_ sentences: [String]) {
    notices += sentences
    notices.removeFirst(max(0, notices.count - Self.mostNotices))
  }
}

/// Sentences from one thread to another.
final class BlackBoxNotices: Sendable {
  private let sentences = Mutex<[String]>([])

  func add(_ sentence: String) { sentences.withLock { $0.append(sentence) } }

  func take() -> [String] {
    sentences.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
  }
}

extension LiveSession {
  /// Writes the last ten seconds of what was heard, played and rendered to a new folder. [main]
  ///
  /// - Parameter path: absolute.
  /// - Throws: `BlackBoxError`.
  package func writeBlackBox(to path: String) throws {
    let parent = URL(fileURLWithPath: path).deletingLastPathComponent().path
    guard SaveLocation("\(parent)/x").hasFolder else { throw BlackBoxError.noFolder(path: parent) }
    guard !FileManager.default.fileExists(atPath: path) else {
      throw BlackBoxError.exists(path: path)
    }
    try blackBox(reason: "asked", in: parent).write(to: path)
  }

  /// Takes notice of what went wrong, and writes what is due. [main]
  func attendBlackBox() {
    let status = driver.status
    defer { blackBoxWatch.xrunCount = status.xrunCount }
    guard blackBoxWatch.folder != nil else { return }
    blackBoxWatch.follow(graph)
    // The nodes' times are part of what is told.
    graph.editor.measuresNodes = true
    if status.xrunCount > blackBoxWatch.xrunCount { noteForBlackBox("xrun") }
    notices += blackBoxWatch.told.take()
    guard let pending = blackBoxWatch.pending,
      ProcessInfo.processInfo.systemUptime >= pending.due
    else { return }
    writePendingBlackBox(pending.reason)
  }

  /// Has a black box written soon, if any is wanted unasked. [main]
  func noteForBlackBox(_ reason: String) {
    let now = ProcessInfo.processInfo.systemUptime
    guard blackBoxWatch.folder != nil, blackBoxWatch.pending == nil,
      now >= blackBoxWatch.notBefore, blackBoxWatch.folderCount < BlackBoxTrigger.mostFolders
    else { return }
    blackBoxWatch.pending = (reason, now + BlackBoxTrigger.delaySeconds)
  }

  /// Writes what is due at the end, and waits until all is written. [main]
  func finishBlackBoxes() {
    if let pending = blackBoxWatch.pending { writePendingBlackBox(pending.reason) }
    blackBoxWatch.writer.sync {}
    notices += blackBoxWatch.told.take()
  }

  private func writePendingBlackBox(_ reason: String) {
    blackBoxWatch.pending = nil
    blackBoxWatch.notBefore = ProcessInfo.processInfo.systemUptime + BlackBoxTrigger.seconds
    blackBoxWatch.folderCount += 1
    guard let folder = blackBoxWatch.folder else { return }
    let box: BlackBoxWriter
    do {
      box = try blackBox(reason: reason, in: folder)
    } catch {
      notices.append("There is no black box of this. \(error)")
      return
    }
    let name = "\(RigWriter.legalName(rigName))-\(Self.stamp(Date()))-\(reason)"
    let last = blackBoxWatch.folderCount == BlackBoxTrigger.mostFolders
    let told = blackBoxWatch.told
    blackBoxWatch.writer.async {
      do {
        try FileManager.default.createDirectory(
          atPath: folder, withIntermediateDirectories: true,
          attributes: [.posixPermissions: 0o700])
        try box.write(to: "\(folder)/\(name)")
        told.add("The last seconds are in \(folder)/\(name).")
        if last { told.add("That was the last black box of this session: the limit is reached.") }
      } catch {
        told.add("\(error)")
      }
    }
  }

  /// For names of folders: sorted as time goes, and fit for every file system.
  private static func stamp(_ date: Date) -> String {
    date.ISO8601Format(.iso8601(timeZone: .gmt, dateTimeSeparator: .standard))
      .replacing(":", with: "")
  }

  private func blackBox(reason: String, in folder: String) throws -> BlackBoxWriter {
    let loads = nodeLoads()
    guard let snapshot = graph.engine.takeSnapshot() else { throw BlackBoxError.empty }
    blackBoxWatch.follow(graph)
    let frameCount = snapshot.outputs.first?.count ?? snapshot.inputs.first?.count ?? 0
    guard frameCount > 0 else { throw BlackBoxError.empty }
    var rig = rigNow(in: folder)
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
            p99Percent: load.percentile * 100, worstPercent: load.worst * 100,
            latencyFrames: load.latencyFrames, faults: load.faultCount)
        }, notices: blackBoxWatch.notices),
      names: blackBoxWatch.names,
      rig: RigWriter.text(of: rig, heading: "As it was set in the last seconds."))
  }
}
