// OfflineError.swift: why a rendering came to no end. SPDX-License-Identifier: MIT

package import ErrorModel

/// What can go wrong with a rendering beyond the faults of its files.
package enum OfflineError: Equatable {
  /// `cancel` was called.
  case cancelled(seconds: Double)
  /// The source and the graph disagree.
  case inputMismatch(sourceChannelCount: Int, engineChannelCount: Int)
  /// The sink and the graph disagree.
  case outputMismatch(sinkChannelCount: Int, engineChannelCount: Int)
  /// Nothing says how long the rendering is.
  case lengthUnknown
  /// The system gave no thread.
  case noThread

  package var description: String {
    switch self {
    case .cancelled(let seconds):
      "The rendering was stopped at \(Int(seconds)) s; no file was written."
    case .inputMismatch(let source, let engine):
      "The input has \(channels(source)), and the graph takes \(channels(engine)); connect each"
        + " of them, or choose another file."
    case .outputMismatch(let sink, let engine):
      "The output has \(channels(sink)), and the graph gives \(channels(engine)); they must agree."
    case .lengthUnknown:
      "Without an input file the rendering has no end; say how long it is with --duration."
    case .noThread:
      "The system gave no thread for writing the output; end some programs and try again."
    }
  }

  private func channels(_ count: Int) -> String {
    count == 1 ? "1 channel" : "\(count) channels"
  }
}

extension OfflineError: HostError {
  /// The work failed.
  package var kind: ErrorKind { .failure }
}
