// OSCServerError.swift: why the server cannot be opened. SPDX-License-Identifier: MIT

package import ErrorModel

/// Why a session cannot be controlled by OSC.
package enum OSCServerError: HostError, Equatable {
  /// The text of `--osc` is not an address.
  case notAnAddress(String)
  /// A port is not between 1 and 65535.
  case notAPort(String)
  /// Another program uses the port.
  case portTaken(Int)
  /// None of the usual ports is free.
  case noFreePort(first: Int, last: Int)
  /// The system does not permit the port.
  case forbiddenPort(Int)
  /// The machine has no such address.
  case unknownAddress(String)
  /// The system refused for another reason.
  case refused(String, reason: String)

  /// Each of them is solved by another request.
  package var kind: ErrorKind {
    switch self {
    case .refused: .failure
    default: .usage
    }
  }

  /// The message.
  package var description: String {
    switch self {
    case .notAnAddress(let text):
      "--osc \(text) is not an address. Use a port, an address such as 192.168.1.5:9000, or lan."
    case .notAPort(let text):
      "--osc \(text) is not a port. Use a number from 1 to 65535."
    case .portTaken(let port):
      "Another program uses port \(port). Choose another one with --osc PORT, or use --osc alone."
    case .noFreePort(let first, let last):
      "The ports \(first) to \(last) are all in use. Choose another one with --osc PORT."
    case .forbiddenPort(let port):
      "No permission for port \(port). Use a port of 1024 or more."
    case .unknownAddress(let address):
      "This machine has no address \(address). Use one that `ip address` lists, or --osc lan."
    case .refused(let address, let reason):
      "OSC cannot be received at \(address) (\(reason)). Leave out --osc to run without it."
    }
  }

  /// The port or address.
  package var fields: [String: String] {
    switch self {
    case .portTaken(let port), .forbiddenPort(let port): ["port": "\(port)"]
    case .unknownAddress(let address): ["address": address]
    case .notAnAddress, .notAPort, .noFreePort, .refused: [:]
    }
  }
}
