// RunRecordStore.swift: the records of the last sessions. SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc

/// One file for each of the last sessions, in the state directory of the user.
///
/// Each session writes its own file, which is replaced as a whole. So several sessions do not disturb each other.
package struct RunRecordStore: Sendable {
  /// The number of records that are kept.
  package static let maximumCount = 10
  private static let suffix = ".json"

  private let directory: String

  /// The records in a directory, which is created on demand.
  package init(directory: String) { self.directory = directory }

  /// The records of this user or service; nil without a state directory. [any]
  package static var ofUser: RunRecordStore? {
    StateDirectory.path().map { RunRecordStore(directory: $0 + "/sessions") }
  }

  /// Stores or replaces the record of a session; returns false if it cannot be written. [any but render]
  @discardableResult
  package func write(_ record: RunRecord) -> Bool {
    try? FileManager.default.createDirectory(
      atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    return PrivateFile.write(
      Array(JSONLine.data(record, isPretty: true)), to: path(of: record), isFlushed: false)
  }

  /// Removes all but the newest records. [any but render]
  package func prune() {
    for name in names.dropFirst(Self.maximumCount) { unsafe unlink("\(directory)/\(name)") }
  }

  /// The readable records, the newest first. [any but render]
  package var all: [RunRecord] {
    names.compactMap { name in
      guard let data = try? Data(contentsOf: URL(fileURLWithPath: "\(directory)/\(name)")),
        let record = JSONLine.read(RunRecord.self, data),
        record.version == RunRecord.currentVersion
      else { return nil }
      return record
    }
  }

  /// The names of the files, the newest first.
  private var names: [String] {
    let all = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    return all.compactMap { name -> (name: String, time: Int64)? in
      guard name.hasSuffix(Self.suffix), let time = Int64(name.prefix { $0 != "-" }) else {
        return nil
      }
      return (name, time)
    }.sorted { ($0.time, $0.name) > ($1.time, $1.name) }.map(\.name)
  }

  private func path(of record: RunRecord) -> String {
    "\(directory)/\(record.startedAt)-\(record.process)\(Self.suffix)"
  }
}

/// The identity of a process beyond its number, which the kernel uses again.
package enum ProcessStart {
  /// Returns when a process started, in clock ticks since the system start; nil if it does not run. [any]
  package static func ticks(of process: Int32) -> UInt64? {
    guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
      let end = text.lastIndex(of: ")")
    else { return nil }
    // proc(5): the fields after the name begin with the third; the start time is field 22.
    let fields = text[text.index(after: end)...].split(separator: " ")
    guard fields.count > 19, fields[0] != "Z" else { return nil }
    return UInt64(fields[19])
  }
}

extension RunRecord {
  /// Whether the process of the session runs, and the session has not ended. [any]
  package var isRunning: Bool { end == nil && ProcessStart.ticks(of: process) == processStart }
}
