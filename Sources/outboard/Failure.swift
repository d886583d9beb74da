// Failure.swift: how an error ends the program. SPDX-License-Identifier: MIT

import ALSADriver
import ArgumentParser
import AudioFiles
import Console
import Foundation
import OfflineDriver
import Session

/// What is said, and the exit status, when a command ends with an error.
struct Failure {
  /// The exit statuses; see the manual page.
  enum Status: Int32 {
    case done = 0
    case workFailed = 1
    case requestWrong = 2
    case deviceRefused = 3
  }

  let status: Int32
  private let message: String
  /// Help and the version are no errors and belong on standard output.
  private let isAnswer: Bool

  init(_ error: any Error, parser: (some ParsableCommand).Type) {
    if let known = Self.status(of: error) {
      status = known.rawValue
      message = "\(error)"
      isAnswer = false
    } else {
      let isRefusal = parser.exitCode(for: error) != .success
      status = isRefusal ? Status.requestWrong.rawValue : Status.done.rawValue
      message = parser.fullMessage(for: error)
      isAnswer = !isRefusal
    }
  }

  /// Says it: a sentence for people, or an object for programs.
  func tell(asJSON: Bool) {
    guard !message.isEmpty else { return }
    if isAnswer {
      Terminal.output.writeLine(message)
    } else if asJSON {
      JSONOutput.print(ErrorReport(error: .init(message: message, status: Int(status))))
    } else {
      Terminal.error.writeLine(isFromParser ? message : "outboard: \(message)")
    }
  }

  private var isFromParser: Bool { message.hasPrefix("Error:") || message.hasPrefix("Usage:") }

  private struct ErrorReport: Encodable {
    struct Facts: Encodable {
      let message: String
      let status: Int
    }
    let error: Facts
  }

  /// The status of an error of ours; nil for one of the argument parser's.
  private static func status(of error: any Error) -> Status? {
    switch error {
    case let error as ALSADriverError: Status(rawValue: error.exitStatus) ?? .deviceRefused
    case let error as SessionError: error.isRequestWrong ? .requestWrong : .workFailed
    case let error as AudioFileError: error.isRequestWrong ? .requestWrong : .workFailed
    case is OfflineError, is DeviceFailure: .workFailed
    case is ExitCode, is CleanExit, is ValidationError: nil
    default: "\(type(of: error))" == "CommandError" ? nil : .requestWrong
    }
  }
}
