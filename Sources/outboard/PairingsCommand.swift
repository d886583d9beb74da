// PairingsCommand.swift: `outboard pairings`. SPDX-License-Identifier: MIT

import ArgumentParser
import Console
import ErrorModel
import FoundationEssentials
import WebServer

/// Lists and revokes paired devices.
struct PairingsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pairings", abstract: "List or revoke devices paired with the web page.")

  @Option(help: ArgumentHelp("Revoke the device with this name.", valueName: "name"))
  var revoke: String?
  @Flag(help: "Print JSON.")
  var json = false

  func run() throws {
    guard let devices = PairedDevices.ofUser() else { throw PairingError.noDirectory }
    if let revoke {
      guard devices.revoke(revoke) else {
        throw PairingError.unknown(revoke, known: devices.all.map(\.name))
      }
    }
    let rest = devices.all
    if json { return JSONOutput.print(rest.map(Pairing.init)) }
    for device in rest {
      let date = Date(timeIntervalSince1970: Double(device.pairedAt)).formatted(
        .iso8601.year().month().day())
      Terminal.output.writeLine("\(device.name.printable)  \(date)")
    }
    guard rest.isEmpty, revoke == nil else { return }
    Terminal.error.writeLine("No device is paired. Start a session with `outboard run --http lan`.")
  }
}

/// A paired device as JSON.
private struct Pairing: Encodable {
  let name: String
  /// In seconds since 1970.
  let pairedAt: Int

  init(_ device: PairedDevices.Device) { (name, pairedAt) = (device.name, device.pairedAt) }
}

/// Why a device cannot be revoked.
private enum PairingError: HostError {
  case noDirectory
  case unknown(String, known: [String])

  var kind: ErrorKind { .usage }

  var description: String {
    switch self {
    case .noDirectory: "There is no state directory. Set HOME or XDG_STATE_HOME."
    case .unknown(let name, let known):
      known.isEmpty
        ? "No such device: \(name). No device is paired."
        : "No such device: \(name). Paired: \(known.joined(separator: ", "))."
    }
  }
}
