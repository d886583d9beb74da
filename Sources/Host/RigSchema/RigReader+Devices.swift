// RigReader+Devices.swift: a rig's inputs and outputs. SPDX-License-Identifier: MIT

import AudioDriver
import Manifests
import PluginModel

extension RigReader {
  private static let deviceKeys = [
    "device", "channels", "format", "clock", "fallback", "keep_fallback",
  ]
  private static let channelCounts = 1 ... 64

  /// Reads the devices of `input` or `output`; returns an empty list for none.
  static func readDevices(_ field: ManifestField) -> [RigDevice] {
    guard case .list = field.value.node.content else {
      return readDevice(field.value, field.key).map { [$0] } ?? []
    }
    let expected = ExpectedValue(
      what: "a list of devices", example: "\(field.key): [\"hw:1,0\", \"hw:2,0\"]")
    return (field.value.items(expected) ?? []).compactMap { readDevice($0, field.key) }
  }

  private static func readDevice(_ cursor: ManifestCursor, _ key: String) -> RigDevice? {
    let expected = ExpectedValue(
      what: "a device, \"none\" or a mapping", example: "\(key): default")
    switch cursor.node.content {
    case .text:
      guard let text = cursor.text(expected), text != "none",
        let spelling = readSpelling(text, cursor)
      else { return nil }
      return RigDevice(
        DeviceRequest(device: spelling.device, channels: spelling.channels),
        position: cursor.node.position)
    case .mapping:
      return cursor.fields(known: deviceKeys, expected).map(readDevice)
    case .nothing, .list:
      _ = cursor.text(expected)
      return nil
    }
  }

  private static func readDevice(_ fields: ManifestFields) -> RigDevice {
    let name = ExpectedValue(what: "the name of a device", example: "device: default")
    let clock = ExpectedValue(what: "a clock mode", example: "clock: independent")
    var request = DeviceRequest(device: "default")
    if let cursor = fields["device"], let text = cursor.text(name),
      let spelling = readSpelling(text, cursor)
    {
      (request.device, request.channels) = (spelling.device, spelling.channels)
    }
    readChannels(fields["channels"], into: &request)
    request.format = readFormat(fields["format"])
    if let word = fields["clock"]?.word(
      among: DeviceRequest.Clock.allCases.map(\.rawValue), clock)
    {
      request.clock = DeviceRequest.Clock(rawValue: word) ?? .automatic
    }
    request.fallbacks = readAlternatives(fields["fallback"])
    request.keepsWhatRuns =
      fields["keep_fallback"]?.boolean(
        example: "keep_fallback: true") ?? false
    return RigDevice(
      request, position: fields["device"]?.node.position ?? fields.owner.node.position)
  }

  /// Reads a device name with an optional list of channels.
  private static func readSpelling(_ text: String, _ cursor: ManifestCursor) -> DeviceSpecifier? {
    let spelling = DeviceSpecifier(text)
    if spelling == nil { cursor.report(.broken(rule: DeviceSpecifier.rule(text))) }
    return spelling
  }

  /// A number of channels, or which ones: `2`, `3-4`, `[3, 4]`.
  private static func readChannels(_ cursor: ManifestCursor?, into request: inout DeviceRequest) {
    guard let cursor else { return }
    let count = ExpectedValue(what: "a number or a list of channels", example: "channels: 3-4")
    if case .list = cursor.node.content {
      let numbers = ExpectedValue(what: "a channel's number", example: "channels: [3, 4]")
      let range = 1 ... DeviceSpecifier.highestChannel
      request.channels = cursor.items(count)?.compactMap { item in
        item.integer(in: range, numbers).map { $0 - 1 }
      }
    } else if case .text(let text, _) = cursor.node.content,
      text.contains("-") || text.contains(","),
      let channels = DeviceSpecifier.channels(text)
    {
      request.channels = channels
    } else {
      request.channelCount = cursor.integer(in: channelCounts, count)
    }
  }

  /// A sample format, in any letter case, by our name or ALSA's.
  private static func readFormat(_ cursor: ManifestCursor?) -> String? {
    let expected = ExpectedValue(what: "a sample format", example: "format: S16")
    guard let cursor, let text = cursor.text(expected) else { return nil }
    if let format = DeviceFormat(name: text) { return format.rawValue }
    let names = DeviceFormat.names
    cursor.report(
      .unknownWord(
        found: text, suggestion: nearest(to: text, among: names), known: names))
    return nil
  }

  private static func readAlternatives(_ cursor: ManifestCursor?) -> [String] {
    guard let cursor else { return [] }
    let expected = ExpectedValue(
      what: "a device, or a list of them", example: "fallback: default")
    guard case .list = cursor.node.content else { return cursor.text(expected).map { [$0] } ?? [] }
    return cursor.items(expected)?.compactMap { $0.text(expected) } ?? []
  }
}

extension DeviceSpecifier {
  /// Returns the message about an invalid text, with how to fix it. [any]
  package static func rule(_ text: String) -> String {
    "\"\(text)\" has no valid channels. Channels are numbered from 1, as in hw:1,0:3-4 or hw:1,0:2,1."
  }
}
