// DeviceRequest.swift: one device that a user asks for, and which of its channels. SPDX-License-Identifier: MIT

/// A device and its requested settings.
///
/// The device and the driver choose settings that are nil.
package struct DeviceRequest: Sendable, Equatable {
  /// Whether a device beats in time with the others.
  package enum Clock: String, Sendable, CaseIterable {
    /// Devices of one card share a clock, those of different cards do not.
    case automatic = "auto"
    /// It runs from the clock of the first device, by a cable for it: never resampled.
    case shared
    /// The device has an independent clock, even on the same card.
    ///
    /// It is resampled.
    case independent
  }

  /// The name it is opened by, for instance `hw:1,0` or `default`.
  package var device: String
  /// Which of its channels are used, counted from 0, in the order of the graph's channels; nil for
  /// the first ones.
  package var channels: [Int]?
  /// The number of used channels, or nil if `channels` lists them.
  package var channelCount: Int?
  /// The device's sample format, in the spelling of `DeviceStream.format`.
  package var format: String?
  /// Whose clock it runs from.
  package var clock: Clock
  /// Fallback devices, opened while this one is missing; the best one first.
  package var fallbacks: [String]
  /// Whether what runs is kept until it is lost, even if the device itself returns meanwhile, or its
  /// name comes to mean another card.
  package var keepsWhatRuns: Bool

  /// A device by its name alone.
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

  /// How many of its channels the graph sees, where that is asked.
  package var usedChannelCount: Int? { channels?.count ?? channelCount }

  /// How many channels it must be opened with to have those that are asked for.
  package var openedChannelCount: Int? { channels?.max().map { $0 + 1 } ?? channelCount }
}

/// A device's name with the channels that are written behind it: `hw:1,0:3-4`.
package struct DeviceSpecifier: Sendable, Equatable {
  /// The name that the device is opened by.
  package var device: String
  /// Its channels, counted from 0; nil where none are written.
  package var channels: [Int]?

  /// The highest channel that can be written.
  package static let highestChannel = 256

  /// Takes a text apart.
  ///
  /// What follows the last colon are channels where it can be nothing else: a list of numbers and
  /// ranges counted from 1, such as `3-4` or `2,1`, behind a name that has a colon already or, as
  /// in `default:3-4`, where it holds a range. [any]
  ///
  /// - Returns: nil where the channels are written as such but cannot be: a range that runs
  ///   backwards, a channel of 0.
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

  /// Reads a list such as `1,3-4`; nil where it is none. [any]
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
