// Drivers.swift: the drivers of this program. SPDX-License-Identifier: MIT

import ALSADriver
import AudioDriver
import DummyDriver
import PipeIO

extension DriverRegistry {
  /// Returns the device drivers, one per kind.
  ///
  /// ALSA opens every name that no other driver claims.
  static let devices = DriverRegistry(
    [
      DummyDriver.kind
    ],
    otherwise: ALSADriver.kind)

  /// Returns the device drivers and the driver of standard input and output.
  static func withStreams(_ options: StreamOptions = StreamOptions()) -> DriverRegistry {
    var registry = devices
    registry.kinds.append(StandardStream.kind(options))
    return registry
  }
}
