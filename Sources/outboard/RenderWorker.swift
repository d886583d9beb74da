// RenderWorker.swift: a process that renders many files, one after another. SPDX-License-Identifier: MIT

import CProcess
import FoundationEssentials
import Glibc
import PluginCatalogue
import Processes
import Synchronization

/// What a worker answers to a job.
struct RenderReply: Codable, Sendable {
  /// Nil where it failed.
  var result: RenderResult?
  /// Why it failed.
  var error: ErrorReport.Facts?
  /// What there is to say of the rig, whatever the file.
  var rigNotes: [String] = []
  /// Whether the nodes are taken down as well, and the next job may come.
  var isReady = false
}

/// This program once more, with the same arguments and without the names of the files, which it is sent.
///
/// Belongs to the thread that makes it, except for `stop`.
final class RenderWorker {
  private let process: pid_t
  /// One end of a pair of sockets; the other one is the worker's standard input and output.
  private let socket: Int32
  /// The worker's standard error, in memory.
  private let messages: Int32
  private var received = Data()
  private let isStopped = Atomic(false)
  private var status: Int32?
  /// Whether the process has ended, so that another one has to take its place.
  var isGone: Bool { status != nil }

  /// How long the nodes of a file may take until they are taken down.
  private static let patienceMilliseconds: Int32 = 20_000

  /// Starts a process.
  ///
  /// - Throws: `StartFault`.
  init(_ arguments: [String]) throws(StartFault) {
    var ends: [Int32] = [-1, -1]
    let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw StartFault(code: errno) }
    socket = ends[0]
    messages = cprocess_memory_file()
    defer { close(ends[1]) }
    var spawn = ProcessSpawn([ThisProgram.path] + arguments)
    (spawn.input, spawn.output, spawn.errors) = (ends[1], ends[1], messages >= 0 ? messages : nil)
    // Signals of the terminal are for the parent alone.
    spawn.leadsGroup = true
    do {
      process = try spawn.start()
    } catch {
      (process, status) = (0, 1)
      close(socket)
      throw StartFault(code: error.code)
    }
  }

  deinit {
    if status == nil {
      close(socket)
      _ = wait()
    }
    if messages >= 0 { close(messages) }
  }

  /// No process could be started.
  struct StartFault: Error {
    /// An errno value.
    let code: Int32
  }

  /// Asks for the end of a worker, which leaves no file. [any]
  func stop() {
    guard !isStopped.exchange(true, ordering: .relaxed) else { return }
    kill(process, SIGTERM)
  }

  /// Has a file rendered, and waits until the worker is ready for the next one or has ended.
  func render(_ job: RenderJobs.Job) -> RenderBatch.End {
    guard send(job), let reply = receive(withinMilliseconds: -1) else { return ended() }
    let ready = receive(withinMilliseconds: Self.patienceMilliseconds)
    var notes: [String] = []
    if ready?.isReady != true {
      let hangs = !hasNews(withinMilliseconds: 0)
      if hangs { kill(process, SIGKILL) }
      _ = wait()
      // A plugin that ended the rendering has been named.
      notes =
        reply.error != nil
        ? []
        : [
          hangs
            ? "A plugin timed out after 20 s during cleanup. \(job.output) is complete."
            : "A plugin crashed during cleanup. \(job.output) is complete."
        ]
    }
    let said = takeMessages() + notes
    return RenderBatch.End(reply, notes: said)
  }

  /// How a worker came to its end that was at a job.
  private func ended() -> RenderBatch.End {
    let status = wait()
    let signal = status & 0x7f
    let code = (status >> 8) & 0xff
    let sentence =
      signal == 0
      ? "The render process ended with status \(code)."
      : isStopped.load(ordering: .relaxed)
        ? "Interrupted at 0 s. No file was written."
        : "The render process \(ChildExit.signalled(signal).words)."
    return .init(
      outcome: .failed(sentence), status: signal == 0 && code != 0 ? code : 1,
      notes: takeMessages())
  }

  private func wait() -> Int32 {
    if let status { return status }
    let ended = ProcessSpawn.wait(for: process)
    status = ended
    close(socket)
    return ended
  }

  // MARK: - The socket

  private func send(_ job: RenderJobs.Job) -> Bool {
    guard var line = try? JSONEncoder().encode(job) else { return false }
    line.append(UInt8(ascii: "\n"))
    return line.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) -> Bool in
      var rest = bytes[...]
      while !rest.isEmpty {
        let part = UnsafeRawBufferPointer(rebasing: rest)
        let count = Glibc.send(socket, part.baseAddress, part.count, Int32(MSG_NOSIGNAL))
        if count < 0 && errno == EINTR { continue }
        guard count > 0 else { return false }
        rest = rest.dropFirst(count)
      }
      return true
    }
  }

  /// The next line; nil at the worker's end, and where nothing comes in time.
  private func receive(withinMilliseconds patience: Int32) -> RenderReply? {
    while true {
      if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
        let line = received[received.startIndex ..< end]
        received = Data(received[(end + 1)...])
        return JSONOutput.read(RenderReply.self, line)
      }
      guard hasNews(withinMilliseconds: patience), take() else { return nil }
    }
  }

  /// Whether there is something to be read, be it the end.
  private func hasNews(withinMilliseconds patience: Int32) -> Bool {
    var poll = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
    while true {
      let count = Glibc.poll(&poll, 1, patience)
      if count < 0 && errno == EINTR { continue }
      return count > 0
    }
  }

  private func take() -> Bool {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(socket, &bytes, bytes.count)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return false }
      received.append(contentsOf: bytes[..<count])
      return true
    }
  }

  /// What was said on standard error since the last job, a line each.
  private func takeMessages() -> [String] {
    guard messages >= 0 else { return [] }
    var text = Data()
    var bytes = [UInt8](repeating: 0, count: 65_536)
    while case let count = pread(messages, &bytes, bytes.count, off_t(text.count)), count > 0 {
      text.append(contentsOf: bytes[..<count])
    }
    guard !text.isEmpty else { return [] }
    // Both processes write at the same place.
    ftruncate(messages, 0)
    lseek(messages, 0, SEEK_SET)
    let lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
    return lines.map { String($0.hasPrefix("outboard: ") ? $0.dropFirst(10) : $0) }
  }
}
