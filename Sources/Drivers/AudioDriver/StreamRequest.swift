// StreamRequest.swift: what a user asks of devices. SPDX-License-Identifier: MIT

/// The settings requested of a driver.
///
/// The devices and the driver choose settings that are nil.
package struct StreamRequest: Sendable, Equatable {
  /// The capture devices; the graph's input channels are theirs, one device after the other.
  package var inputs: [DeviceRequest] = []
  /// The playback devices; the graph's output channels go to them, one device after the other.
  package var outputs: [DeviceRequest] = []
  /// The sample rate in Hz.
  ///
  /// If it is set, the graph keeps this rate even if the devices change.
  package var sampleRateHz: Int?
  /// Frames in a period.
  package var periodFrames: Int?
  /// Periods in a device's buffer, at least 2.
  package var periodCount: Int?
  /// Whether a device that is missing is waited for; else that is an error.
  package var waitsForDevice = false
  /// Whether noise is added before rounding to 16 bits or fewer, which turns distortion into hiss.
  package var isDithered = false

  /// Nothing asked, no device.
  package init() {}
}

// The usual case: one device each way.
extension StreamRequest {
  /// The name of the first capture device; nil for no input.
  package var inputDevice: String? {
    get { inputs.first?.device }
    set { Self.name(&inputs, newValue) }
  }

  /// The name of the first playback device; nil for no output.
  package var outputDevice: String? {
    get { outputs.first?.device }
    set { Self.name(&outputs, newValue) }
  }

  /// How many channels of the first capture device are used.
  package var inputChannelCount: Int? {
    get { inputs.first?.channelCount }
    set { if !inputs.isEmpty { inputs[0].channelCount = newValue } }
  }

  /// How many channels of the first playback device are used.
  package var outputChannelCount: Int? {
    get { outputs.first?.channelCount }
    set { if !outputs.isEmpty { outputs[0].channelCount = newValue } }
  }

  /// The sample format of all devices, where they are asked for the same one.
  package var format: String? {
    get {
      let formats = Set((inputs + outputs).map(\.format))
      return formats.count == 1 ? formats.first ?? nil : nil
    }
    set {
      for index in inputs.indices { inputs[index].format = newValue }
      for index in outputs.indices { outputs[index].format = newValue }
    }
  }

  private static func name(_ devices: inout [DeviceRequest], _ name: String?) {
    guard let name else { return devices = [] }
    if devices.isEmpty { devices = [DeviceRequest(device: name)] } else { devices[0].device = name }
  }
}
