// WorkerHelper.swift: the main loop of a worker process. SPDX-License-Identifier: MIT

internal import CIsolation
internal import CProcess
internal import CSandbox
internal import Glibc
package import PluginCatalogue
internal import PluginModel

/// A worker process, which renders nodes for the host.
package enum WorkerHelper {
  /// The hidden first argument that starts the program as a worker process.
  package static let argument = "--helper-isolation"

  /// Serves the host until it closes the socket; never returns. [main, in the worker]
  ///
  /// - Parameter formats: the formats whose nodes it can create.
  package static func run(_ formats: FormatRegistry) -> Never {
    cprocess_end_with_parent()
    CrashReport.sendAll(to: .helperSide, kind: WorkerReply.crashKind)
    // It replaces the handler of the report, and calls it.
    cisolation_begin_worker()
    WorkerServer(formats).serve()
    // `_exit`, because exit handlers of plugins may crash or hang.
    _exit(0)
  }
}

/// Answers the requests of the host. [main, in the worker]
private final class WorkerServer {
  private let formats: FormatRegistry
  private var loaders: [PluginKind: any PluginLoader] = [:]
  private var nodes: [UInt32: WorkerNode] = [:]
  private var socket = MessageSocket.helperSide
  /// What the sandbox refuses; nil outside a sandbox.
  private var sandboxRecord: SandboxRecord?
  private let table = WorkerTable()

  init(_ formats: FormatRegistry) { self.formats = formats }

  func serve() {
    while true {
      if socket.waitForData(within: StateKeeper.intervalSeconds / 4), !socket.receive() { return }
      while true {
        let request: WorkerRequest?
        do throws(BinaryDecodingError) {
          request = try socket.next { reader throws(BinaryDecodingError) in
            try WorkerRequest(&reader)
          }
        } catch {
          return
        }
        guard let request else { break }
        guard answer(request) else { return }
      }
      for node in nodes.values { node.keeper?.saveIfDue(node) }
    }
  }

  /// Returns false if the host is gone.
  private func answer(_ request: WorkerRequest) -> Bool {
    var reply = WorkerReply()
    do {
      try perform(request, &reply)
    } catch let error as PropertyError {
      reply.propertyError = error
    } catch {
      reply.error = "\(error)"
    }
    reply.status = nodes[request.node]?.status
    guard socket.send(reply.record) else { return false }
    switch request.action {
    case .share: return takeMemory(request.node)
    case .sandbox(let readable, let directory): return enterSandbox(readable, directory)
    default: return true
    }
  }

  /// Receives the memory for the record, enters the sandbox, and replies with the parts that are in force.
  private func enterSandbox(_ readable: [String], _ directory: String) -> Bool {
    sandboxRecord = SandboxRecord(descriptor: cisolation_receive_descriptor(socket.descriptor))
    var reply = WorkerReply()
    if let sandboxRecord {
      let paths = readable + formats.formats.flatMap(\.sharedDirectories)
      let copies = paths.map { strdup($0) }
      defer { copies.forEach { free($0) } }
      let texts = copies.compactMap { UnsafePointer($0) }
      reply.number = csandbox_enter(sandboxRecord.memory, texts, UInt32(texts.count), directory)
    }
    return socket.send(reply.record)
  }

  private func perform(_ request: WorkerRequest, _ reply: inout WorkerReply) throws {
    switch request.action {
    case .hello: reply.number = UInt32(CISOLATION_VERSION)
    case .sandbox: break
    case .create(let settings): reply.shape = try create(settings, as: request.node)
    case .destroy: nodes[request.node] = nil
    default:
      guard let node = nodes[request.node] else { return }
      node.set(request.values)
      try perform(request.action, on: node, &reply)
    }
  }

  private func create(_ request: NodeRequest, as number: UInt32) throws -> NodeShape? {
    let kind = request.plugin.kind
    let loader =
      loaders[kind] ?? formats.formats(of: kind).lazy.compactMap { $0.makeLoader() }.first
    guard let loader else { return nil }
    loaders[kind] = loader
    // As in a session, where the audio thread must not wait for the disk.
    if !request.isOffline { _ = cisolation_lock_memory() }
    let node = try WorkerNode(request, loader, number: number, in: table)
    nodes[number] = node
    return node.shape
  }

  /// Receives the memory of a node, and replies with the id of its thread.
  private func takeMemory(_ number: UInt32) -> Bool {
    let descriptor = cisolation_receive_descriptor(socket.descriptor)
    var reply = WorkerReply()
    reply.number = nodes[number]?.share(descriptor) ?? 0
    return socket.send(reply.record)
  }

  private func perform(
    _ action: WorkerRequest.Action, on node: WorkerNode, _ reply: inout WorkerReply
  ) throws {
    let capabilities = node.node.capabilities
    switch action {
    case .hello, .sandbox, .create, .share, .destroy: break
    case .activate: try node.node.activate()
    case .deactivate: node.node.deactivate()
    case .reset: node.node.reset()
    case .poll(let refreshes): if refreshes { capabilities.readouts?.refreshReadouts() }
    case .setProperty(let index, let value):
      guard node.plugin.properties.indices.contains(index) else { return }
      try capabilities.properties?.setProperty(index, to: value)
    case .loadPreset(let preset): try capabilities.presets?.load(preset)
    case .savePreset(let name, let bank, let directory, let replaces):
      try capabilities.presets?.savePreset(
        named: name, inBank: bank, to: directory, replacing: replaces)
    case .saveState(let directory):
      reply.flag = try capabilities.directoryState?.saveState(to: directory) ?? false
    case .restoreState(let directory):
      try capabilities.directoryState?.restoreState(from: directory)
    case .saveBytes: reply.bytes = capabilities.state?.save()
    case .restoreBytes(let bytes): try capabilities.state?.restore(bytes)
    case .setBlockLength(let count):
      reply.flag = capabilities.blockLength?.blockLengthChanged(to: count) ?? false
    case .setInputLatency(let count): node.node.setInputLatency(frameCount: count)
    case .keepState(let directory, let seconds):
      node.keepState(in: directory, olderSeconds: seconds)
    }
  }
}
