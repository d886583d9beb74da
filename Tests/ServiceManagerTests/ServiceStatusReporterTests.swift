// ServiceStatusReporterTests.swift: reports of a session to the journal and the service manager. SPDX-License-Identifier: MIT
// SPDX-License-Identifier: MIT

import ServiceManager
import Testing

@Suite struct `The status reporter of a service` {
  private static let second: UInt64 = 1_000_000_000

  private func reading(
    frames: UInt64, xruns: Int = 0, lost: Double = 0, faults: [String: String] = [:]
  ) -> ServiceStatusReporter.Reading {
    var reading = ServiceStatusReporter.Reading()
    reading.frameCount = frames
    reading.status = "at \(frames)"
    reading.xrunCount = xruns
    reading.lostSeconds = lost
    reading.faults = faults
    return reading
  }

  @Test func `reports readiness once, with the first rendered frames`() {
    var watch = ServiceStatusReporter(watchdog: nil)
    #expect(watch.take(reading(frames: 0), nanoseconds: 1).messages == [])
    #expect(watch.take(reading(frames: 64), nanoseconds: 2).messages == [.ready(status: "at 64")])
    #expect(watch.take(reading(frames: 128), nanoseconds: 3).messages == [])
  }

  @Test func `reports the status every few seconds`() {
    var watch = ServiceStatusReporter(watchdog: nil)
    _ = watch.take(reading(frames: 1), nanoseconds: 0)
    #expect(watch.take(reading(frames: 2), nanoseconds: 4 * Self.second).messages == [])
    #expect(
      watch.take(reading(frames: 3), nanoseconds: 5 * Self.second).messages == [.status("at 3")])
    #expect(watch.take(reading(frames: 4), nanoseconds: 9 * Self.second).messages == [])
  }

  @Test func `reports the status also before it is ready`() {
    var watch = ServiceStatusReporter(watchdog: nil)
    let first = watch.take(
      reading(frames: 0, faults: ["hw:USB": "There is no device hw:USB."]), nanoseconds: 1)
    #expect(first.messages == [.status("at 0")])
    #expect(
      watch.take(
        reading(frames: 0, faults: ["hw:USB": "There is no device hw:USB."]),
        nanoseconds: 6 * Self.second
      ).messages == [.status("at 0")])
  }

  @Test func `pings the manager's watchdog`() {
    let environment = ["WATCHDOG_USEC": "2000000"]
    var watch = ServiceStatusReporter(watchdog: Watchdog(environment: { environment[$0] }))
    #expect(
      watch.take(reading(frames: 1), nanoseconds: Self.second).messages
        == [.ready(status: "at 1"), .watchdog])
    #expect(watch.take(reading(frames: 1), nanoseconds: 3 * Self.second).messages == [])
    #expect(watch.take(reading(frames: 2), nanoseconds: 4 * Self.second).messages == [.watchdog])
  }

  @Test func `a device that disappears and returns is reported once each`() {
    var watch = ServiceStatusReporter(watchdog: nil)
    let gone = "The device hw:USB was disconnected."
    _ = watch.take(reading(frames: 1), nanoseconds: 0)
    let first = watch.take(reading(frames: 2, faults: ["hw:USB": gone]), nanoseconds: 1)
    #expect(first.lines == [.init(.warning, gone)])
    #expect(first.messages == [.status("at 2")])
    #expect(watch.take(reading(frames: 3, faults: ["hw:USB": gone]), nanoseconds: 2).lines == [])
    #expect(
      watch.take(reading(frames: 4), nanoseconds: 3).lines
        == [.init(.notice, "The device hw:USB was reconnected.")])
    #expect(watch.take(reading(frames: 5), nanoseconds: 4).lines == [])
  }

  @Test func `many xruns are one line every ten seconds, with their number`() {
    var watch = ServiceStatusReporter(watchdog: nil)
    _ = watch.take(reading(frames: 1), nanoseconds: 0)
    var lines: [ServiceStatusReporter.Line] = []
    for tick in 1 ... 201 {
      let reading = reading(frames: 1, xruns: tick, lost: Double(tick) * 0.003)
      lines += watch.take(reading, nanoseconds: UInt64(tick) * Self.second / 10).lines
    }
    #expect(
      lines == [
        .init(.warning, "1 xrun, 3 ms lost."), .init(.warning, "100 xruns, 300 ms lost."),
        .init(.warning, "100 xruns, 300 ms lost."),
      ])
  }

  @Test func `the last xruns of a burst are reported when the interval has ended`() {
    var xruns = XrunReporter(intervalNanoseconds: Self.second)
    #expect(xruns.line(0, 0, nanoseconds: 1) == nil)
    #expect(xruns.line(2, 0.004, nanoseconds: 2) == "2 xruns, 4 ms lost.")
    #expect(xruns.line(7, 0.010, nanoseconds: Self.second) == nil)
    #expect(xruns.line(7, 0.010, nanoseconds: Self.second + 2) == "5 xruns, 6 ms lost.")
    #expect(xruns.line(7, 0.010, nanoseconds: 9 * Self.second) == nil)
  }

  @Test func `each line of a text has its priority`() {
    #expect(JournalLine.text("one\ntwo", .warning) == "<4>one\n<4>two")
    #expect(JournalLine.text("gone", .error) == "<3>gone")
  }
}
