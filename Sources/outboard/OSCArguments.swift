// OSCArguments.swift: the options of the OSC interface. SPDX-License-Identifier: MIT

import ArgumentParser
import OSC
import WebServer

/// Options of the OSC interface.
struct OSCArguments: ParsableArguments {
  @Option(
    defaultAsFlag: ListenAddress.loopbackWord,
    help: ArgumentHelp("Receive OSC: a port, address:port, or lan.", valueName: "address"))
  var osc: String?

  /// Reserves the port; returns nil if OSC is not requested.
  ///
  /// Throws `ListenError`.
  func prepare() throws -> PreparedOSCServer? {
    try osc.map { try PreparedOSCServer(try ListenAddress($0, for: .osc)) }
  }
}
