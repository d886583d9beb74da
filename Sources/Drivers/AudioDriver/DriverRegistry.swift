// DriverRegistry.swift: finds the driver of a device by its name. SPDX-License-Identifier: MIT

package import ErrorModel

/// The kinds of driver that a program has, found by the scheme of a device's name.
///
/// A scheme is the name up to its first colon, or the whole name: `hw` of `hw:1,0`, `dummy`, `-`. What follows the colon
/// belongs to the driver.
package struct DriverRegistry: Sendable {
  /// The kinds, in the order in which they are asked.
  package var kinds: [DriverKind]
  /// Serves the names that no other kind does.
  private let fallback: DriverKind

  /// A registry of some kinds, and one that serves all other names. [any]
  package init(_ kinds: [DriverKind], otherwise fallback: DriverKind) {
    self.kinds = kinds
    self.fallback = fallback
  }

  /// The scheme of a device's name. [any]
  package static func scheme(of device: String) -> String {
    String(device.prefix { $0 != ":" })
  }

  /// The kind that serves a device. [any]
  package func kind(of device: String) -> DriverKind { kind(index(of: device)) }

  /// The index of the kind that serves a device: that of the fallback follows those of the others.
  private func index(of device: String) -> Int {
    let scheme = Self.scheme(of: device)
    return kinds.firstIndex { $0.schemes.contains(scheme) } ?? kinds.count
  }

  private func kind(_ index: Int) -> DriverKind {
    index < kinds.count ? kinds[index] : fallback
  }

  /// Why the devices of a request cannot be combined; nil if they can. [any]
  package func conflict(in devices: [DeviceRequest]) -> DriverConflict? {
    let primary = devices.map(\.device).filter { kind(of: $0).openBeside == nil }
    // The device whose kind says why is named first.
    let named = primary.first { kind(of: $0).exclusion != nil } ?? primary.first
    guard let named, let other = primary.first(where: { index(of: $0) != index(of: named) }) else {
      return nil
    }
    return DriverConflict(device: named, other: other, exclusion: kind(of: named).exclusion)
  }

  /// Opens the devices of a request: with the driver of their kind, or with several where some run beside the others.
  ///
  /// - Throws: `DriverConflict`, or what a driver throws.
  /// - Thread: main.
  package func open(
    _ request: StreamRequest, _ context: DriverContext = DriverContext()
  ) throws -> any AudioDriver {
    let devices = request.inputs + request.outputs
    if let conflict = conflict(in: devices) { throw conflict }
    let used = devices.map { index(of: $0.device) }
    let beside = kinds.indices.filter { kinds[$0].openBeside != nil && used.contains($0) }
    // Without a device that clocks the graph one of the others has to.
    let primary = used.first { !beside.contains($0) } ?? beside.first ?? kinds.count
    var open = { try kind(primary).open(part(of: request, for: primary), context) }
    for index in beside where index != primary {
      guard let openBeside = kinds[index].openBeside else { continue }
      // Each opens those before it.
      open = { [open] in try openBeside(part(of: request, for: index), context, open) }
    }
    return try open()
  }

  /// A request for the devices of one kind alone.
  private func part(of request: StreamRequest, for kind: Int) -> StreamRequest {
    var request = request
    request.inputs.removeAll { index(of: $0.device) != kind }
    request.outputs.removeAll { index(of: $0.device) != kind }
    return request
  }
}

/// Two devices that cannot be combined, as the drivers of both would clock the graph.
package struct DriverConflict: Equatable {
  /// The device whose kind says why, or the first one.
  package let device: String
  /// A device of another kind.
  package let other: String
  /// Why, and what to do, as the rest of a sentence; nil if the kinds do not say.
  package let exclusion: String?

  package var description: String {
    "\(device) and \(other) cannot be combined: "
      + (exclusion
        ?? "each of them would clock the graph; name devices of one kind for both directions.")
  }
}

extension DriverConflict: HostError {
  /// The request, or what it names, is wrong.
  package var kind: ErrorKind { .usage }
}
