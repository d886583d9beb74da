// AdaptiveResamplingError.swift: why a device cannot be followed, in sentences. SPDX-License-Identifier: MIT

package import ErrorModel

/// Why a resampler between two clocks cannot be made.
package enum AdaptiveResamplingError: Equatable {
  /// One state of the resampler holds 1 to 128 channels.
  case channelCount(Int)
  /// The resampler's rates may differ by a factor of 256 at most.
  case rates(deviceHz: Double, masterHz: Double)
  /// A block, a buffer or a step of the pointer of fewer frames than there can be.
  case frames(what: String, count: Int)
  /// libsamplerate could not make its state: its own words.
  case refused(reason: String)

  /// What happened, and what would be right. [any]
  package var description: String {
    switch self {
    case .channelCount(let count):
      "A device of \(count) channels cannot be followed: the resampler takes 1 to 128 channels."
    case .rates(let device, let master):
      "A device at \(device) Hz cannot be followed at \(master) Hz: both rates must be above zero, "
        + "and neither more than 200 times the other."
    case .frames(let what, let count):
      "A device with a \(what) of \(count) frames cannot be followed: the least is 1, "
        + "the most 1048576."
    case .refused(let reason):
      "The resampler between the two clocks could not be made: libsamplerate says \"\(reason)\"; "
        + "close other programs if memory is short."
    }
  }
}

extension AdaptiveResamplingError: HostError {
  /// The request, or what it names, is wrong.
  package var kind: ErrorKind { .usage }
}
