// BandLimited.swift: band-limited waveforms. SPDX-License-Identifier: MIT

/// Band-limited saw, square and triangle, computed from a phase.
///
/// The integrals of a fourth-order B-spline kernel smooth each step (BLEP) and corner (BLAMP) over the two
/// frames on either side (Valimaki, Pekonen and Nam 2012; Esqueda, Valimaki and Bilbao 2016). The kernel
/// attenuates the highest harmonics by sinc^4(f / rate). Phases are in turns, 0 to below 1. Periods are in
/// frames, above 2.
public enum BandLimited {
  /// Returns a saw that starts at 0, rises to 1 and jumps down by 2 in the middle of its turn.
  @_noLocks
  @inline(__always)
  public static func saw(_ phase: Double, _ period: Double) -> Double {
    let plain = phase < 0.5 ? 2 * phase : 2 * phase - 2
    return plain - 2 * steps(phase, at: 0.5, period: period)
  }

  /// Returns a square: 1 for the first `width` (0 to 1) of the turn, then -1.
  @_noLocks
  @inline(__always)
  public static func square(_ phase: Double, _ period: Double, width: Double) -> Double {
    let plain = phase < width ? 1.0 : -1.0
    return plain + 2 * steps(phase, at: 0, period: period)
      - 2 * steps(phase, at: width, period: period)
  }

  /// Returns a triangle that rises from -1 to 1 in the first half of its turn.
  @_noLocks
  @inline(__always)
  public static func triangle(_ phase: Double, _ period: Double) -> Double {
    // At each corner the slope changes by 8 for each turn.
    let plain = 1 - 4 * abs(phase - 0.5)
    let residue = corners(phase, at: 0, period: period) - corners(phase, at: 0.5, period: period)
    return plain + 8 / period * residue
  }

  // MARK: - Residues

  /// The integral of the cubic B-spline from minus infinity to -`distance`, 0 to 2 frames.
  @_noLocks
  @inline(__always)
  private static func blepResidual(_ distance: Double) -> Double {
    if distance >= 2 { return 0 }
    if distance >= 1 {
      let rest = 2 - distance
      return rest * rest * rest * rest / 24
    }
    let square = distance * distance
    return 0.5 - distance * (2.0 / 3) + distance * square / 3 - square * square / 8
  }

  /// The integral of `blepResidual`.
  @_noLocks
  @inline(__always)
  private static func blampResidual(_ distance: Double) -> Double {
    if distance >= 2 { return 0 }
    if distance >= 1 {
      let rest = 2 - distance
      return rest * rest * rest * rest * rest / 120
    }
    let square = distance * distance
    return 7.0 / 30 - distance / 2 + square / 3 - square * square / 12
      + square * square * distance / 40
  }

  /// Returns the correction for a step upwards by 1, `frames` frames ago.
  @_noLocks
  @inline(__always)
  private static func stepResidue(_ frames: Double) -> Double {
    frames < 0 ? blepResidual(-frames) : -blepResidual(frames)
  }

  /// The residue of a step at `edge`, repeated each turn; near half the rate three repeats overlap.
  @_noLocks
  @inline(__always)
  private static func steps(_ phase: Double, at edge: Double, period: Double) -> Double {
    let near = distance(phase, edge) * period
    if abs(near) >= 2, period > 4 { return 0 }
    return stepResidue(near) + stepResidue(near - period) + stepResidue(near + period)
  }

  /// The residue of a corner at `edge` that steepens the slope by 1 for each frame.
  @_noLocks
  @inline(__always)
  private static func corners(_ phase: Double, at edge: Double, period: Double) -> Double {
    let near = distance(phase, edge) * period
    if abs(near) >= 2, period > 4 { return 0 }
    return blampResidual(abs(near)) + blampResidual(abs(near - period))
      + blampResidual(abs(near + period))
  }

  /// Returns the shorter distance from `edge` to `phase`, -0.5 to 0.5 turns.
  @_noLocks
  @inline(__always)
  private static func distance(_ phase: Double, _ edge: Double) -> Double {
    let difference = phase - edge
    if difference > 0.5 { return difference - 1 }
    return difference < -0.5 ? difference + 1 : difference
  }
}
