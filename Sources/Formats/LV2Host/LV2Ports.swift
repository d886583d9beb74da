// LV2Ports.swift: the memory of a node's ports. SPDX-License-Identifier: MIT

internal import CLV2Support
internal import Glibc
internal import PluginModel

/// One buffer per port of a plugin, in one zeroed allocation.
///
/// Audio ports have buffers here, too: a plugin may access any port in `activate`, before the render sequence
/// connects it. A run for the latency also needs output buffers.
struct LV2Ports: ~Copyable {
  /// The default size of an event buffer: data of plugin editors has overflowed 8 KiB.
  static let eventCapacityBytes = 32_768
  /// The minimum size to which an event buffer can grow.
  static let reservedEventBytes = 1 << 20
  /// The maximum size of an event buffer.
  static let longestEventBytes = 1 << 26

  /// The address of each port's data, by port index; nil for unconnected ports.
  let addresses: [UnsafeMutableRawPointer?]
  /// The size of each port's buffer, by port index.
  let capacitiesBytes: [Int]
  /// The maximum size of each port's buffer, by port index.
  let reservesBytes: [Int]
  private let memory: UnsafeMutableRawPointer

  /// Allocates memory for blocks of up to `maximumFrameCount` frames; event buffers can grow if `isResizable`.
  /// [main]
  init(_ ports: [LV2Port], maximumFrameCount: Int, isResizable: Bool = false) {
    let capacities = ports.map { Self.capacityBytes($0, maximumFrameCount) }
    let reserves = zip(ports, capacities).map { port, capacity in
      let grows = isResizable && (port.role == .atomInput || port.role == .atomOutput)
      return grows ? max(Self.reservedEventBytes, 4 * capacity) : capacity
    }
    // Whole cache lines, so that ports do not share one.
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
      // The required size is that of the content; the atom header is added.
      return max(eventCapacityBytes, port.minimumSizeBytes + MemoryLayout<LV2_Atom>.size)
    case .eventInput, .eventOutput:
      return clv2_event_header_bytes() + eventCapacityBytes
    case .unknown:
      return 0
    }
  }

  /// The size of the largest event buffer, at least the default size. [any]
  static func largestEventBytes(_ ports: [LV2Port]) -> Int {
    ports.filter { $0.role == .atomInput || $0.role == .atomOutput }
      .map { capacityBytes($0, 0) }.reduce(eventCapacityBytes, max)
  }

  /// Unused optional ports are connected to NULL, as the specification recommends, except audio and parameters.
  private static func isConnected(_ port: LV2Port) -> Bool {
    switch port.role {
    case .unknown: false
    // Data in an unused output is discarded.
    case .cvInput: !port.isOptional
    default: true
    }
  }

  /// Returns the value of a control port. [any]
  func control(_ port: Int) -> UnsafeMutablePointer<Float>? {
    addresses[port]?.assumingMemoryBound(to: Float.self)
  }
}
