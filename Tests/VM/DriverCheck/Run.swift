// Run.swift: one run of the ALSA driver. SPDX-License-Identifier: MIT

import ALSADriver
import AudioDriver
import Glibc
import RealtimeKit
import RenderGraph
import Synchronization

/// A run of the driver with a straight-through graph.
enum Run {
  /// Runs, prints one line of JSON, and returns the exit status.
  static func run(_ options: Options) -> Int32 {
    if let failed = options.failed {
      print(failed)
      return 2
    }
    do {
      let driver = try ALSADriver(request: options.request, accesses: options.accesses)
      var engine = try engine(for: driver.stream)
      try driver.start(engine.renderer)
      report("started", driver, engine, tookSeconds: 0)
      let began = now()
      var states: [DeviceStatus.State] = []
      var xrunCount = 0
      var excess = Excess()
      while now() - began < options.seconds, driver.failure == nil, !isEnded(options) {
        usleep(50_000)
        driver.supervise()
        excess.add(driver.status.devices.compactMap(\.excessFrames), seconds: now() - began)
        if driver.status.devices.map(\.state) != states {
          states = driver.status.devices.map(\.state)
          report("devices", driver, engine, tookSeconds: 0)
        }
        if driver.status.xrunCount != xrunCount {
          xrunCount = driver.status.xrunCount
          report("xrun", driver, engine, tookSeconds: 0)
        }
        guard driver.deviceRateHz != nil else { continue }
        engine = try Self.engine(for: driver.stream)
        try driver.start(engine.renderer)
        report("rate", driver, engine, tookSeconds: 0)
      }
      let stopping = now()
      driver.stop()
      excess.report()
      report("stopped", driver, engine, tookSeconds: now() - stopping)
      return driver.failure?.exitStatus ?? 0
    } catch let error as ALSADriverError {
      print(error)
      return error.exitStatus
    } catch {
      print(error)
      return 1
    }
  }

  private static func isEnded(_ options: Options) -> Bool {
    options.endFile.map { access($0, F_OK) == 0 } ?? false
  }

  private static func engine(for stream: StreamDescription) throws -> Engine {
    let engine = Engine(
      Engine.Settings(
        inputChannelCount: stream.inputChannelCount, outputChannelCount: stream.outputChannelCount,
        maximumFrameCount: stream.periodFrames, sampleRateHz: stream.sampleRateHz,
        startsFadedOut: false))
    engine.install(try GraphCompiler.compile(straightThrough(engine), for: engine))
    return engine
  }

  private static func straightThrough(_ engine: Engine) throws -> Graph {
    let inputs = engine.settings.inputChannelCount
    let outputs = engine.settings.outputChannelCount
    var graph = Graph(inputChannelCount: inputs, outputChannelCount: outputs)
    for channel in 0 ..< min(inputs, outputs) {
      try graph.connect(.input(channel: channel), to: .output(channel: channel))
    }
    return graph
  }

  private static func report(
    _ event: String, _ driver: ALSADriver, _ engine: Engine, tookSeconds: Double
  ) {
    let status = driver.status
    let stream = driver.stream
    let fields: [(String, String)] = [
      ("event", quoted(event)),
      ("time", "\(now())"),
      ("xruns", "\(status.xrunCount)"),
      ("lost", "\(status.lostSeconds)"),
      ("clipped", "\(status.clippedSampleCount)"),
      ("frames", "\(engine.pointer.pointee.frameCount.load(ordering: .relaxed))"),
      ("inputPeak", "\(peak(engine.pointer.pointee.inputMeter))"),
      ("outputPeak", "\(peak(engine.pointer.pointee.outputMeter))"),
      ("rate", "\(Int(stream.sampleRateHz))"),
      ("period", "\(stream.periodFrames)"),
      ("linked", "\(stream.isLinked)"),
      ("input", describe(stream.input)),
      ("output", describe(stream.output)),
      ("took", "\(tookSeconds)"),
      ("notes", "[\(stream.notes.map(quoted).joined(separator: ","))]"),
      ("warnings", "[\(driver.warnings.map(quoted).joined(separator: ","))]"),
      (
        "devices",
        "[\(status.devices.map { quoted("\($0.device) \($0.state.rawValue)") }.joined(separator: ","))]"
      ),
      (
        "reasons",
        "[\(status.devices.map { quoted($0.reason ?? "") }.joined(separator: ","))]"
      ),
      (
        "places",
        "[\(status.devices.map { quoted($0.currentName ?? "") }.joined(separator: ","))]"
      ),
      (
        "drift",
        "[\(status.devices.map { $0.driftPPM.map { "\($0)" } ?? "null" }.joined(separator: ","))]"
      ),
      (
        "resynchronised",
        "[\(status.devices.map { "\($0.resyncCount)" }.joined(separator: ","))]"
      ),
      ("roundTrip", stream.roundTripFrames.map { "\($0)" } ?? "null"),
      ("failure", status.failure.map(quoted) ?? "null"),
    ]
    print("{\(fields.map { "\(quoted($0.0)):\($0.1)" }.joined(separator: ","))}")
    fflush(nil)
  }

  /// The highest level of any channel since the last report.
  private static func peak(_ meter: borrowing PeakMeter) -> Float {
    var highest: Float = 0
    for channel in 0 ..< meter.channelCount { highest = max(highest, meter.take(channel)) }
    return highest
  }

  private static func describe(_ side: DeviceStream?) -> String {
    guard let side else { return "null" }
    return quoted("\(side.name) \(side.format) \(side.channelCount) ch \(side.bufferFrames)")
  }

  private static func quoted(_ text: String) -> String { "\"\(text)\"" }

  private static func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}

/// The number of excess frames, printed for each ten seconds.
private struct Excess {
  private var parts: [Int: (least: Double, most: Double)] = [:]

  mutating func add(_ values: [Double], seconds: Double) {
    let part = Int(seconds / 10)
    for value in values {
      let seen = parts[part] ?? (value, value)
      parts[part] = (min(seen.least, value), max(seen.most, value))
    }
  }

  func report() {
    for (part, seen) in parts.sorted(by: { $0.key < $1.key }) {
      print("excess", part * 10, seen.least, seen.most)
    }
  }
}

/// The list of the devices.
enum Devices {
  /// Prints a line for each direction of each device.
  static func print() {
    for device in ALSADevices.all() {
      let sides = [("in", device.input), ("out", device.output)]
      for (word, side) in sides {
        guard let side else { continue }
        let state = side.isBusy ? "busy: \(side.holders.joined(separator: ", "))" : "free"
        Swift.print(
          device.name, device.shortName, word, device.cardName, device.deviceName,
          side.rates, side.formats.joined(separator: " "), side.channels, side.periodFrames, state,
          device.isDefault ? "default" : "", separator: "|")
      }
    }
  }
}
