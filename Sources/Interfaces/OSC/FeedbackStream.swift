// FeedbackStream.swift: the values that a subscriber receives. SPDX-License-Identifier: MIT

/// Keeps what a subscriber has sent and received, and sends it the values that it does not have.
///
/// Values are coalesced: an address waits once, and its newest value is sent. A subscriber never receives the value that
/// it has set. While it moves a control, nothing is sent for that address; afterwards it receives the value if another
/// one is in effect. Times are in seconds of any clock that does not jump.
struct FeedbackStream {
  /// The shortest time between two values of an address, in seconds: 50 a second.
  static let interval = 0.02
  /// How long an address rests after the subscriber has set it, in seconds.
  static let touchSeconds = 0.3
  /// The packets of an interval.
  static let packetCount = 8
  /// The size of a packet in bytes, which no network divides.
  static let packetBytes = 1_400

  /// The single addresses of a subscriber.
  static let maximumAddressCount = 16_384

  /// The addresses that it receives; nil for all but levels.
  private let patterns: [OSCPattern]?
  /// Single addresses that it receives.
  private var addresses: Set<String> = []
  /// The addresses in the present address space.
  private var covered: Set<String> = []
  private var queue: [String] = []
  private var queued: Set<String> = []
  /// The values that the subscriber has.
  private var known: [String: OSCArgument] = [:]
  private var touched: [String: Double] = [:]
  private var lastSent = -Double.infinity

  /// A stream for some addresses, or for all but levels if `patterns` is nil.
  init(_ patterns: [OSCPattern]?, in space: OSCAddressSpace) {
    self.patterns = patterns
    update(space)
  }

  /// Whether the receiver gets levels: values that change with the audio.
  private(set) var hasLevels = false
  /// Whether values wait to be sent.
  var isWaiting: Bool { !queue.isEmpty }
  /// The time at which the next values may be sent.
  var nextTime: Double { lastSent + Self.interval }

  // MARK: - Addresses

  /// Uses another address space; new addresses are sent.
  mutating func update(_ space: OSCAddressSpace) {
    let old = covered
    let methods = space.methods.filter { method in
      guard method.target.access != .write else { return false }
      if addresses.contains(method.address) { return true }
      guard let patterns else { return !method.target.isLevel }
      return patterns.contains { $0.matches(method.address) }
    }
    covered = Set(methods.map(\.address))
    hasLevels = methods.contains { $0.target.isLevel }
    for address in old.subtracting(covered) { forget(address) }
    for method in methods { mark(method.address) }
  }

  /// Adds a single address; its value is sent.
  mutating func listen(to address: String, in space: OSCAddressSpace) {
    guard let method = space.method(at: address), method.target.access != .write,
      addresses.count < Self.maximumAddressCount
    else { return }
    addresses.insert(address)
    covered.insert(address)
    hasLevels = hasLevels || method.target.isLevel
    forget(address)
    mark(address)
  }

  /// Removes a single address.
  mutating func ignore(_ address: String, in space: OSCAddressSpace) {
    addresses.remove(address)
    update(space)
  }

  private mutating func forget(_ address: String) {
    known[address] = nil
    touched[address] = nil
  }

  // MARK: - Values

  /// Records that the subscriber has set a value.
  mutating func touch(_ address: String, _ value: OSCArgument?, at now: Double) {
    guard covered.contains(address) else { return }
    known[address] = value
    touched[address] = now
    // The value that takes effect can be another one.
    mark(address)
  }

  /// Records that the value of an address is new.
  mutating func mark(_ address: String) {
    guard covered.contains(address), queued.insert(address).inserted else { return }
    queue.append(address)
  }

  /// Keeps the values for the next interval, because the subscriber reads too slowly.
  mutating func wait(at now: Double) { lastSent = now }

  /// Returns the messages that are due, and counts them as received; each list is a packet.
  mutating func take(from space: OSCAddressSpace, at now: Double) -> [[OSCMessage]] {
    guard !queue.isEmpty, now >= nextTime else { return [] }
    lastSent = now
    var (packets, later): ([[OSCMessage]], [String]) = ([], [])
    var (packet, size): ([OSCMessage], Int) = ([], 16)
    var rest = queue[...]
    while packets.count < Self.packetCount, let address = rest.popFirst() {
      if let time = touched[address] {
        guard now - time >= Self.touchSeconds else {
          later.append(address)
          continue
        }
        touched[address] = nil
      }
      queued.remove(address)
      guard covered.contains(address), let value = space.value(at: address),
        !Self.isSame(known[address], value)
      else { continue }
      known[address] = value
      let message = OSCMessage(address, [value])
      packet.append(message)
      size += message.bytes.count + 4
      guard size > Self.packetBytes - 200 else { continue }
      packets.append(packet)
      (packet, size) = ([], 16)
    }
    if !packet.isEmpty { packets.append(packet) }
    queue = Array(rest) + later
    return packets
  }

  private static func isSame(_ known: OSCArgument?, _ value: OSCArgument) -> Bool {
    guard let known else { return false }
    if let one = known.number, let other = value.number { return Float(one) == Float(other) }
    return known == value
  }
}
