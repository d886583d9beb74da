// StandardStreams.swift: what the program is given to read and write. SPDX-License-Identifier: MIT

import Console
import Glibc

/// Standard input, output and error.
enum StandardStreams {
  /// Opens those that were handed over closed.
  ///
  /// Otherwise the next file that is opened takes the number of one, and what is meant for people is
  /// written into it. [main]
  static func open() {
    for number in STDIN_FILENO ... STDERR_FILENO where fcntl(number, F_GETFD) < 0 {
      // The lowest number that is free, which is this one. A result that goes to a closed output is lost, and has to
      // fail.
      _ = Glibc.open("/dev/null", number == STDOUT_FILENO ? O_RDONLY : O_RDWR)
    }
  }

  /// Throws if a result did not reach standard output. [main]
  static func checkOutput() throws {
    let code = Terminal.outputFailure
    if code != 0 { throw OutputFailure(reason: String(cString: strerror(code))) }
  }
}

/// A result did not reach standard output.
struct OutputFailure: Error, CustomStringConvertible {
  let reason: String

  var description: String {
    "Cannot write to standard output: \(reason). The output is incomplete."
  }
}
