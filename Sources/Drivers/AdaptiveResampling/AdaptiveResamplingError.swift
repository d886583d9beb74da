// AdaptiveResamplingError.swift: reasons why a device cannot be a follower.
// SPDX-License-Identifier: MIT

package import ErrorModel

/// The reason why a resampler between two clocks cannot be created.
package enum AdaptiveResamplingError: Equatable {
  /// The number of channels is not in the range of 1 to 128.
  case channelCount(Int)
  /// The rates differ by more than a factor of 256.
  case rates(deviceHz: Double, masterHz: Double)
  /// A block, a buffer or a position step has an impossible number of frames.
  case frames(what: String, count: Int)
  /// libsamplerate could not create its state; contains its message.
  case refused(reason: String)

  /// The message: what happened, and how to fix it. [any]
  package var description: String {
    switch self {
    case .channelCount(let count):
      "A device of \(count) channels cannot be resampled: the resampler supports 1 to 128 channels."
    case .rates(let device, let master):
      "A device at \(device) Hz cannot be resampled to \(master) Hz: both rates must be above 0, "
        + "and one at most 200 times the other."
    case .frames(let what, let count):
      "A device with a \(what) of \(count) frames is out of range (1 to "
        + "1048576)."
    case .refused(let reason):
      "The resampler between the two clocks could not be created: libsamplerate reports "
        + "\"\(reason)\". "
        + "Close other programs if memory is low."
    }
  }
}

extension AdaptiveResamplingError: HostError {
  /// All of these are errors of the request.
  package var kind: ErrorKind { .usage }
}
