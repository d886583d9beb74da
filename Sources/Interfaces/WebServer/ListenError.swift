// ListenError.swift: why a port cannot be opened. SPDX-License-Identifier: MIT

package import ErrorModel

/// Why the port of an option cannot be opened.
package struct ListenError: HostError, Equatable {
  /// The reason for an error.
  package enum Problem: Sendable, Equatable {
    /// The text is not an address.
    case notAnAddress(String)
    /// A port is not between 1 and 65535.
    case notAPort(String)
    /// Another program uses the port.
    case portInUse(Int)
    /// All default ports are in use.
    case noFreePort
    /// The system does not permit the port.
    case forbiddenPort(Int)
    /// The machine has no such address.
    case unknownAddress(String)
    /// The system refused for another reason.
    case refused(String, reason: String)
  }

  /// The option.
  package let option: PortOption
  /// The reason.
  package let problem: Problem

  /// An error of an option.
  package init(_ option: PortOption, _ problem: Problem) {
    (self.option, self.problem) = (option, problem)
  }

  /// Each of them is solved by another request, unless the system refused.
  package var kind: ErrorKind {
    switch problem {
    case .refused: .failure
    default: .usage
    }
  }

  /// The message.
  package var description: String {
    let name = option.name
    return switch problem {
    case .notAnAddress(let text):
      "\(name) \(text) is not an address. Use a port, an address such as"
        + " 192.168.1.5:\(option.defaultPort), or lan."
    case .notAPort(let text):
      "\(name) \(text) is not a port. Use a number from 1 to 65535."
    case .portInUse(let port):
      "Another program uses port \(port). Choose another one with \(name) PORT, or use \(name) alone."
    case .noFreePort:
      "The ports \(option.ports.lowerBound) to \(option.ports.upperBound - 1) are all in use."
        + " Choose another one with \(name) PORT."
    case .forbiddenPort(let port):
      "No permission for port \(port). Use a port of 1024 or more."
    case .unknownAddress(let address):
      "This machine has no address \(address). Use one that `ip address` lists, or \(name) lan."
    case .refused(let address, let reason):
      "\(option.failure) at \(address) (\(reason)). Leave out \(name) to run without it."
    }
  }

  /// The port or address.
  package var fields: [String: String] {
    switch problem {
    case .portInUse(let port), .forbiddenPort(let port): ["port": "\(port)"]
    case .unknownAddress(let address): ["address": address]
    case .notAnAddress, .notAPort, .noFreePort, .refused: [:]
    }
  }
}
