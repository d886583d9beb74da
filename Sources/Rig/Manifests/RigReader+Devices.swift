// RigReader+Devices.swift: a rig's input and output. SPDX-License-Identifier: MIT

extension RigReader {
  private static let deviceKeys = ["device", "channels", "format"]
  private static let channelCounts = 1 ... 64
  private static let formats = [
    "S16", "S24_3", "S24", "S32", "FLOAT", "S16_BE", "S24_3_BE", "S24_BE", "S32_BE", "FLOAT_BE",
  ]

  /// The device that `input` or `output` describes; nil for none.
  static func readDevice(_ field: ManifestField) -> RigDevice? {
    let cursor = field.value
    let expected = Expectation(
      what: "a device, \"none\" or a mapping", example: "\(field.key): default")
    switch cursor.node.content {
    case .text:
      guard let device = cursor.text(expected), device != "none" else { return nil }
      return RigDevice(device: device, position: cursor.node.position)
    case .mapping:
      return cursor.fields(known: deviceKeys, expected).map(readDevice)
    case .nothing, .list:
      _ = cursor.text(expected)
      return nil
    }
  }

  private static func readDevice(_ fields: ManifestFields) -> RigDevice {
    let name = Expectation(what: "the name of a device", example: "device: default")
    let channels = Expectation(what: "a whole number of channels", example: "channels: 2")
    let format = Expectation(what: "a sample format", example: "format: S16")
    return RigDevice(
      device: fields["device"]?.text(name) ?? "default",
      channelCount: fields["channels"]?.integer(in: channelCounts, channels),
      format: fields["format"]?.word(among: formats, format),
      position: fields["device"]?.node.position ?? fields.owner.node.position)
  }
}
