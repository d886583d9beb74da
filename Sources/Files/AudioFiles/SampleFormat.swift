// SampleFormat.swift: the sample formats of files. SPDX-License-Identifier: MIT

import CSndFile

/// The format of a sample in a file.
///
/// Integers have full scale at ±1: samples beyond are clipped, never wrapped.
package enum SampleFormat: String, Sendable, CaseIterable {
  /// 16-bit integers.
  case s16
  /// 24-bit integers, three bytes each.
  case s24
  /// 32-bit integers.
  case s32
  /// 32-bit floating point, which does not clip.
  case float
  /// 64-bit floating point.
  case double

  /// Bytes a sample takes.
  package var byteCount: Int {
    switch self {
    case .s16: 2
    case .s24: 3
    case .s32, .float: 4
    case .double: 8
    }
  }

  /// Bits of an integer sample; nil for floating point.
  package var integerBits: Int? {
    switch self {
    case .s16: 16
    case .s24: 24
    case .s32: 32
    case .float, .double: nil
    }
  }

  /// libsndfile's code: `SF_FORMAT_PCM_16` and so on.
  var code: Int32 {
    switch self {
    case .s16: Int32(SF_FORMAT_PCM_16)
    case .s24: Int32(SF_FORMAT_PCM_24)
    case .s32: Int32(SF_FORMAT_PCM_32)
    case .float: Int32(SF_FORMAT_FLOAT)
    case .double: Int32(SF_FORMAT_DOUBLE)
    }
  }
}
