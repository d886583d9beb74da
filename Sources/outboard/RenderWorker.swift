// RenderWorker.swift: a worker process that renders many files. SPDX-License-Identifier: MIT

import CProcess
import FoundationEssentials
import Glibc
import HostModel
import PluginCatalogue
import Processes
import Synchronization

/// The answer of a worker to a job.
struct RenderReply: Codable, Sendable {
  /// Nil if the job failed.
  var result: RenderResult?
  /// The reason for the failure.
  var error: ErrorReport.Facts?
  /// Messages about the rig, independent of the file.
  var rigNotes: [String] = []
  /// Whether the nodes are destroyed and the worker is ready for the next job.
  var isReady = false
}

/// A second process of this program with the same arguments, except the file names, which it receives as jobs.
///
/// Belongs to the thread that creates it, except for `stop`.
final class RenderWorker {
  private let process: pid_t
  /// One end of a socket pair.
  ///
  /// The other end is the standard input and output of the worker.
  private let socket: Int32
  /// The standard error of the worker, in memory.
  private let messages: Int32
  private var received = Data()
  private let isStopped = Atomic(false)
  private var status: Int32?
  /// Whether the process has ended and must be replaced.
  var isGone: Bool { status != nil }

  /// The time limit for the cleanup of a file's nodes, in seconds.
  private static let timeoutMilliseconds: Int32 = 20_000

  /// Starts a process.
  ///
  /// - Throws: `StartFault`.
  init(_ arguments: [String]) throws(StartFault) {
    var ends: [Int32] = [-1, -1]
    let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    guard unsafe socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw StartFault(code: errno) }
    socket = ends[0]
    messages = cprocess_memory_file()
    defer { close(ends[1]) }
    var spawn = ProcessSpawn([ThisProgram.path] + arguments)
    (spawn.input, spawn.output, spawn.errors) = (ends[1], ends[1], messages >= 0 ? messages : nil)
    // Only the parent handles signals of the terminal.
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

  /// The process could not be started.
  struct StartFault: Error {
    /// The errno value.
    let code: Int32
  }

  /// Requests the end of a worker, which then leaves no output file. [any]
  func stop() {
    guard !isStopped.exchange(true, ordering: .relaxed) else { return }
    kill(process, SIGTERM)
  }

  /// Renders a file and waits until the worker is ready for the next one or has ended.
  func render(_ job: RenderJobs.Job) -> RenderBatch.End {
    guard send(job), let reply = receive(withinMilliseconds: -1) else { return ended() }
    let ready = receive(withinMilliseconds: Self.timeoutMilliseconds)
    var notes: [String] = []
    if ready?.isReady != true {
      let isSilent = !waitForData(withinMilliseconds: 0)
      if isSilent { kill(process, SIGKILL) }
      // A worker whose plugin crashes can still reply before it ends.
      let hangs = isSilent && ready == nil
      _ = wait()
      // The message already names the plugin that ended the rendering.
      let action = hangs ? "did not let its process continue for 20 s" : "ended its process"
      let report = ready?.error?.message ?? "A plugin \(action). \(job.output) is complete."
      notes = reply.error != nil ? [] : [report]
    }
    let messages = takeMessages() + notes
    return RenderBatch.End(reply, notes: messages)
  }

  /// Returns the message for a worker that ended during a job.
  private func ended() -> RenderBatch.End {
    let status = wait()
    let signal = status & 0x7f
    let code = (status >> 8) & 0xff
    let message =
      signal == 0
      ? "The render process ended with status \(code)."
      : isStopped.load(ordering: .relaxed)
        ? "The rendering was stopped at 0 s. No file was written."
        : "The render process \(ChildExit.signalled(signal).text)."
    return .init(
      outcome: .failed(message), status: signal == 0 && code != 0 ? code : 1,
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
    var line = JSONLine.data(job)
    line.append(UInt8(ascii: "\n"))
    return unsafe line.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) -> Bool in
      var rest = unsafe bytes[...]
      while unsafe !rest.isEmpty {
        let part = unsafe UnsafeRawBufferPointer(rebasing: rest)
        let count = unsafe Glibc.send(socket, part.baseAddress, part.count, Int32(MSG_NOSIGNAL))
        if count < 0 && errno == EINTR { continue }
        guard count > 0 else { return false }
        unsafe rest = rest.dropFirst(count)
      }
      return true
    }
  }

  /// Returns the next line; nil if the worker ended or the time limit passed.
  private func receive(withinMilliseconds timeout: Int32) -> RenderReply? {
    while true {
      if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
        let line = received[received.startIndex ..< end]
        received = Data(received[(end + 1)...])
        return JSONOutput.read(RenderReply.self, line)
      }
      guard waitForData(withinMilliseconds: timeout), take() else { return nil }
    }
  }

  /// Whether data or the end of the stream is available.
  private func waitForData(withinMilliseconds timeout: Int32) -> Bool {
    var poll = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
    while true {
      let count = unsafe Glibc.poll(&poll, 1, timeout)
      if count < 0 && errno == EINTR { continue }
      return count > 0
    }
  }

  private func take() -> Bool {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = unsafe read(socket, &bytes, bytes.count)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return false }
      received.append(contentsOf: bytes[..<count])
      return true
    }
  }

  /// Returns the lines on standard error since the last job.
  private func takeMessages() -> [String] {
    guard messages >= 0 else { return [] }
    var text = Data()
    var bytes = [UInt8](repeating: 0, count: 65_536)
    while case let count = unsafe pread(messages, &bytes, bytes.count, off_t(text.count)), count > 0
    {
      text.append(contentsOf: bytes[..<count])
    }
    guard !text.isEmpty else { return [] }
    // Both processes share the file offset.
    ftruncate(messages, 0)
    lseek(messages, 0, SEEK_SET)
    let lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
    return lines.map { String($0.hasPrefix("outboard: ") ? $0.dropFirst(10) : $0) }
  }
}
