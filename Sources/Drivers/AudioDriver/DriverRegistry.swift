// DriverRegistry.swift: finds the driver of a device by its name. SPDX-License-Identifier: MIT

package import ErrorModel

/// The kinds of driver that a program has, found by the scheme of a device's name.
///
/// A scheme is the name up to its first colon, or the whole name: `hw` of `hw:1,0`, `dummy`, `-`.
/// The text after the colon belongs to the driver.
package struct DriverRegistry: Sendable {
  /// The kinds, in the order in which they are searched.
  package var kinds: [DriverKind]
  /// Serves the names that no other kind serves.
  private let fallback: DriverKind

  /// Creates a registry of kinds, and one that serves all other names. [any]
  package init(_ kinds: [DriverKind], otherwise fallback: DriverKind) {
    self.kinds = kinds
    self.fallback = fallback
  }

  /// Returns the scheme of a device name. [any]
  package static func scheme(of device: String) -> String {
    String(device.prefix { $0 != ":" })
  }

  /// Returns the kind that serves a device. [any]
  package func kind(of device: String) -> DriverKind { kind(index(of: device)) }

  /// Returns the index of the kind that serves a device; the index of the fallback follows the
  /// others.
  private func index(of device: String) -> Int {
    let scheme = Self.scheme(of: device)
    return kinds.firstIndex { $0.schemes.contains(scheme) } ?? kinds.count
  }

  private func kind(_ index: Int) -> DriverKind {
    index < kinds.count ? kinds[index] : fallback
  }

  /// Returns the error if the devices of a request cannot be combined; otherwise nil. [any]
  package func conflict(in devices: [DeviceRequest]) -> DriverConflict? {
    let primary = devices.map(\.device).filter { kind(of: $0).openPaired == nil }
    // The device whose kind has a reason is named first.
    let named = primary.first { kind(of: $0).exclusion != nil } ?? primary.first
    guard let named, let other = primary.first(where: { index(of: $0) != index(of: named) }) else {
      return nil
    }
    return DriverConflict(device: named, other: other, exclusion: kind(of: named).exclusion)
  }

  /// Opens the devices of a request with the driver of their kind, or with several drivers if some
  /// run together.
  ///
  /// - Throws: `DriverConflict`, or an error of a driver.
  /// - Thread: main.
  package func open(
    _ request: StreamRequest, _ context: DriverContext = DriverContext()
  ) throws -> any AudioDriver {
    let devices = request.inputs + request.outputs
    if let conflict = conflict(in: devices) { throw conflict }
    let used = devices.map { index(of: $0.device) }
    let pairedKinds = kinds.indices.filter { kinds[$0].openPaired != nil && used.contains($0) }
    // If no device clocks the graph, one of the others must.
    let primary = used.first { !pairedKinds.contains($0) } ?? pairedKinds.first ?? kinds.count
    var open = { try kind(primary).open(part(of: request, for: primary), context) }
    for index in pairedKinds where index != primary {
      guard let openPaired = kinds[index].openPaired else { continue }
      // Each driver opens the ones before it.
      open = { [open] in try openPaired(part(of: request, for: index), context, open) }
    }
    return try open()
  }

  /// Returns a request for the devices of one kind only.
  private func part(of request: StreamRequest, for kind: Int) -> StreamRequest {
    var request = request
    request.inputs.removeAll { index(of: $0.device) != kind }
    request.outputs.removeAll { index(of: $0.device) != kind }
    return request
  }
}

/// Two devices that cannot be combined, because both drivers would clock the graph.
package struct DriverConflict: Equatable {
  /// The device whose kind has the reason, or the first one.
  package let device: String
  /// A device of another kind.
  package let other: String
  /// The end of the message: the reason and the fix; nil if the kinds have none.
  package let exclusion: String?

  package var description: String {
    "\(device) and \(other) cannot be combined: "
      + (exclusion
        ?? "each would clock the graph. Use devices of one kind for both directions.")
  }
}

extension DriverConflict: HostError {
  /// Driver conflicts are errors of the request.
  package var kind: ErrorKind { .usage }
}
