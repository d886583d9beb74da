// StandardStream.swift: finds standard input and output among requested devices.
// SPDX-License-Identifier: MIT

package import AudioDriver
import Glibc

/// Standard input or output as a device: `-`.
package enum StandardStream {
  /// The device name of standard input and output.
  package static let name = "-"

  /// Splits the devices of a direction into cards and the stream. [any]
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

  /// Returns a message if the devices of a direction contain an invalid stream; otherwise nil.
  /// [any]
  ///
  /// `option` is the command-line option of the direction.
  package static func fault(in devices: [DeviceRequest], option: String) -> String? {
    let indices = devices.indices.filter { devices[$0].device == name }
    guard let index = indices.first else { return nil }
    if indices.count > 1 { return "Only one \(option) - is allowed. Remove the other one." }
    if index < devices.count - 1 {
      return "- must be the last of several \(option), because its channels follow those of the "
        + "cards."
    }
    if devices[index].channels != nil {
      return
        "- always has all channels of its stream. Select channels with connections in a rig."
    }
    return nil
  }
}
