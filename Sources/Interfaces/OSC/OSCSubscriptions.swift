// OSCSubscriptions.swift: who receives values, and how long. SPDX-License-Identifier: MIT

/// The subscribers of values.
///
/// Times are in seconds of a clock that does not jump.
struct OSCSubscriptions {
  /// The lifetime without a request, in seconds.
  static let lifetimeSeconds = 60.0
  /// The longest lifetime: a day.
  static let longestSeconds = 86_400.0
  /// Subscribers of datagrams, whose senders can be faked.
  static let maximumCount = 16
  /// The patterns of a subscriber.
  static let maximumPatternCount = 64

  /// A request for values.
  struct Request {
    /// The sender of the request.
    let origin: OSCPeer
    /// The receiver of the values.
    let receiver: OSCPeer
    /// How long the origin may be silent; nil for a connection.
    let seconds: Double?
    /// The addresses; nil for all but levels.
    let patterns: [OSCPattern]?

    /// Reads the arguments of `/subscribe`: a port, a lifetime in seconds, and patterns, each of them optional.
    init(_ arguments: [OSCArgument], from peer: OSCPeer) throws(OSCSubscriptionError) {
      let numbers = arguments.compactMap(\.number)
      var patterns: [OSCPattern] = []
      for case .string(let text) in arguments {
        guard let pattern = OSCPattern(text) else { throw .pattern }
        patterns.append(pattern)
      }
      guard patterns.count <= maximumPatternCount else { throw .pattern }
      (origin, self.patterns) = (peer, patterns.isEmpty ? nil : patterns)
      guard case .datagram(let host, let source) = peer else {
        (receiver, seconds) = (peer, nil)
        return
      }
      guard let port = numbers.first.map(Int.init(exactly:)) ?? 0, 0 ... 65_535 ~= port else {
        throw .port
      }
      receiver = .datagram(host: host, port: port == 0 ? source : port)
      let seconds = numbers.count > 1 ? numbers[1] : lifetimeSeconds
      guard 1 ... longestSeconds ~= seconds else { throw .lifetime }
      self.seconds = seconds
    }

    /// The values of a connection, which names single addresses later.
    init(connection: OSCPeer) {
      (origin, receiver, seconds, patterns) = (connection, connection, nil, [])
    }
  }

  private struct Entry {
    let request: Request
    var end: Double
    var stream: FeedbackStream
  }

  private var entries: [Entry] = []

  /// The number of subscribers.
  var count: Int { entries.count }
  /// Whether anyone receives levels.
  var hasLevels: Bool { entries.contains { $0.stream.hasLevels } }
  /// When values may be sent next; nil if none wait.
  var nextTime: Double? { entries.filter(\.stream.isWaiting).map(\.stream.nextTime).min() }

  // MARK: - Subscribers

  /// Adds a subscriber, or replaces the request of the same receiver; all its values are sent.
  mutating func add(
    _ request: Request, in space: OSCAddressSpace, at now: Double
  ) throws(OSCSubscriptionError) {
    removeEnded(at: now)
    entries.removeAll { $0.request.receiver == request.receiver }
    let datagrams = entries.count { $0.request.seconds != nil }
    guard request.seconds == nil || datagrams < Self.maximumCount else { throw .tooMany }
    entries.append(
      Entry(
        request: request, end: now + (request.seconds ?? .infinity),
        stream: FeedbackStream(request.patterns, in: space)))
  }

  /// Removes subscribers.
  mutating func remove(where isGone: (Request) -> Bool) { entries.removeAll { isGone($0.request) } }

  /// Extends the lifetime of a subscriber that has sent something.
  mutating func renew(_ peer: OSCPeer, at now: Double) {
    for index in entries.indices where entries[index].request.origin == peer {
      entries[index].end = now + (entries[index].request.seconds ?? .infinity)
    }
  }

  private mutating func removeEnded(at now: Double) { entries.removeAll { $0.end <= now } }

  // MARK: - Values

  /// Records that a peer has set a value.
  mutating func touch(_ address: String, _ value: OSCArgument?, by peer: OSCPeer, at now: Double) {
    for index in entries.indices where entries[index].request.origin == peer {
      entries[index].stream.touch(address, value, at: now)
    }
  }

  /// Records that values are new.
  mutating func mark(_ addresses: [String]) {
    for index in entries.indices {
      for address in addresses { entries[index].stream.mark(address) }
    }
  }

  /// Uses another address space.
  mutating func update(_ space: OSCAddressSpace) {
    for index in entries.indices { entries[index].stream.update(space) }
  }

  /// Starts or ends to send a single address to a connection.
  mutating func setListening(
    _ isOn: Bool, to address: String, for peer: OSCPeer, in space: OSCAddressSpace
  ) {
    for index in entries.indices where entries[index].request.receiver == peer {
      if isOn {
        entries[index].stream.listen(to: address, in: space)
      } else {
        entries[index].stream.ignore(address, in: space)
      }
    }
  }

  /// Returns what is due for each subscriber that is ready, and removes those whose lifetime has ended.
  mutating func take(
    from space: OSCAddressSpace, at now: Double, isReady: (OSCPeer) -> Bool
  ) -> [(OSCPeer, [[OSCMessage]])] {
    removeEnded(at: now)
    return entries.indices.compactMap { index in
      let receiver = entries[index].request.receiver
      guard isReady(receiver) else {
        entries[index].stream.wait(at: now)
        return nil
      }
      let packets = entries[index].stream.take(from: space, at: now)
      return packets.isEmpty ? nil : (receiver, packets)
    }
  }
}

/// Why a request for values is refused.
enum OSCSubscriptionError: Error, Equatable, CustomStringConvertible {
  case port, lifetime, pattern, tooMany

  var description: String {
    switch self {
    case .port: "The first number is the port of the receiver: 1 to 65535, or 0 for the sender's."
    case .lifetime:
      "The second number is the lifetime in seconds: 1 to \(Int(OSCSubscriptions.longestSeconds))."
    case .pattern:
      "A pattern has a bracket without an end, or there are more than"
        + " \(OSCSubscriptions.maximumPatternCount) patterns."
    case .tooMany: "There are \(OSCSubscriptions.maximumCount) subscribers already."
    }
  }
}

/// Limits errors and requested values, so that a faked sender address floods nobody.
struct ReplyAllowance {
  /// Packets a second, and at once.
  static let packetsPerSecond = 200.0

  private var count = packetsPerSecond
  private var last = 0.0

  /// Takes a packet; false if too many were sent.
  mutating func take(at now: Double) -> Bool {
    count = min(Self.packetsPerSecond, count + (now - last) * Self.packetsPerSecond)
    last = now
    guard count >= 1 else { return false }
    count -= 1
    return true
  }
}
