// DescriptionChild.swift: what a module's code says of itself, where it may crash. SPDX-License-Identifier: MIT

import Catalogue
import Foundation
import ModuleHost

/// Asks compiled code for its channels and parameters in a child process, as an instance has to be made.
package enum DescriptionChild {
  /// The hidden first argument with which the program starts as this child.
  package static let argument = "--description-child"
  private static let patienceSeconds = 10.0

  /// Reads a library's path from standard input, prints what it says, and ends. [main, in the child]
  package static func run() -> Never {
    let path = String(
      decoding: FileHandle.standardInput.readDataToEndOfFile(), as: UTF8.self)
    // What the code prints is no part of the answer.
    let answer = dup(STDOUT_FILENO)
    dup2(STDERR_FILENO, STDOUT_FILENO)
    guard answer >= 0, let library = try? ModuleLibrary(path: path),
      let text = library.description(sampleRateHz: 48_000, maximumFrameCount: 512)
    else { _exit(1) }
    FileHandle(fileDescriptor: answer).write(Data(text.utf8))
    // Not `exit`: what the code has registered to be run then may crash.
    _exit(0)
  }

  /// What the library at a path says of itself; nil where it says nothing, or crashes. [any]
  static func text(ofLibrary path: String, by command: ChildCommand) -> String? {
    guard ModuleLibrary.describesItself(path: path),
      let answer = ChildQuestion.answer(
        to: Data(path.utf8), argument: argument, by: command, withinSeconds: patienceSeconds)
    else { return nil }
    return String(decoding: answer, as: UTF8.self)
  }
}
