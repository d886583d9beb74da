// DeviceRequest.swift: a requested device and its channels. SPDX-License-Identifier: MIT

/// A device and its requested settings.
///
/// The device and the driver choose settings that are nil.
package struct DeviceRequest: Sendable, Equatable {
  /// Whether a device shares the clock of the first device.
  package enum Clock: String, Sendable, CaseIterable {
    /// Devices of the same card share a clock, those of different cards do not.
    case automatic = "auto"
    /// A clock cable connects it to the first device: it is never resampled.
    case shared
    /// The device has an independent clock, even on the same card.
    ///
    /// It is resampled.
    case independent
  }

  /// The name that it is opened by, for example `hw:1,0` or `default`.
  package var device: String
  /// The channels in use, counted from 0, in the order of the graph's channels; nil for the first
  /// ones.
  package var channels: [Int]?
  /// The number of channels in use; nil if `channels` lists them.
  package var channelCount: Int?
  /// The device's sample format, in the spelling of `DeviceStream.format`.
  package var format: String?
  /// The clock of the device.
  package var clock: Clock
  /// Fallback devices, in order of preference, which are opened while this one is missing.
  package var fallbacks: [String]
  /// Whether the active device is kept until it is lost, even if a better one returns or the name
  /// changes its meaning.
  package var keepsWhatRuns: Bool

  /// Creates a request for a device.
  package init(
    device: String, channels: [Int]? = nil, channelCount: Int? = nil, format: String? = nil,
    clock: Clock = .automatic, fallbacks: [String] = [], keepsWhatRuns: Bool = false
  ) {
    self.device = device
    self.channels = channels
    self.channelCount = channelCount
    self.format = format
    self.clock = clock
    self.fallbacks = fallbacks
    self.keepsWhatRuns = keepsWhatRuns
  }

  /// The number of channels that the graph uses, if it is specified.
  package var usedChannelCount: Int? { channels?.count ?? channelCount }

  /// The number of channels that the device must be opened with, if it is specified.
  package var openedChannelCount: Int? { channels?.max().map { $0 + 1 } ?? channelCount }
}

/// A device name with a list of channels: `hw:1,0:3-4`.
package struct DeviceSpecifier: Sendable, Equatable {
  /// The name that the device is opened by.
  package var device: String
  /// The channels, counted from 0; nil if there is no list.
  package var channels: [Int]?

  /// The highest channel number in a list.
  package static let highestChannel = 256

  /// Parses a text. [any]
  ///
  /// The part after the last colon is a list of channels if it consists of numbers and ranges
  /// counted from 1, such as `3-4` or `2,1`, and the name before it contains another colon or the
  /// list contains a range, as in `default:3-4`.
  ///
  /// - Returns: nil if the list is invalid: a range that runs backwards, or channel 0.
  package init?(_ text: String) {
    device = text
    guard let colon = text.lastIndex(of: ":") else { return }
    let name = text[..<colon]
    let list = text[text.index(after: colon)...]
    let isList =
      !list.isEmpty && list.allSatisfy { $0.isASCII && ($0.isNumber || "-,".contains($0)) }
    guard isList, !name.isEmpty, name.contains(":") || list.contains("-") else { return }
    guard let channels = Self.channels(list) else { return nil }
    device = String(name)
    self.channels = channels
  }

  /// Parses a list such as `1,3-4`; returns nil if it is not a list. [any]
  package static func channels(_ list: some StringProtocol) -> [Int]? {
    var channels: [Int] = []
    for part in list.split(separator: ",", omittingEmptySubsequences: false) {
      let ends = part.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
      guard ends.count <= 2, let first = ends.first ?? nil, let last = ends.last ?? nil,
        first >= 1, last >= first, last <= highestChannel
      else { return nil }
      channels += (first ... last).map { $0 - 1 }
    }
    return channels.isEmpty ? nil : channels
  }
}
