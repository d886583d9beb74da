// Options.swift: the options of driver-check. SPDX-License-Identifier: MIT

import ALSADriver
import AudioDriver

/// The command line of a run, without error messages: this program is only for tests.
struct Options {
  var request = StreamRequest()
  var seconds = 10.0
  /// A file whose appearance ends the run.
  var endFile: String?
  /// The access modes that may be used.
  var accesses = AccessMode.allCases
  /// The error message.
  var failed: String?

  init(_ arguments: [String]) {
    var rest = arguments[...]
    while let name = rest.popFirst() {
      guard let value = rest.popFirst() else {
        failed = "\(name) needs a value."
        return
      }
      take(name, value)
    }
  }

  private static func device(_ text: String) -> DeviceRequest {
    let spelling = DeviceSpecifier(text)
    return DeviceRequest(device: spelling?.device ?? text, channels: spelling?.channels)
  }

  private mutating func take(_ name: String, _ value: String) {
    switch name {
    case "--in": request.inputs.append(Self.device(value))
    case "--out": request.outputs.append(Self.device(value))
    case "--clock":
      guard let clock = DeviceRequest.Clock(rawValue: value) else {
        failed = "--clock \(value) is not known."
        return
      }
      for index in request.inputs.indices { request.inputs[index].clock = clock }
    case "--otherwise":
      for index in request.inputs.indices { request.inputs[index].fallbacks.append(value) }
      for index in request.outputs.indices { request.outputs[index].fallbacks.append(value) }
    case "--keep":
      for index in request.inputs.indices { request.inputs[index].keepsWhatRuns = value == "yes" }
      for index in request.outputs.indices {
        request.outputs[index].keepsWhatRuns = value == "yes"
      }
    case "--wait": request.waitsForDevice = value == "yes"
    case "--in-channels": request.inputChannelCount = Int(value)
    case "--out-channels": request.outputChannelCount = Int(value)
    case "--rate": request.sampleRateHz = Int(value)
    case "--period": request.periodFrames = Int(value)
    case "--periods": request.periodCount = Int(value)
    case "--format": request.format = value
    case "--access": accesses = AccessMode(rawValue: value).map { [$0] } ?? []
    case "--until": endFile = value
    case "--seconds": seconds = Double(value) ?? seconds
    default: failed = "\(name) is not known."
    }
  }
}
