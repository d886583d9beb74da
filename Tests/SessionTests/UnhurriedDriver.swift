// UnhurriedDriver.swift: a clock whose late blocks are no xruns. SPDX-License-Identifier: MIT

import AudioDriver
import DummyDriver
import RealtimeKit

/// The dummy driver, which does not report late blocks.
///
/// A busy machine delays blocks of any test. Sessions would report them, and advise about overload. Tests that compare
/// the messages of a session use this driver.
final class UnhurriedDriver: AudioDriver {
  private let driver: DummyDriver

  init(request: StreamRequest) throws { driver = try DummyDriver(request: request) }

  var stream: StreamDescription { driver.stream }
  var status: DriverStatus {
    var status = driver.status
    (status.xrunCount, status.lostSeconds) = (0, 0)
    return status
  }
  func start(_ renderer: Renderer) throws { try driver.start(renderer) }
  func stop() { driver.stop() }
}
