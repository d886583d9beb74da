// FourierTransform.swift: from time to frequency. SPDX-License-Identifier: MIT

import Glibc

/// Cooley and Tukey's transform of radix 2, for measurements off the audio thread.
package enum FourierTransform {
  /// The transform of a complex sequence, in place; the count is a power of two. [any]
  package static func forward(_ real: inout [Double], _ imaginary: inout [Double]) {
    let count = real.count
    var reversed = 0
    for index in 1 ..< count {
      var bit = count >> 1
      while reversed & bit != 0 {
        reversed ^= bit
        bit >>= 1
      }
      reversed |= bit
      if index < reversed {
        real.swapAt(index, reversed)
        imaginary.swapAt(index, reversed)
      }
    }
    var length = 2
    while length <= count {
      butterflies(&real, &imaginary, length)
      length *= 2
    }
  }

  private static func butterflies(
    _ real: inout [Double], _ imaginary: inout [Double], _ length: Int
  ) {
    let half = length / 2
    for offset in 0 ..< half {
      let angle = -2 * .pi * Double(offset) / Double(length)
      let (cosine, sine) = (cos(angle), sin(angle))
      for start in stride(from: offset, to: real.count, by: length) {
        let other = start + half
        let turnedReal = real[other] * cosine - imaginary[other] * sine
        let turnedImaginary = real[other] * sine + imaginary[other] * cosine
        (real[other], imaginary[other]) = (
          real[start] - turnedReal, imaginary[start] - turnedImaginary
        )
        real[start] += turnedReal
        imaginary[start] += turnedImaginary
      }
    }
  }
}
