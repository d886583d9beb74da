// StandardStreams.swift: standard input, output and error of the program. SPDX-License-Identifier: MIT

import Console
import ErrorModel
import Glibc

/// Standard input, output and error.
enum StandardStreams {
  /// Opens the standard streams that the parent closed. [main]
  ///
  /// Otherwise the next opened file gets the number of a standard stream, and messages are written to it.
  static func open() {
    for number in STDIN_FILENO ... STDERR_FILENO where fcntl(number, F_GETFD) < 0 {
      // This is the lowest free number. A write of a result to a closed output must fail.
      _ = unsafe Glibc.open("/dev/null", number == STDOUT_FILENO ? O_RDONLY : O_RDWR)
    }
  }

  /// Throws if a result could not be written to standard output. [main]
  static func checkOutput() throws {
    let code = Terminal.outputFailure
    if code != 0 { throw unsafe OutputFailure(reason: String(cString: strerror(code))) }
  }
}

/// A result could not be written to standard output.
struct OutputFailure {
  let reason: String

  var description: String {
    "Cannot write to standard output: \(reason). The output is incomplete."
  }
}

extension OutputFailure: HostError {
  /// A lost result is a failure, not a wrong request.
  var kind: ErrorKind { .failure }
}
