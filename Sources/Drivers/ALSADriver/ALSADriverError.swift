// ALSADriverError.swift: why a sound card cannot be used, in sentences. SPDX-License-Identifier: MIT

import AudioDriver
package import ErrorModel

/// Why a sound card cannot be opened, or why it stopped.
package enum ALSADriverError: Equatable {
  /// The request named neither a capture nor a playback device.
  case noDeviceNamed
  /// The request asked for a number that no device can have: `what` of `value`.
  case impossible(what: String, value: Int, least: Int)
  /// The request contains an unknown format.
  case unknownFormat(name: String)
  /// Two channels of the graph are to be played on one channel of a device, counted from 1.
  case channelTwice(device: String, channel: Int)
  /// The machine has no sound card at all.
  case noCard
  /// There is a card, but no such device, or not in this direction; `available` are those there are.
  case noSuchDevice(device: String, direction: Direction, available: [String])
  /// Someone else has it; `holders` are those programs that could be found out.
  case busy(device: String, holders: [String])
  /// The user may not open it.
  case notPermitted(device: String)
  /// The device has no access mode that the driver supports.
  case noUsableAccess(device: String)
  /// The device does not support that sample format (nil: no format that the driver supports).
  case formatNotOffered(device: String, direction: Direction, format: String?, offered: [String])
  /// It has not that rate.
  case rateNotOffered(device: String, direction: Direction, rateHz: Int, offered: String)
  /// The two directions have no rate in common.
  case noCommonRate(input: String, inputOffers: String, output: String, outputOffers: String)
  /// It has no such number of channels.
  case channelsNotOffered(device: String, direction: Direction, count: Int, offered: String)
  /// A channel was named, counted from 1, that it does not have.
  case channelNotThere(device: String, direction: Direction, channel: Int, count: Int)
  /// The two directions, or the one, have no period length that can be used.
  case periodNotOffered(frames: Int, offers: [String])
  /// ALSA failed at a step.
  case refused(device: String, step: String, reason: String)
  /// It was unplugged, or its driver unloaded, while in use.
  case disconnected(device: String)
  /// The device waits until another device, which shares its clock, returns.
  case waiting(device: String, other: String)
  /// It opened, and then no sound came or went.
  case silent(device: String, direction: Direction, seconds: Int)
  /// The device had an underrun or overrun too often, or one that only reopening ends.
  case ranOut(device: String, direction: Direction)
  /// The sound server behind it does not run.
  case noServer(device: String)
  /// It is being opened, by a sound server that takes its time.
  case opening(device: String)
  /// A call for the device did not return: a sound server stalled or was killed.
  case unanswering(device: String)
  /// The device runs at another rate than it reports.
  case wrongPace(device: String, rateHz: Int, paceHz: Int)
  /// The clock of the device is too far from the primary device to be followed.
  case clockTooFar(device: String, partsPerMillion: Int)
  /// The kernel refused to make the audio thread.
  case noThread(reason: String)

  /// Which way the sound goes.
  package enum Direction: String, Sendable {
    /// From the card.
    case capture
    /// To the card.
    case playback
  }

  /// The process's exit status: 2 for a wrong request, 3 for a device that is missing or refuses. [any]
  package var exitStatus: Int32 {
    switch self {
    case .noDeviceNamed, .impossible, .unknownFormat, .channelTwice: 2
    default: 3
    }
  }

  /// Whether the same request may succeed later, unchanged, once the device is free or back. [any]
  package var isWorthRetrying: Bool {
    switch self {
    case .noCard, .noSuchDevice, .busy, .disconnected, .silent, .ranOut, .noServer, .opening,
      .unanswering:
      true
    default: false
    }
  }
}

extension ALSADriverError {
  /// One sentence: what happened, where, and what would be right.
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
      "No sound card was found. Connect one or render to a file."
    case .noSuchDevice(let device, let direction, let available):
      "No such \(direction.rawValue) device: \(device). \(Self.whatThereIs(available, direction))."
    case .busy(let device, let holders):
      "The device \(device) is in use by \(Self.whoHolds(holders)). "
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
    case .ranOut(let device, let direction):
      "The device \(device) had an \(direction == .playback ? "underrun" : "overrun") and is being "
        + "reopened. If this repeats, use a longer period."
    case .noServer(let device):
      "The sound server behind \(device) is not running. Start it or use a hardware device (`hw:`)."
    case .opening(let device):
      "The device \(device) is being opened."
    case .unanswering(let device):
      "The device \(device) does not respond. It will be reopened when it "
        + "responds. If it is a sound server, restart it."
    case .wrongPace(let device, let rateHz, let paceHz):
      "The device \(device) runs at \(paceHz) Hz but reports \(rateHz) Hz. Fix its clock source "
        + "or set the rate explicitly."
    case .clockTooFar(let device, let partsPerMillion):
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

  private static func whatThereIs(_ devices: [String], _ direction: Direction) -> String {
    switch devices.count {
    case 0: "No sound card has one"
    case 1: "Available: \(devices[0])"
    default: "Available: \(list(devices, "and"))"
    }
  }

  private static func whoHolds(_ holders: [String]) -> String {
    holders.isEmpty ? "another program" : list(holders, "and")
  }

  /// `a, b and c`.
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
  /// Whether the request or the device was at fault.
  package var kind: ErrorKind { exitStatus == 2 ? .usage : .device }
}
