// FatalFault+Words.swift: messages about plugin code that ended the process. SPDX-License-Identifier: MIT

import CRealtimeSafety
import Dispatch
import Glibc
import PluginCatalogue
import PluginModel
import RealtimeKit
import Synchronization

extension FaultMonitor {
  /// Creates the report of a crash, or of a call that ended the process.
  static func fault(_ raw: crts_fault) -> FatalFault {
    let location = unsafe location(raw)
    let at = location.map { " at \($0)" } ?? ""
    let node = unsafe StepNames.node(of: raw.subject)
    let unknown = location == nil ? "The program itself" : "A library"
    let who = unsafe owner(raw) ?? node?.words ?? unknown
    return unsafe FatalFault(
      kind: raw.signal == 0 ? .exited : .crashed, node: node?.name, plugin: node?.plugin,
      message: "\(who) \(String(cString: raw.deed))\(at), which ended the program.",
      what: "\(who) \(String(cString: raw.deed))\(at).", location: location,
      deed: String(cString: raw.deed), library: String(cString: raw.plugin))
  }

  /// The main thread waits for a plugin that blocks the end of the session.
  static let endlessEnding = FatalFault(
    kind: .hung, node: nil, plugin: nil,
    message:
      "A plugin did not return while the session stopped. The program ended without"
      + " it.", location: nil)

  /// The time limit to find the location of a hang, in seconds.
  private static let locationSeconds = 6.0

  /// Creates the report of a node that hangs.
  ///
  /// The location is searched on another thread. A node that hangs while a library is loaded holds the lock of the
  /// loader, and the search would never end.
  static func fault(_ hang: HangDetector.Hang) -> FatalFault {
    let search = LocationSearch()
    // The loader holds its lock while a library is loaded or unloaded.
    let function = ForeignCode.call(of: hang.subject)?.function
    let isSearched = function != .open && function != .close
    let isStarted =
      isSearched && DetachedThread.start { search.end(with: examined(hang)) } == nil
    if isStarted, let found = search.result(within: locationSeconds) { return found }
    let node = unsafe StepNames.node(of: UnsafeRawPointer(bitPattern: hang.subject))
    return fault(hang, node, who: node?.words, location: nil)
  }

  private static func examined(_ hang: HangDetector.Hang) -> FatalFault {
    let subject = unsafe UnsafeRawPointer(bitPattern: hang.subject)
    let raw = unsafe crts_look_at_thread(hang.hasEnded ? 0 : hang.thread, subject)
    let node = unsafe StepNames.node(of: raw.subject)
    // The stack can name several nodes with the same plugin.
    let isKnown = hang.isCall && node?.name != nil
    return unsafe fault(
      hang, node, who: isKnown ? node?.words : owner(raw), location: location(raw))
  }

  private static func fault(
    _ hang: HangDetector.Hang, _ node: StepNames.Node?, who: String?, location: String?
  ) -> FatalFault {
    let who = who ?? "A node"
    let at = location.map { " (it is at \($0))" } ?? ""
    let call = hang.isCall ? ForeignCode.call(of: hang.subject) : nil
    let other = hang.isCall ? "a destructor or `atexit` function" : "its process call"
    let function = call.map { "`\($0.function.name)`" } ?? other
    let deed =
      hang.hasEnded
      ? "ended the \(hang.isCall ? "main" : "render") thread"
      : "has not returned from \(function) for \(seconds(hang.seconds)) s\(at)"
    let end = !hang.isCall ? "audio stopped" : "the program ended"
    let message = "\(who) \(deed), so \(end). Fix or remove the plugin."
    return FatalFault(
      kind: hang.hasEnded ? .threadEnded : .hung, node: node?.name, plugin: node?.plugin,
      message: message, what: "\(who) \(deed).", location: location,
      deed: hang.hasEnded ? "ended its render thread" : "did not return from \(function)",
      library: node?.library ?? "")
  }

  private static func seconds(_ seconds: Double) -> String {
    let tenths = Int((seconds * 10).rounded())
    return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
  }

  private static func owner(_ raw: crts_fault) -> String? {
    let owner = unsafe String(cString: raw.owner)
    return owner.isEmpty ? nil : owner
  }

  /// Returns the location, as in `late.c:7, module.so+0x114d (process)`.
  private static func location(_ raw: crts_fault) -> String? {
    let location = unsafe String(cString: raw.place)
    guard !location.isEmpty else { return nil }
    let line = unsafe SourceLine.text(String(cString: raw.library), offset: raw.offset)
    return line.map { "\($0), \(location)" } ?? location
  }
}

/// A search that may never end.
private final class LocationSearch: Sendable {
  private let found = Mutex<FatalFault?>(nil)
  private let isDone = DispatchSemaphore(value: 0)

  func end(with fault: FatalFault) {
    found.withLock { $0 = fault }
    isDone.signal()
  }

  /// Returns the result; nil if the search exceeds the time limit.
  func result(within seconds: Double) -> FatalFault? {
    _ = isDone.wait(timeout: .now() + seconds)
    return found.withLock { $0 }
  }
}
