// Drivers.swift: the drivers that this program has. SPDX-License-Identifier: MIT

import ALSADriver
import AudioDriver
import DummyDriver
import PipeIO

extension DriverRegistry {
  /// The drivers of devices, a line for each kind.
  ///
  /// ALSA serves all names that no other kind does, so the grammar of its names is its own.
  static let devices = DriverRegistry(
    [
      DummyDriver.kind
    ],
    otherwise: ALSADriver.kind)

  /// The same with standard input and output.
  static func withStreams(_ options: StreamOptions = StreamOptions()) -> DriverRegistry {
    var registry = devices
    registry.kinds.append(StandardStream.kind(options))
    return registry
  }
}
