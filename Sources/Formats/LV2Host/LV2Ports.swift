// LV2Ports.swift: the memory that a node's ports are connected to. SPDX-License-Identifier: MIT

internal import CLV2Support
internal import Glibc
internal import PluginModel

/// One buffer for each port of a plugin, in one allocation, zeroed.
///
/// Audio ports have scratch memory here too: a plugin may look at any port in `activate`, before the
/// program has given it a buffer, and a run that only asks for the latency needs somewhere to write.
struct LV2Ports: ~Copyable {
  /// The event buffer that is given where the plugin asks for none: lists and curves of
  /// editors have been seen to overflow 8 KiB.
  static let eventCapacityBytes = 32_768
  /// How far an event buffer can grow, at least.
  static let reservedEventBytes = 1 << 20
  /// The largest event buffer that a plugin may ask for.
  static let longestEventBytes = 1 << 26

  /// Where each port's data are, by port index; nil for those that stay unconnected.
  let addresses: [UnsafeMutableRawPointer?]
  /// How large each port's buffer is, by port index.
  let capacitiesBytes: [Int]
  /// How large each port's buffer can become, by port index.
  let reservesBytes: [Int]
  private let memory: UnsafeMutableRawPointer

  /// Memory for blocks of up to `maximumFrameCount` frames; event buffers can grow if `isResizable`.
  /// [main]
  init(_ ports: [LV2Port], maximumFrameCount: Int, isResizable: Bool = false) {
    let capacities = ports.map { Self.capacityBytes($0, maximumFrameCount) }
    let reserves = zip(ports, capacities).map { port, capacity in
      let grows = isResizable && (port.role == .atomInput || port.role == .atomOutput)
      return grows ? max(Self.reservedEventBytes, 4 * capacity) : capacity
    }
    // Whole cache lines, so that no two ports share one.
    let rows = reserves.map { ($0 + 63) / 64 * 64 }
    let byteCount = max(64, rows.reduce(0, +))
    memory = .allocate(byteCount: byteCount, alignment: 64)
    memset(memory, 0, byteCount)
    var addresses: [UnsafeMutableRawPointer?] = []
    var offset = 0
    for (port, row) in zip(ports, rows) {
      addresses.append(Self.isConnected(port) ? memory + offset : nil)
      offset += row
    }
    self.addresses = addresses
    capacitiesBytes = capacities
    reservesBytes = reserves
    for (index, port) in ports.enumerated() where port.restValue != 0 {
      control(index)?.update(
        repeating: port.restValue, count: capacities[index] / MemoryLayout<Float>.stride)
    }
  }

  deinit { memory.deallocate() }

  private static func capacityBytes(_ port: LV2Port, _ maximumFrameCount: Int) -> Int {
    switch port.role {
    case .audioInput, .audioOutput, .cvInput, .cvOutput:
      return maximumFrameCount * MemoryLayout<Float>.stride
    case .parameter, .readout, .freeWheeling, .latency, .time:
      return MemoryLayout<Float>.stride
    case .atomInput, .atomOutput:
      // The size asked for is that of the content; the header of the atom comes on top.
      return max(eventCapacityBytes, port.minimumSizeBytes + MemoryLayout<LV2_Atom>.size)
    case .eventInput, .eventOutput:
      return clv2_event_header_bytes() + eventCapacityBytes
    case .unknown:
      return 0
    }
  }

  /// The size of the largest event buffer, and at least of the usual one. [any]
  static func largestEventBytes(_ ports: [LV2Port]) -> Int {
    ports.filter { $0.role == .atomInput || $0.role == .atomOutput }
      .map { capacityBytes($0, 0) }.reduce(eventCapacityBytes, max)
  }

  /// Optional ports that would carry nothing are given NULL, as the specification wishes; audio and
  /// parameters carry something.
  private static func isConnected(_ port: LV2Port) -> Bool {
    switch port.role {
    case .unknown: false
    // What is written into an output is lost where nobody takes it.
    case .cvInput: !port.isOptional
    default: true
    }
  }

  /// The float of a control port. [any]
  func control(_ port: Int) -> UnsafeMutablePointer<Float>? {
    addresses[port]?.assumingMemoryBound(to: Float.self)
  }
}
