// ControllerLink.swift: the MIDI devices whose controls are mapped. SPDX-License-Identifier: MIT

package import ErrorModel

/// A message from a MIDI device.
package struct ControllerMessage: Sendable, Equatable {
  /// When it arrived, CLOCK_MONOTONIC in nanoseconds.
  package var time: UInt64
  /// The name of the device, and of its port.
  package var device: String
  /// A complete message without running status.
  package var bytes: [UInt8]

  /// Creates a message.
  package init(time: UInt64, device: String, bytes: [UInt8]) {
    (self.time, self.device, self.bytes) = (time, device, bytes)
  }
}

/// The devices to connect.
package struct ControllerRequest: Sendable, Equatable {
  /// The names of devices, present or not.
  package var devices: Set<String>
  /// Whether all hardware devices are connected too.
  package var includesHardware: Bool

  /// Creates a request.
  package init(devices: Set<String>, includesHardware: Bool) {
    (self.devices, self.includesHardware) = (devices, includesHardware)
  }
}

/// An open connection to MIDI devices, which come and go.
package protocol ControllerLink: AnyObject {
  /// Sends a message to the device with this name, as `ControllerMessage` has it; does not wait. [any]
  func send(_ bytes: [UInt8], to device: String)
  /// Returns the notices about devices that were connected or disconnected since the last call. [main]
  func takeNotices() -> [HostNotice]
  /// Ends the connection. [main]
  func stop()
}

/// Opens a link that passes each message to a function, on its own thread.
package typealias ControllerOpener = (
  ControllerRequest, @escaping @Sendable (ControllerMessage) -> Void
) throws -> any ControllerLink
