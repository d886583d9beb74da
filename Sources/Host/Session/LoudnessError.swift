// LoudnessError.swift: why a file cannot be set to a loudness. SPDX-License-Identifier: MIT

package import ErrorModel

/// The reason why a file has no loudness, or cannot get the requested one.
package enum LoudnessError: Equatable {
  /// The file is silent.
  case silent(name: String)
  /// The file has nothing to measure except NaN and infinity.
  case invalid(name: String, count: Int)
  /// The file is shorter than a block of the measurement.
  case tooShort(name: String)
  /// Loudness is not defined for this number of channels or this rate.
  case undefined(name: String, channelCount: Int, sampleRateHz: Int)

  /// The message to the user.
  package var description: String {
    switch self {
    case .silent(let name): "\(name) is silent, so it has no loudness. It was left out."
    case .invalid(let name, let count):
      "\(name) has no loudness: \(count) invalid samples (NaN or infinity) count as silence. It was left out."
    case .tooShort(let name):
      "\(name) is shorter than 0.4 s or below -70 LUFS, so it has no loudness. It was left out."
    case .undefined(let name, let channels, let rate):
      "\(name) has \(channels) channels at \(rate) Hz, for which loudness is not defined."
    }
  }
}

extension LoudnessError: HostError {
  /// The file is at fault, not the request.
  package var kind: ErrorKind { .failure }
}
