// SessionRestart.swift: restarts a session in place after a plugin ended it. SPDX-License-Identifier: MIT

import CProcess
import Console
import FileRecording
import FoundationEssentials
import Glibc
import HostCore
import OSC
import PluginCatalogue
import RigSchema
import Session

/// Replaces this process image by a new one that continues the session.
///
/// The process keeps its id, its terminal and its standard streams, so shells, pipes and service managers see one
/// process. The kernel ends all threads and closes the devices.
@safe final class SessionRestart: @unchecked Sendable {
  // Unchecked: the main thread owns this. Another thread uses it once, while the main thread is blocked.

  private static let variable = "OUTBOARD_RESTART"

  private let memory: RestartMemory
  /// The state of the session before a restart; nil for a new session.
  let record: RestartRecord?
  /// The musical position in beats; nil for the beginning.
  let beat: Double?
  /// What a session manager knows of the session.
  let managed: ManagedSession
  // Copied before anything can damage or change them.
  private let program: UnsafeMutablePointer<CChar>
  private let directory: UnsafeMutablePointer<CChar>?
  private let arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
  private let environment: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
  /// The descriptors that the new image gets.
  ///
  /// A parent process may check an inherited descriptor to see whether this process runs.
  private var descriptors: [Int32]
  /// How many of them do not change.
  private let fixedDescriptorCount: Int
  private let ignoredSignals = cprocess_ignored_signals()
  /// The values on which the written state depends.
  private struct Key: Equatable {
    let revision: UInt64
    let history: Int
    let recorders: [Bool]
    let managed: ManagedSession.Identity
  }

  private var written: Key?
  private var canRestart = false

  /// Prepares for restarts; nil if there is no memory. [main, before the environment is changed]
  init?() {
    let descriptor = unsafe getenv(Self.variable).flatMap { unsafe Int32(String(cString: $0)) }
    unsafe unsetenv(Self.variable)
    let former = descriptor.flatMap(RestartMemory.init(descriptor:))
    guard let memory = former ?? RestartMemory(), let program = unsafe strdup(ThisProgram.path)
    else {
      return nil
    }
    unsafe (self.memory, self.program) = (memory, program)
    record = former?.record
    // Its socket is not to be inherited by other programs, so this is done first.
    managed = ManagedSession(
      .init(socket: record?.managerSocket, file: record?.managedFile))
    descriptors = Self.inheritedDescriptors + [memory.descriptor]
    fixedDescriptorCount = descriptors.count
    beat = former?.beat
    unsafe directory = getcwd(nil, 0)
    func copy(_ texts: [String]) -> UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> {
      let list = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(
        capacity: texts.count + 1)
      for (index, text) in texts.enumerated() { unsafe (list + index).initialize(to: strdup(text)) }
      unsafe (list + texts.count).initialize(to: nil)
      return unsafe list
    }
    unsafe arguments = copy(CommandLine.arguments)
    var variables: [String] = []
    var position = unsafe environ
    while let entry = unsafe position.pointee {
      unsafe variables.append(String(cString: entry))
      unsafe position += 1
    }
    unsafe environment = copy(variables + ["\(Self.variable)=\(memory.descriptor)"])
    // Worker processes of the image before this one have ended with it.
    if former != nil { while waitpid(-1, nil, WNOHANG) > 0 {} }
  }

  /// The descriptors of this process that are not closed at `exec`, but for the standard streams.
  private static var inheritedDescriptors: [Int32] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return names.compactMap { Int32($0) }.filter { number in
      let flags = fcntl(number, F_GETFD)
      return number > STDERR_FILENO && flags >= 0 && flags & FD_CLOEXEC == 0
    }
  }

  /// Returns what is left of a duration in seconds. [main]
  func remaining(of seconds: Double?) -> Double? {
    record == nil ? seconds : seconds.map { max(0, $0 - memory.seconds) }
  }

  /// Allows restarts from now on. [main]
  func begin() { canRestart = true }

  /// Stores the state of the session if it has changed. [main]
  func follow(_ host: Host) {
    guard canRestart else { return }
    if let position = host.session.musicalPosition {
      memory.write(beat: position.beat, beatsPerMinute: position.beatsPerMinute)
    }
    let key = Key(
      revision: host.revision, history: host.session.stepNumber,
      recorders: host.session.recorderStates, managed: managed.identity)
    guard key != written else { return }
    var record = host.session.restartRecord(
      revision: host.revision, historyBytes: RestartMemory.historyBytes)
    let socket = key.managed.socket
    (record.managerSocket, record.managedFile) = (socket, key.managed.file)
    memory.write(record)
    descriptors.removeLast(descriptors.count - fixedDescriptorCount)
    if let socket { descriptors.append(socket) }
    written = key
  }

  /// Whether the session restarts after a fault; counts the fault. [any, while the main thread is blocked]
  func isPossible(after fault: FatalFault) -> Bool {
    canRestart && FaultMonitor.shared?.isEnding == false && memory.mayRestart(after: fault.cause)
  }

  /// Replaces the process image; returns only if that fails. [any, while the main thread is blocked]
  func perform() {
    // A plugin may have changed it.
    if let directory = unsafe directory { unsafe chdir(directory) }
    Terminal.returnOutput()
    _ = unsafe cprocess_replace(
      program, arguments, environment, descriptors, Int32(descriptors.count), ignoredSignals)
  }

  /// Returns the rig before a restart, whose recorders continue in other files; nil for a new session. [main]
  ///
  /// - Throws: `ManifestError`.
  func rig() throws -> RigDescription? {
    guard var rig = try record?.readRig() else { return nil }
    let directory = rig.file.lastIndex(of: "/").map { String(rig.file[...$0]) } ?? ""
    for index in rig.nodes.indices {
      guard case .builtin(RecorderSettings.word) = rig.nodes[index].source,
        let setting = rig.nodes[index].settings.firstIndex(where: { $0.key == "file" })
      else { continue }
      let path = rig.nodes[index].settings[setting].text
      let isWhole = path.hasPrefix("/") || path.hasPrefix("~/")
      guard let next = continued(isWhole ? path : directory + path), next != directory + path else {
        continue
      }
      rig.nodes[index].settings[setting].text =
        isWhole ? next : String(next.dropFirst(directory.count))
    }
    return rig
  }

  /// Returns the path of a recording, or after a restart one that continues it, such as `out-2.wav`. [any]
  func continued(_ path: String?) -> String? {
    guard let path, record != nil, unsafe access(path, F_OK) == 0 else { return path }
    let slash = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    let dot = path[slash...].lastIndex(of: ".") ?? path.endIndex
    for number in 2 ... 10_000 {
      let next = "\(path[..<dot])-\(number)\(path[dot...])"
      if unsafe access(next, F_OK) != 0 { return next }
    }
    return path
  }
}
