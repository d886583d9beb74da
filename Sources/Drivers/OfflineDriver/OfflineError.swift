// OfflineError.swift: reasons why a rendering failed. SPDX-License-Identifier: MIT

package import ErrorModel

/// An error of a rendering that is not an error of its files.
package enum OfflineError: Equatable {
  /// `cancel` was called.
  case cancelled(seconds: Double)
  /// The source and the graph have different channel counts.
  case inputMismatch(sourceChannelCount: Int, engineChannelCount: Int)
  /// The sink and the graph have different channel counts.
  case outputMismatch(sinkChannelCount: Int, engineChannelCount: Int)
  /// The length of the rendering is unknown.
  case lengthUnknown
  /// The system could not create a thread.
  case noThread

  package var description: String {
    switch self {
    case .cancelled(let seconds):
      "The rendering was stopped at \(Int(seconds)) s. No file was written."
    case .inputMismatch(let source, let engine):
      "The input has \(channels(source)) but the graph takes \(channels(engine)). Connect each"
        + " of them or choose another file."
    case .outputMismatch(let sink, let engine):
      "The output has \(channels(sink)) but the graph has \(channels(engine)). Both must be equal."
    case .lengthUnknown:
      "Without an input file the length is unknown. Set it with --duration."
    case .noThread:
      "The thread that writes the output could not be created. Stop other programs and try again."
    }
  }

  private func channels(_ count: Int) -> String {
    count == 1 ? "1 channel" : "\(count) channels"
  }
}

extension OfflineError: HostError {
  /// The rendering failed.
  package var kind: ErrorKind { .failure }
}
