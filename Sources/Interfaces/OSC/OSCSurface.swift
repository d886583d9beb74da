// OSCSurface.swift: packets in, commands and values out. SPDX-License-Identifier: MIT

import ErrorModel
import HostModel
import NIOCore

/// Carries out the messages of all senders, and sends values to subscribers. [event loop]
final class OSCSurface {
  /// Sends packets.
  protocol Output {
    /// Sends a packet; drops it if the receiver is gone.
    func send(_ packet: OSCPacket, to peer: OSCPeer)
    /// Whether a peer accepts more at present.
    func isReady(_ peer: OSCPeer) -> Bool
  }

  /// The packets of wildcards that request values.
  private static let replyPacketCount = 8

  var space = OSCAddressSpace(SessionState(rig: ""))
  var scenes: [SceneInfo] = []
  var subscriptions = OSCSubscriptions()
  /// Called when subscriptions or addresses have changed.
  var onSubscription: () -> Void = {}
  /// Called before values are used.
  var onUse: () -> Void = {}
  /// Called when the first subscriber comes or the last one goes.
  var onObserved: (Bool) -> Void = { _ in }
  /// The values that need no event loop.
  let shortcuts = OSCShortcuts()
  /// The sender of all commands.
  var client: ClientID { commands?.client ?? .host }
  private let output: any Output
  private let eventLoop: any EventLoop
  private let notify: @Sendable (HostNotice) -> Void
  private var commands: OSCCommandQueue?
  private var schedule = BundleSchedule<OSCPeer>()
  private var allowance = ReplyAllowance()
  private var timer: (due: Double, task: Scheduled<Void>)?
  private var lastNotice = -Double.infinity
  private var isObserved = false
  private let start = ContinuousClock.now

  init(
    _ port: any CommandPort, _ output: any Output, on eventLoop: any EventLoop,
    notify: @escaping @Sendable (HostNotice) -> Void
  ) {
    (self.output, self.eventLoop, self.notify) = (output, eventLoop, notify)
    commands = OSCCommandQueue(port, on: eventLoop) { [weak self] in self?.report($2, $1, to: $0) }
    commands?.onBusy = { [shortcuts] in shortcuts.setQueueBusy($0) }
  }

  /// Seconds since the start.
  var now: Double { (ContinuousClock.now - start) / .seconds(1) }

  func stop() {
    timer?.task.cancel()
    commands?.stop()
  }

  // MARK: - Packets

  /// Carries out a packet.
  func receive(_ bytes: [UInt8], from peer: OSCPeer) {
    refresh()
    do throws(OSCFormatError) {
      receive(try OSCDecoder.decode(bytes), at: .immediate, from: peer)
    } catch {
      refuse(error, from: peer)
    }
    subscriptions.renew(peer, at: now)
    arm()
  }

  /// Reports that bytes of a peer are not a packet.
  func refuse(_ error: OSCFormatError, from peer: OSCPeer) {
    report("Malformed OSC packet: \(error).", "", to: peer)
    guard now - lastNotice >= 60 else { return }
    lastNotice = now
    notify(.oscPacketMalformed("\(peer)", error))
  }

  private func receive(_ packet: OSCPacket, at tag: OSCTimeTag, from peer: OSCPeer) {
    switch packet {
    case .message(let message): receive([message], at: tag, from: peer)
    case .bundle(let inner, let packets):
      // A bundle inside another one is not earlier.
      let tag = inner == .immediate ? tag : max(tag, inner)
      var messages: [OSCMessage] = []
      for packet in packets {
        if case .message(let message) = packet {
          messages.append(message)
        } else {
          receive(messages, at: tag, from: peer)
          messages = []
          receive(packet, at: tag, from: peer)
        }
      }
      receive(messages, at: tag, from: peer)
    }
  }

  private func receive(_ messages: [OSCMessage], at tag: OSCTimeTag, from peer: OSCPeer) {
    guard !messages.isEmpty else { return }
    switch schedule.add(messages, at: tag, from: peer, now: .now) {
    case .isDue: for message in messages { carryOut(message, from: peer) }
    case .waits: break
    case .tooFarAhead:
      let limit = Int(BundleSchedule<OSCPeer>.longestSeconds)
      report(
        "The time of the bundle is more than \(limit) s ahead. Check the clocks of both devices.",
        "#bundle", to: peer)
    case .full:
      report(
        "Too many OSC bundles have a time in the future. Send fewer in advance.", "#bundle",
        to: peer)
    }
  }

  /// Forgets a connection that has ended.
  func forget(_ peer: OSCPeer) {
    schedule.remove { $0 == peer }
    subscriptions.remove(where: { $0.origin == peer })
    onSubscription()
  }

  // MARK: - Messages

  private func carryOut(_ message: OSCMessage, from peer: OSCPeer) {
    switch message.address {
    // The error of another program is not answered by an error.
    case "/error": return
    case "/subscribe": return subscribe(message, peer)
    case "/unsubscribe":
      subscriptions.remove(where: { $0.origin == peer })
      return onSubscription()
    default: break
    }
    guard let pattern = OSCPattern(message.address) else {
      return report("The address has a bracket without an end.", message.address, to: peer)
    }
    let methods = methods(matching: pattern, message.address)
    guard !methods.isEmpty else { return report(Self.unknown, message.address, to: peer) }
    guard !message.arguments.isEmpty else { return answer(methods, peer) }
    if pattern.literal != nil, case .parameter(let node, let symbol) = methods[0].target,
      case .float? = message.arguments.first
    {
      shortcuts.add(
        message.address, .init(node: node, symbol: symbol, address: methods[0].address))
    }
    for method in methods { carryOut(method, message.arguments.first, peer) }
  }

  private static let unknown =
    "No such address. An OSCQuery client, or a browser at the same port, lists all addresses."

  /// Returns the methods of a pattern; without actions if its last part has wildcards, because `/*` is a request for
  /// values and must not undo anything.
  private func methods(
    matching pattern: OSCPattern, _ address: String
  ) -> [OSCAddressSpace.Method] {
    let methods = space.methods(matching: pattern)
    let name = address.utf8.reversed().prefix { $0 != UInt8(ascii: "/") }
    guard pattern.literal == nil, name.contains(where: { "?*[]{}".utf8.contains($0) }) else {
      return methods
    }
    return methods.filter { !$0.target.isAction }
  }

  private func carryOut(
    _ method: OSCAddressSpace.Method, _ argument: OSCArgument?, _ peer: OSCPeer
  ) {
    do throws(OSCArgumentError) {
      guard let command = try method.target.command(argument, scenes: scenes) else { return }
      subscriptions.touch(method.address, argument, by: peer, at: now)
      if case .parameter = method.target, argument?.number != nil {
        commands?.set(command, at: method.address, from: peer)
      } else {
        commands?.perform(command, at: method.address, from: peer)
      }
    } catch {
      report("\(error)", method.address, to: peer)
    }
  }

  /// Carries out actions, and sends the values of the others.
  private func answer(_ methods: [OSCAddressSpace.Method], _ peer: OSCPeer) {
    var (messages, size, count): ([OSCMessage], Int, Int) = ([], 0, 0)
    for method in methods {
      guard let value = space.value(at: method.address) else {
        if method.target.isLevel {
          report("Levels are sent to subscribers only.", method.address, to: peer)
        } else {
          carryOut(method, nil, peer)
        }
        continue
      }
      messages.append(OSCMessage(method.address, [value]))
      size += messages[messages.count - 1].bytes.count + 4
      guard size > FeedbackStream.packetBytes - 200 else { continue }
      reply(messages, to: peer)
      (messages, size, count) = ([], 0, count + 1)
      guard count < Self.replyPacketCount else { return }
    }
    reply(messages, to: peer)
  }

  private func reply(_ messages: [OSCMessage], to peer: OSCPeer) {
    // A connection that requests values and never reads them would fill the memory.
    guard !messages.isEmpty, output.isReady(peer), allowance.take(at: now) else { return }
    send(messages, to: peer)
  }

  private func send(_ messages: [OSCMessage], to peer: OSCPeer) {
    output.send(
      messages.count == 1
        ? .message(messages[0]) : .bundle(.immediate, messages.map(OSCPacket.message)), to: peer)
  }

  private func report(_ text: String, _ address: String, to peer: OSCPeer) {
    guard output.isReady(peer), allowance.take(at: now) else { return }
    output.send(
      .message(OSCMessage("/error", [.string(address), .string(text)])), to: peer)
  }

  // MARK: - Values

  private func subscribe(_ message: OSCMessage, _ peer: OSCPeer) {
    do throws(OSCSubscriptionError) {
      let request = try OSCSubscriptions.Request(message.arguments, from: peer)
      try subscriptions.add(request, in: space, at: now)
      onSubscription()
    } catch {
      report("\(error)", message.address, to: peer)
    }
  }

  /// Adds a connection that names single addresses.
  func addListener(_ peer: OSCPeer) {
    try? subscriptions.add(.init(connection: peer), in: space, at: now)
  }

  /// Starts or ends to send an address to a connection.
  func setListening(_ isOn: Bool, to address: String, for peer: OSCPeer) {
    subscriptions.setListening(isOn, to: address, for: peer, in: space)
    onSubscription()
    arm()
  }

  /// Sends new values of addresses to subscribers, in the next interval.
  func publish(_ addresses: [String]) {
    subscriptions.mark(addresses)
    arm()
  }

  /// Uses another address space.
  func replace(_ space: OSCAddressSpace) {
    self.space = space
    shortcuts.removeAll()
    subscriptions.update(space)
    onSubscription()
    arm()
  }

  private func setObserved(_ isOn: Bool) {
    guard isOn != isObserved else { return }
    isObserved = isOn
    shortcuts.setObserved(isOn)
    onObserved(isOn)
  }

  /// Carries out what is due, and waits for the next time.
  private func tick() {
    timer = nil
    refresh()
    for entry in schedule.takeDue(at: .now) {
      for message in entry.messages { carryOut(message, from: entry.sender) }
    }
    let count = subscriptions.count
    for (peer, packets) in subscriptions.take(from: space, at: now, isReady: output.isReady) {
      for packet in packets { send(packet, to: peer) }
    }
    if subscriptions.count != count { onSubscription() }
    arm()
  }

  /// Sets the timer to the next time at which there is work.
  func arm() {
    setObserved(subscriptions.count > 0)
    // The clock of the time tags can be set, so it is read again after a second at the latest.
    let bundle = schedule.pause(at: .now).map { now + min($0, 1) }
    guard let due = [bundle, subscriptions.nextTime].compactMap({ $0 }).min() else { return }
    if let timer, timer.due <= due { return }
    timer?.task.cancel()
    let bound = NIOLoopBound(self, eventLoop: eventLoop)
    let nanoseconds = Int64(max(0, due - now) * 1e9)
    timer = (due, eventLoop.scheduleTask(in: .nanoseconds(nanoseconds)) { bound.value.tick() })
  }
}
