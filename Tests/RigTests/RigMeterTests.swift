// RigMeterTests.swift: meters in a rig. SPDX-License-Identifier: MIT

import Metering
import PluginModel
import RigTestSupport
import Testing

@Suite struct RigMeterTests {
  private func rig(_ node: String) -> String {
    "nodes:\n  eye: {\(node)}\nconnections: [in -> eye, eye -> out]"
  }

  private func mistake(_ node: String) throws -> String {
    try RigTestEnvironment().mistake(rig(node))
  }

  @Test func `a meter's settings are in its description, with a log path relative to the rig`()
    throws
  {
    let workshop = try RigTestEnvironment()
    let plain = try workshop.find(rig("builtin: meter"))
    #expect(plain.map(MeterSettings.init) == [MeterSettings(channelCount: 2)])
    #expect(plain[0].audioInputs.map(\.symbol) == ["in_1", "in_2"])
    #expect(plain[0].audioOutputs.map(\.symbol) == ["out_1", "out_2"])
    var log = LevelLogSettings(path: workshop.path + "/logs/hall.csv")
    log.intervalSeconds = 60
    log.rotation = .bytes(10_000_000)
    log.keptCount = 5
    let logging = try workshop.find(
      rig(
        "builtin: meter, channels: 6, log: logs/hall.csv, interval: 1 min, rotate: 10 MB, "
          + "keep_files: 5"
      ))
    #expect(logging.map(MeterSettings.init) == [MeterSettings(channelCount: 6, log: log)])
  }

  @Test func `an invalid meter setting is reported with its location`() throws {
    let place = "stage.yaml:3: nodes.eye"
    #expect(
      try mistake("builtin: meter, log: levels.txt")
        == "\(place).log: The log levels.txt has no known extension. Use .jsonl for lines of JSON "
        + "or"
        + " .csv for a table.")
    #expect(
      try mistake("builtin: meter, interval: 5 s")
        == "\(place).interval: interval needs a log file. Add one, e.g. log: levels.jsonl.")
    #expect(
      try mistake("builtin: meter, log: a.csv, rotate: weekly")
        == "\(place).rotate: \"weekly\" is not a rotation interval. Use hour, day, or a"
        + " size of at least 4 kB, e.g. rotate: 10 MB.")
    for (wrong, key) in [
      ("interval: 0 s", "interval"), ("interval: 5 Hz", "interval"),
      ("keep_files: 0", "keep_files"),
      ("channels: 65", "channels"), ("file: a.wav", "file"),
    ] {
      let message = try mistake("builtin: meter, log: a.csv, \(wrong)")
      #expect(message.hasPrefix("\(place).\(key): "), "\(message)")
    }
    #expect(
      try mistake("builtin: meter, log: a.csv, interval: often")
        == "\(place).interval: \"often\" is not an interval. Write a time, e.g. interval: 10 s."
    )
  }
}
