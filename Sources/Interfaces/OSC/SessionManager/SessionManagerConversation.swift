// SessionManagerConversation.swift: the requests of a session manager. SPDX-License-Identifier: MIT

import ErrorModel
import Glibc
import HostModel
import NIOCore
import PluginModel

/// Carries out the requests of a session manager, and reports changes to it. [event loop]
final class SessionManagerConversation {
  /// Codes of the protocol for requests that fail.
  private enum ErrorCode: Int32 {
    case general = -1
    case noSession = -6
    case busy = -8
    case badProject = -9
    case notCreated = -10
  }

  private enum Address {
    static let announce = "/nsm/server/announce"
    static let open = "/nsm/client/open"
    static let save = "/nsm/client/save"
  }

  /// The thread of all work.
  let eventLoop: any EventLoop
  /// Whether the manager has not answered yet.
  private(set) var isSilent = true
  private let port: any CommandPort
  private let notify: @Sendable (HostNotice) -> Void
  private var client = ClientID.host
  private var channel: (any Channel)?
  private var server: SocketAddress?
  private let managed: ManagedSession
  private var file: String? {
    get { managed.identity.file }
    set { managed.identity.file = newValue }
  }
  private var isBusy = false
  private var hasUnsavedChanges = false
  private var continues: Bool

  /// - Parameters:
  ///   - connection: to the session.
  ///   - managed: the identity of the session.
  ///   - continues: whether the values of the session are newer than its file.
  ///   - eventLoop: calls everything here.
  init(
    _ connection: HostConnection, _ managed: ManagedSession, continues: Bool,
    on eventLoop: any EventLoop
  ) {
    (port, notify) = (connection.port, connection.notify)
    (self.managed, self.eventLoop) = (managed, eventLoop)
    // Another song, or the same one again, is loaded from its file.
    self.continues = continues && managed.identity.file == nil
    let bound = NIOLoopBound(self, eventLoop: eventLoop)
    client = port.connect { event in eventLoop.execute { bound.value.receive(event) } }
    _ = port.submit(.subscribe(.init(events: [.changed])), from: client) { _ in }
  }

  /// Ends the conversation.
  func stop() {
    port.disconnect(client)
    channel?.close(promise: nil)
    (channel, isSilent) = (nil, false)
  }

  // MARK: - Messages

  /// Begins to send messages.
  func begin(over channel: any Channel, to server: SocketAddress) {
    (self.channel, self.server) = (channel, server)
  }

  /// Announces the session to the manager.
  func announce() {
    let program = CommandLine.arguments.first?.split(separator: "/").last.map(String.init)
    send(
      Address.announce, .string("Outboard"), .string(":switch:dirty:"),
      .string(program ?? "outboard"), .int(1), .int(1), .int(getpid()))
  }

  private func send(_ address: String, _ arguments: OSCArgument...) {
    guard let channel, let server else { return }
    let data = ByteBuffer(bytes: OSCMessage(address, arguments).bytes)
    channel.writeAndFlush(AddressedEnvelope(remoteAddress: server, data: data), promise: nil)
  }

  /// Handles a message of the manager; others than these need no answer.
  func receive(_ message: OSCMessage) {
    let isOfAnnouncement = message.arguments.first == .string(Address.announce)
    switch message.address {
    case "/reply" where isOfAnnouncement: isSilent = false
    case "/error" where isOfAnnouncement:
      isSilent = false
      notify(.sessionManagerMissing(.refused(message: Self.reason(in: message))))
    case Address.open:
      isSilent = false
      open(message)
    case Address.save: save()
    default: break
    }
  }

  private static func reason(in message: OSCMessage) -> String {
    if case .string(let text)? = message.arguments.last { text.visible } else { "without a reason" }
  }

  private func accept(_ request: String, _ text: String) {
    isBusy = false
    send("/reply", .string(request), .string(text))
    reportUnsavedChanges()
  }

  private func refuse(_ request: String, _ code: ErrorCode, _ text: String) {
    send("/error", .string(request), .int(code.rawValue), .string(text))
  }

  // MARK: - Requests

  private func open(_ message: OSCMessage) {
    guard case .string(let path)? = message.arguments.first, path.hasPrefix("/"),
      !path.hasSuffix("/")
    else { return refuse(Address.open, .general, "The path of the session is not absolute.") }
    guard begin(Address.open) else { return }
    let file = path + ".yaml"
    let exists = unsafe access(file, F_OK) == 0
    // Reading the file would discard what was changed before the restart.
    let keepsValues = continues && exists
    let previous = self.file
    (self.file, continues) = (nil, false)
    if keepsValues { return finishOpening(file) }
    guard exists else { return create(file) }
    if let previous { leave(previous) { $0.load(file) } } else { load(file) }
  }

  /// Saves the rig that the session was started with; from then on the new file is its own.
  private func create(_ file: String) {
    perform(.save(.init(file: file, force: true)), Address.open, .notCreated) { $0.load(file) }
  }

  /// Makes the saved values those of the present rig, so that none of them stays in the next one.
  ///
  /// A rig that is loaded only sets values that differ from the file of the rig before it. Managers save first.
  private func leave(
    _ file: String, then: @escaping (SessionManagerConversation) -> Void
  ) {
    let finish = NIOLoopBound({ [self] in then(self) }, eventLoop: eventLoop)
    _ = port.submit(.load(.init(file: file)), from: client) { [eventLoop] _ in
      eventLoop.execute { finish.value() }
    }
  }

  private func load(_ file: String) {
    perform(.load(.init(file: file)), Address.open, .badProject) { conversation in
      conversation.hasUnsavedChanges = false
      conversation.finishOpening(file)
    }
  }

  private func finishOpening(_ file: String) {
    self.file = file
    notify(.sessionManaged(in: file.visible))
    accept(Address.open, "The rig is open.")
  }

  private func save() {
    guard let file else {
      return refuse(Address.save, .noSession, "The session manager has not opened this session.")
    }
    guard begin(Address.save) else { return }
    let hadUnsavedChanges = hasUnsavedChanges
    // A change that comes while the file is written may be missing in it.
    hasUnsavedChanges = false
    perform(
      .save(.init(file: file, force: true)), Address.save, .general,
      onFailure: { $0.hasUnsavedChanges = hadUnsavedChanges || $0.hasUnsavedChanges }
    ) { $0.accept(Address.save, "The rig is saved.") }
  }

  /// Begins a request; false if another one is being carried out.
  private func begin(_ request: String) -> Bool {
    guard !isBusy else {
      refuse(request, .busy, "The session is still carrying out another request.")
      return false
    }
    isBusy = true
    return true
  }

  /// Carries out a command of a request, then the rest of the request.
  private func perform(
    _ command: Command, _ request: String, _ code: ErrorCode,
    onFailure: @escaping (SessionManagerConversation) -> Void = { _ in },
    then: @escaping (SessionManagerConversation) -> Void
  ) {
    let finish = { [self] (reply: Reply) in
      for note in reply.notes { notify(.note(note)) }
      guard let error = reply.error else { return then(self) }
      isBusy = false
      onFailure(self)
      refuse(request, code, error.message)
      notify(.managerRequestFailed(error))
    }
    let bound = NIOLoopBound(finish, eventLoop: eventLoop)
    _ = port.submit(command, from: client) { [eventLoop] reply in
      eventLoop.execute { bound.value(reply) }
    }
  }

  // MARK: - Changes

  /// Notes what users have changed; faults and reloads of the file are no changes of the session.
  private func receive(_ event: SharedEvent) {
    guard case .changed(let changed) = event.message.event, !hasUnsavedChanges,
      [.client, .scene, .midi].contains(changed.source)
    else { return }
    hasUnsavedChanges = true
    if !isBusy { reportUnsavedChanges() }
  }

  private func reportUnsavedChanges() {
    guard file != nil else { return }
    send(hasUnsavedChanges ? "/nsm/client/is_dirty" : "/nsm/client/is_clean")
  }
}
