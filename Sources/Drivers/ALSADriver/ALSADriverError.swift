// ALSADriverError.swift: reasons why a sound card cannot be used. SPDX-License-Identifier: MIT

import AudioDriver
package import ErrorModel

/// The reason why a sound card cannot be opened, or why it stopped.
package enum ALSADriverError: Equatable {
  /// The request named neither a capture nor a playback device.
  case noDeviceNamed
  /// The request contains a number that no device supports: `what` is `value`.
  case impossible(what: String, value: Int, least: Int)
  /// The request contains an unknown format.
  case unknownFormat(name: String)
  /// Two channels of the graph are to be played on one channel of a device, counted from 1.
  case channelTwice(device: String, channel: Int)
  /// The computer has no sound card.
  case noCard
  /// There is a card, but no such device in this direction; `available` lists the devices.
  case noSuchDevice(device: String, direction: Direction, available: [String])
  /// Another program uses the device; `holders` are the known ones.
  case busy(device: String, holders: [String])
  /// The user has no permission to open the device.
  case notPermitted(device: String)
  /// The device has no access mode that the driver supports.
  case noUsableAccess(device: String)
  /// The device does not support that sample format (nil: no format that the driver supports).
  case formatNotOffered(device: String, direction: Direction, format: String?, offered: [String])
  /// The device does not support that sample rate.
  case rateNotOffered(device: String, direction: Direction, rateHz: Int, offered: String)
  /// The two directions have no rate in common.
  case noCommonRate(input: String, inputOffers: String, output: String, outputOffers: String)
  /// The device does not support that number of channels.
  case channelsNotOffered(device: String, direction: Direction, count: Int, offered: String)
  /// A channel, counted from 1, that the device does not have.
  case channelNotThere(device: String, direction: Direction, channel: Int, count: Int)
  /// The devices have no usable period length in common.
  case periodNotOffered(frames: Int, offers: [String])
  /// An ALSA call failed.
  case refused(device: String, step: String, reason: String)
  /// The device was unplugged, or its kernel driver unloaded, while in use.
  case disconnected(device: String)
  /// The device waits until another device, which shares its clock, returns.
  case waiting(device: String, other: String)
  /// The device was opened but transferred no audio.
  case silent(device: String, direction: Direction, seconds: Int)
  /// The device had xruns too often, or one that requires reopening.
  case xrun(device: String, direction: Direction)
  /// The sound server of the device is not running.
  case noServer(device: String)
  /// A sound server takes long to open the device.
  case opening(device: String)
  /// A call for the device did not return: a sound server stalled or was killed.
  case noResponse(device: String)
  /// The device runs at another rate than it reports.
  case rateMismatch(device: String, rateHz: Int, measuredHz: Int)
  /// The clock of the device is too far from the primary device to be followed.
  case driftTooLarge(device: String, partsPerMillion: Int)
  /// The kernel could not create the audio thread.
  case noThread(reason: String)

  /// The direction of the audio.
  package enum Direction: String, Sendable {
    /// From the device.
    case capture
    /// To the device.
    case playback
  }

  /// The exit status of the process: 2 for a wrong request, 3 for a missing or failing device.
  /// [any]
  package var exitStatus: Int32 {
    switch self {
    case .noDeviceNamed, .impossible, .unknownFormat, .channelTwice: 2
    default: 3
    }
  }

  /// Whether the same request may succeed later, when the device is free or connected. [any]
  package var isWorthRetrying: Bool {
    switch self {
    case .noCard, .noSuchDevice, .busy, .disconnected, .silent, .xrun, .noServer, .opening,
      .noResponse:
      true
    default: false
    }
  }
}

extension ALSADriverError {
  /// The message: what happened, where, and how to fix it.
  package var description: String {
    switch self {
    case .noDeviceNamed:
      "No audio device was specified. Specify a capture or playback device, e.g. `--out default`."
    case .impossible(let what, let value, let least):
      "A \(what) of \(value) is out of range. Use at least \(least)."
    case .unknownFormat(let name):
      "The sample format \(name) is unknown. Use \(Self.list(Self.formatNames, "or"))."
    case .channelTwice(let device, let channel):
      "Channel \(channel) of the playback device \(device) is listed twice. List each channel once."
    case .noCard:
      "No sound card was found. Connect one, use `--in dummy --out dummy`, or process a file with `outboard render`."
    case .noSuchDevice(let device, let direction, let available):
      "No such \(direction.rawValue) device: \(device). \(Self.availableDevices(available, direction))."
    case .busy(let device, let holders):
      "The device \(device) is in use by \(Self.holderNames(holders)). "
        + "Stop that program or choose another device."
    case .notPermitted(let device):
      "Permission to open \(device) was denied. "
        + "Add your user to the group audio (sudo adduser $USER audio) and log in again."
    case .disconnected(let device):
      "The device \(device) was disconnected. It will be reopened when it returns."
    case .waiting(let device, let other):
      "The device \(device) waits for \(other), which shares its clock."
    case .silent(let device, let direction, let seconds):
      "The device \(device) was opened for \(direction.rawValue) but transferred no audio for "
        + "\(seconds == 1 ? "a second" : "\(seconds) seconds"). Check that it is switched on and has a clock."
    case .xrun(let device, let direction):
      "The device \(device) had an \(direction == .playback ? "underrun" : "overrun") and is being "
        + "reopened. If this repeats, use a longer period."
    case .noServer(let device):
      "The sound server behind \(device) is not running. Start it or use a hardware device (`hw:`)."
    case .opening(let device):
      "The device \(device) is being opened."
    case .noResponse(let device):
      "The device \(device) does not respond. It will be reopened when it "
        + "responds. If it is a sound server, restart it."
    case .rateMismatch(let device, let rateHz, let measuredHz):
      "The device \(device) runs at \(measuredHz) Hz but reports \(rateHz) Hz. Fix its clock source "
        + "or set the rate explicitly."
    case .driftTooLarge(let device, let partsPerMillion):
      "The clock of \(device) is \(abs(partsPerMillion)) ppm "
        + "\(partsPerMillion > 0 ? "faster" : "slower") than the primary device, which exceeds "
        + "the 2 % "
        + "limit. Fix the clock sources or remove one device."
    case .noThread(let reason):
      "The audio thread could not be created (\(reason)). Stop other programs and try again."
    default: whatIsNotOffered
    }
  }

  private var whatIsNotOffered: String {
    switch self {
    case .noUsableAccess(let device):
      "The device \(device) supports no usable access mode. Use "
        + "plug:\(device) instead."
    case .formatNotOffered(let device, let direction, let format, let offered):
      "The device \(device) has no \(format.map { "format \($0)" } ?? "usable sample format") for "
        + "\(direction.rawValue). It offers \(Self.list(offered, "and"))."
    case .rateNotOffered(let device, let direction, let rateHz, let offered):
      "The device \(device) has no rate of \(rateHz) Hz for \(direction.rawValue). "
        + "It offers \(offered) Hz."
    case .noCommonRate(let input, let inputOffers, let output, let outputOffers):
      "The devices \(input) (\(inputOffers) Hz) and \(output) (\(outputOffers) Hz) have no common "
        + "rate. Choose other devices or set `clock: independent` for one of them in a rig."
    case .channelsNotOffered(let device, let direction, let count, let offered):
      "The device \(device) cannot be set to \(count) channels for \(direction.rawValue). "
        + "It offers \(offered)."
    case .channelNotThere(let device, let direction, let channel, let count):
      "The device \(device) has no channel \(channel) for \(direction.rawValue). "
        + "It has \(count == 1 ? "one" : "\(count)"), counted from 1."
    case .periodNotOffered(let frames, let offers):
      "No period near \(frames) frames is supported: \(offers.joined(separator: ", and "))."
    case .refused(let device, let step, let reason):
      "The device \(device) failed to \(step): \(reason). "
        + "Try other settings or plug:\(device)."
    default: ""
    }
  }

  private static var formatNames: [String] { DeviceFormat.allCases.map(\.rawValue) }

  private static func availableDevices(_ devices: [String], _ direction: Direction) -> String {
    switch devices.count {
    case 0: "No sound card has one"
    case 1: "Available: \(devices[0])"
    default: "Available: \(list(devices, "and"))"
    }
  }

  private static func holderNames(_ holders: [String]) -> String {
    holders.isEmpty ? "another program" : list(holders, "and")
  }

  /// Joins words: `a, b and c`.
  static func list(_ words: [String], _ conjunction: String) -> String {
    guard let last = words.last else { return "none" }
    guard words.count > 1 else { return last }
    return "\(words.dropLast().joined(separator: ", ")) \(conjunction) \(last)"
  }
}

extension ALSADriverError: DriverOpenError {
  /// Whether another period could help.
  package var isAboutPeriod: Bool {
    switch self {
    case .periodNotOffered, .refused: true
    default: false
    }
  }
}

extension ALSADriverError: HostError {
  /// Whether the request or the device is the cause.
  package var kind: ErrorKind { exitStatus == 2 ? .usage : .device }
}
