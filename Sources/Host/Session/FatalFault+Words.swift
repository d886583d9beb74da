// FatalFault+Words.swift: what is said of foreign code that ends a process. SPDX-License-Identifier: MIT

import CRealtimeSafety
import Glibc
import RealtimeKit

extension FaultMonitor {
  /// What is known of a crash, or of a call that ends the process.
  static func fault(_ raw: crts_fault) -> FatalFault {
    let place = place(raw)
    let who = owner(raw) ?? (place == nil ? "The program itself" : "A library")
    let at = place.map { " at \($0)" } ?? ""
    let node = StepNames.node(of: raw.subject)
    return FatalFault(
      kind: raw.signal == 0 ? .exited : .crashed, node: node?.node, plugin: node?.plugin,
      sentence: "\(who) \(String(cString: raw.deed))\(at), and ended the program with it.",
      place: place)
  }

  /// What is known of a node that hangs.
  static func fault(_ hang: HangDetector.Hang) -> FatalFault {
    let subject = UnsafeRawPointer(bitPattern: hang.subject)
    let raw = crts_look_at_thread(hang.hasEnded ? 0 : hang.thread, subject)
    let who = owner(raw) ?? "A node"
    let place = place(raw)
    let at = place.map { " (it is at \($0))" } ?? ""
    let node = StepNames.node(of: raw.subject)
    let sentence =
      hang.hasEnded
      ? "\(who) ended the thread that rendered it, so there is no more sound; correct the plugin, or leave it"
        + " out."
      : "\(who) has not returned from a block for \(seconds(hang.seconds)) s\(at), so there is no more sound;"
        + " correct the plugin, or leave it out."
    return FatalFault(
      kind: hang.hasEnded ? .threadEnded : .hung, node: node?.node, plugin: node?.plugin,
      sentence: sentence, place: place)
  }

  private static func seconds(_ seconds: Double) -> String {
    let tenths = Int((seconds * 10).rounded())
    return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
  }

  private static func owner(_ raw: crts_fault) -> String? {
    let owner = String(cString: raw.owner)
    return owner.isEmpty ? nil : owner
  }

  /// For instance `late.c:7, module.so+0x114d (process)`.
  private static func place(_ raw: crts_fault) -> String? {
    let place = String(cString: raw.place)
    guard !place.isEmpty else { return nil }
    return line(raw).map { "\($0), \(place)" } ?? place
  }

  private static func line(_ raw: crts_fault) -> String? {
    let library = String(cString: raw.library)
    guard !library.isEmpty else { return nil }
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4_096) { text in
      guard let start = text.baseAddress,
        crts_line_of(library, raw.offset, start, UInt32(text.count))
      else { return nil }
      return nearby(String(cString: start))
    }
  }

  /// A path as it is seen from the present folder.
  private static func nearby(_ path: String) -> String {
    guard let folder = getcwd(nil, 0) else { return path }
    defer { free(folder) }
    let prefix = String(cString: folder) + "/"
    return path.hasPrefix(prefix) ? String(path.dropFirst(prefix.count)) : path
  }
}
