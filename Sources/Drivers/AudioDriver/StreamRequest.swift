// StreamRequest.swift: the settings requested of a driver. SPDX-License-Identifier: MIT

/// The settings requested of a driver.
///
/// The devices and the driver choose settings that are nil.
package struct StreamRequest: Sendable, Equatable {
  /// The period of a request that names none, in frames.
  package static let defaultPeriodFrames = 256

  /// The capture devices; their channels are the graph's inputs, one device after another.
  package var inputs: [DeviceRequest] = []
  /// The playback devices; their channels are the graph's outputs, one device after another.
  package var outputs: [DeviceRequest] = []
  /// The sample rate in Hz.
  ///
  /// If it is set, the graph keeps this rate even if the devices change.
  package var sampleRateHz: Int?
  /// The period, in frames.
  package var periodFrames: Int?
  /// The number of periods in a device's buffer, at least 2.
  package var periodCount: Int?
  /// Whether a missing device is waited for; otherwise it is an error.
  package var waitsForDevice = false
  /// Whether samples with 16 bits or fewer are dithered, which replaces distortion by noise.
  package var isDithered = false

  /// Creates a request without devices.
  package init() {}
}

// For the usual case: one device for each direction.
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

  /// The number of used channels of the first capture device.
  package var inputChannelCount: Int? {
    get { inputs.first?.channelCount }
    set { if !inputs.isEmpty { inputs[0].channelCount = newValue } }
  }

  /// The number of used channels of the first playback device.
  package var outputChannelCount: Int? {
    get { outputs.first?.channelCount }
    set { if !outputs.isEmpty { outputs[0].channelCount = newValue } }
  }

  /// The sample format of all devices, if it is the same.
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
