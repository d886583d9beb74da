// StandardStream.swift: which devices of a request are standard input and output. SPDX-License-Identifier: MIT

package import AudioDriver
import Glibc

/// Standard input or output in the place of a device: `-`.
package enum StandardStream {
  /// What it is called among devices.
  package static let name = "-"

  /// The request of the devices of a direction that are cards, and that of the stream. [any]
  package static func part(
    _ devices: [DeviceRequest]
  ) -> (cards: [DeviceRequest], stream: DeviceRequest?) {
    (devices.filter { $0.device != name }, devices.first { $0.device == name })
  }

  /// Returns whether a descriptor is a file, not a pipe, terminal or device.
  static func isFile(_ descriptor: Int32) -> Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// What is wrong with streams among the devices of a direction, as one sentence; nil for nothing.
  ///
  /// `option` is what the command line calls the direction. [any]
  package static func fault(in devices: [DeviceRequest], option: String) -> String? {
    let stands = devices.indices.filter { devices[$0].device == name }
    guard let place = stands.first else { return nil }
    if stands.count > 1 { return "Only one \(option) - is allowed. Remove the other one." }
    if place < devices.count - 1 {
      return "- must be the last of several \(option), because its channels follow those of the "
        + "cards."
    }
    if devices[place].channels != nil {
      return
        "- always has all channels of its stream. Select channels with connections in a rig."
    }
    return nil
  }
}
