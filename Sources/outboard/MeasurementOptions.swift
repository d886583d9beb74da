// MeasurementOptions.swift: the devices of `latency` and `find-period`. SPDX-License-Identifier: MIT

import ALSADriver
import ArgumentParser
import AudioDriver
import RigSchema

/// Options for the devices to measure, their rate and format.
struct MeasurementOptions: ParsableArguments {
  @Option(
    name: .customLong("in"),
    help: ArgumentHelp("Capture device, e.g. hw:1,0:3.", valueName: "device"))
  var input: String?
  @Option(
    name: .customLong("out"),
    help: ArgumentHelp("Playback device, e.g. hw:1,0:3.", valueName: "device"))
  var output: String?
  @Option(help: ArgumentHelp("Sample rate in Hz.", valueName: "hz"))
  var rate: Int?
  @Option(help: ArgumentHelp("Device sample format, e.g. S16, S24_3, FLOAT.", valueName: "format"))
  var format: String?

  func validate() throws {
    try OptionRanges.check("rate", rate, 1_000 ... 768_000)
    for text in [input, output].compactMap(\.self) where DeviceSpecifier(text) == nil {
      throw ValidationError(DeviceSpecifier.rule(text))
    }
  }

  /// Returns the driver configuration.
  ///
  /// `defaultDevice` is the device for both directions if none is named.
  func request(defaultDevice: String) -> StreamRequest {
    var request = StreamRequest()
    request.inputs = devices(input ?? defaultDevice)
    request.outputs = devices(output ?? defaultDevice)
    request.sampleRateHz = rate
    return request
  }

  private func devices(_ text: String) -> [DeviceRequest] {
    guard text != "none", let spelling = DeviceSpecifier(text) else { return [] }
    return [
      DeviceRequest(device: spelling.device, channels: spelling.channels, format: format)
    ]
  }
}

extension OptionRanges {
  /// Rejects an integer outside its range.
  static func check(_ name: String, _ value: Int?, _ range: ClosedRange<Int>) throws {
    guard let value, !(range ~= value) else { return }
    throw ValidationError(
      "--\(name) \(value) is out of range (\(range.lowerBound) to \(range.upperBound)).")
  }

  /// Rejects a number outside its range, with its unit in the message.
  static func check(
    _ name: String, _ value: Double, _ range: ClosedRange<Double>, _ unit: String
  ) throws {
    guard !(range ~= value) else { return }
    func text(_ number: Double) -> String { "\(Int(number))" }
    throw ValidationError(
      "--\(name) \(value) is out of range (\(text(range.lowerBound)) to"
        + " \(text(range.upperBound)) \(unit)).")
  }
}
