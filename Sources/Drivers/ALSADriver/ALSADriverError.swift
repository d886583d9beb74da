// ALSADriverError.swift: why a sound card cannot be used, in sentences. SPDX-License-Identifier: MIT

import AudioDriver
package import ErrorModel

/// Why a sound card cannot be opened, or why it stopped.
package enum ALSADriverError: Equatable {
  /// The request named neither a capture nor a playback device.
  case noDeviceNamed
  /// The request asked for a number that no device can have: `what` of `value`.
  case impossible(what: String, value: Int, least: Int)
  /// The request named a format that the driver does not know.
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
  /// It has none of the ways to move samples that the driver knows.
  case noUsableAccess(device: String)
  /// It has not that sample format (nil: none that the driver knows).
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
  /// ALSA refused a step for a reason of its own.
  case refused(device: String, step: String, reason: String)
  /// It was unplugged, or its driver unloaded, while in use.
  case disconnected(device: String)
  /// It stands still until another one is back, whose clock it shares.
  case waiting(device: String, other: String)
  /// It opened, and then no sound came or went.
  case silent(device: String, direction: Direction, seconds: Int)
  /// It played all that it had, or could not keep what it captured, too often or where only opening anew helps.
  case ranOut(device: String, direction: Direction)
  /// The sound server behind it does not run.
  case noServer(device: String)
  /// It is being opened, by a sound server that takes its time.
  case opening(device: String)
  /// A call for it did not come back: a sound server that stands still, or was killed.
  case unanswering(device: String)
  /// It moves sound at another rate than it says.
  case wrongPace(device: String, rateHz: Int, paceHz: Int)
  /// Its clock is by so much faster than the one that gives the pace that it cannot be followed.
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
      "Neither a capture nor a playback device was named; name at least one, for instance default."
    case .impossible(let what, let value, let least):
      "A \(what) of \(value) is not possible; it must be at least \(least)."
    case .unknownFormat(let name):
      "The sample format \(name) is not known; use \(Self.list(Self.formatNames, "or"))."
    case .channelTwice(let device, let channel):
      "Channel \(channel) of the playback device \(device) is named twice; name each one once."
    case .noCard:
      "No sound card was found; connect one, or render to a file instead."
    case .noSuchDevice(let device, let direction, let available):
      "There is no \(direction.rawValue) device \(device); \(Self.whatThereIs(available, direction))."
    case .busy(let device, let holders):
      "The device \(device) is in use by \(Self.whoHolds(holders)); "
        + "end that or choose another device."
    case .notPermitted(let device):
      "Permission to open \(device) was denied; "
        + "add your user to the group audio (sudo adduser $USER audio) and log in again."
    case .disconnected(let device):
      "The device \(device) was disconnected; it is taken back as soon as it returns."
    case .waiting(let device, let other):
      "The device \(device) waits for \(other), whose clock it shares."
    case .silent(let device, let direction, let seconds):
      "The device \(device) was opened for \(direction.rawValue) but moved no sound for "
        + "\(seconds) seconds; check that it is switched on and not waiting for an external clock."
    case .ranOut(let device, let direction):
      "The device \(device) ran \(direction == .playback ? "dry" : "over"); it is opened anew. "
        + "If that goes on, try a longer period."
    case .noServer(let device):
      "The sound server behind \(device) does not run; start it, or name a card."
    case .opening(let device):
      "The device \(device) is being opened."
    case .unanswering(let device):
      "The device \(device) does not answer; it is taken back as soon as it does. "
        + "If it is a sound server, start it again."
    case .wrongPace(let device, let rateHz, let paceHz):
      "The device \(device) runs at \(paceHz) Hz where it says \(rateHz) Hz; set its clock right, "
        + "or name the rate."
    case .clockTooFar(let device, let partsPerMillion):
      "The clock of \(device) is \(abs(partsPerMillion)) ppm "
        + "\(partsPerMillion > 0 ? "faster" : "slower") than the one that gives the pace, too far off to "
        + "be followed; set the clocks of both right, or leave one of the devices out."
    case .noThread(let reason):
      "The audio thread could not be made (\(reason)); end other programs and try again."
    default: whatIsNotOffered
    }
  }

  private var whatIsNotOffered: String {
    switch self {
    case .noUsableAccess(let device):
      "The device \(device) offers no way of moving samples that can be used; "
        + "use plug:\(device) instead."
    case .formatNotOffered(let device, let direction, let format, let offered):
      "The device \(device) has no \(format.map { "format \($0)" } ?? "usable sample format") for "
        + "\(direction.rawValue); it offers \(Self.list(offered, "and"))."
    case .rateNotOffered(let device, let direction, let rateHz, let offered):
      "The device \(device) has no rate of \(rateHz) Hz for \(direction.rawValue); "
        + "it offers \(offered) Hz."
    case .noCommonRate(let input, let inputOffers, let output, let outputOffers):
      "The devices \(input) (\(inputOffers) Hz) and \(output) (\(outputOffers) Hz) have no rate in "
        + "common; choose others, or give one of them `clock: independent` in a rig."
    case .channelsNotOffered(let device, let direction, let count, let offered):
      "The device \(device) cannot be set to \(count) channels for \(direction.rawValue); "
        + "it offers \(offered)."
    case .channelNotThere(let device, let direction, let channel, let count):
      "The device \(device) has no channel \(channel) for \(direction.rawValue); "
        + "it has \(count == 1 ? "one" : "\(count)"), counted from 1."
    case .periodNotOffered(let frames, let offers):
      "No period near \(frames) frames can be used; \(offers.joined(separator: ", and "))."
    case .refused(let device, let step, let reason):
      "The device \(device) refused to \(step) (\(reason)); "
        + "try other settings, or plug:\(device)."
    default: ""
    }
  }

  private static var formatNames: [String] { DeviceFormat.allCases.map(\.rawValue) }

  private static func whatThereIs(_ devices: [String], _ direction: Direction) -> String {
    switch devices.count {
    case 0: "no sound card has one"
    case 1: "there is \(devices[0])"
    default: "there are \(list(devices, "and"))"
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
