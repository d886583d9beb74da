// SessionError.swift: why a session cannot be. SPDX-License-Identifier: MIT

/// What stands in the way of a session beyond its rig, devices and files.
package enum SessionError: Error, Equatable, CustomStringConvertible {
  /// The rig has neither an input nor a length to render.
  case endless
  /// The rig opens no device, so it cannot be run.
  case offlineRig(file: String)
  /// The rig has no output that could be rendered.
  case nothingToRender
  /// The user asked for the end before the work was done.
  case interrupted

  /// Whether nothing was started because the request was wrong.
  package var isRequestWrong: Bool {
    switch self {
    case .endless, .offlineRig, .nothingToRender: true
    case .interrupted: false
    }
  }

  /// One sentence for people.
  package var description: String {
    switch self {
    case .endless:
      "There is no input file, so the rendering would never end; give its length with --seconds."
    case .offlineRig(let file):
      "\(file) opens no device, so it cannot be run; render a file through it with"
        + " `outboard render --rig \(file) -i IN -o OUT`."
    case .nothingToRender:
      "Nothing is connected to the output, so there is nothing to render."
    case .interrupted:
      "The rendering was interrupted, and no file was left."
    }
  }
}
