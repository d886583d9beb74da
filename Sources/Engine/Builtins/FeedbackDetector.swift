// FeedbackDetector.swift: detects tones that grow like acoustic feedback. SPDX-License-Identifier:
// MIT
//
// Real-time code: nothing here allocates, frees, locks, waits, throws or logs.
//
// The features are those of T. van Waterschoot and M. Moonen, "Comparative evaluation of howling
// detection criteria in notch-filter-based howling suppression", J. Audio Eng. Soc. 58 (2010), and
// "Fifty years of acoustic feedback control", Proc. IEEE 99 (2011): the power of a peak compared
// with the whole signal (PTPR, PAPR), with its neighbours (PNPR) and with its harmonics (PHPR), its
// presence over time (IPMP), and the constancy of its slope in decibels (IMSD), which they find the
// best single one. A loop with gain L and delay T grows by L decibels every T seconds: in decibels
// a straight line at one frequency, over any time. Instruments swell along a curve. Even combined
// features mistake some tones, so each detected tone is tested (FeedbackDecision.swift).
// (FeedbackDecision.swift).

import CRealtime

/// A line of the newest spectrum that may be feedback.
struct FeedbackCandidate: BitwiseCopyable {
  var line = 0
  /// The exact position between the line and its neighbours, in lines.
  var bin: Float = 0
  var frequencyHz: Float = 0
  /// The power including both neighbours in dB, so that the position between lines has almost no
  /// effect.
  var decibels: Float = 0
  /// Power relative to the mean of its surroundings, linear.
  var prominence: Float = 0
  /// Power relative to the strongest of the octaves below and above and the twelfth, linear.
  var purity: Float = 0
  /// The slope in dB per second, once growth was detected.
  var slope: Float = 0
  @_noLocks init() {}
}

/// The lowest analysed line: a window of this length cannot separate lower lines from rumble.
private var lowestLine: Int { @_noLocks get { 2 } }
private var highestLine: Int { @_noLocks get { FeedbackSpectrum.lineCount &- 14 } }

/// Examines the strongest lines of the newest spectrum. [render]
@_noLocks
func detectFeedback(_ state: UnsafeMutablePointer<FeedbackSuppressorState>) {
  let row = state.pointee.spectrum.fineSpectrum(0)
  let loudest = state.pointee.loudestOutput
  // The signal is inaudible or has no output.
  guard state.pointee.spectrum.total > 1e-8, loudest > 1e-3 else { return }
  var (last, beforeLast) = (-16, -16)
  for _ in 0 ..< 3 {
    let line = strongest(row, besides: last, beforeLast)
    let mainLobePower = row[line &- 1] + row[line] + row[line &+ 1]
    guard mainLobePower > 0.2 * state.pointee.spectrum.total else { return }
    let candidate = describe(state, row, line)
    examine(state, candidate)
    (beforeLast, last) = (last, line)
  }
}

@_noLocks
private func strongest(
  _ row: UnsafeMutablePointer<Float>, besides one: Int, _ other: Int
) -> Int {
  var (best, power) = (lowestLine, Float(-1))
  for line in lowestLine ..< highestLine where row[line] > power {
    if abs(line &- one) < 4 || abs(line &- other) < 4 { continue }
    (best, power) = (line, row[line])
  }
  return best
}

/// Computes the features of a line in the newest spectrum.
@_noLocks
func describe(
  _ state: UnsafeMutablePointer<FeedbackSuppressorState>, _ row: UnsafeMutablePointer<Float>,
  _ line: Int
) -> FeedbackCandidate {
  var candidate = FeedbackCandidate()
  candidate.line = line
  let middle = FastMath.decibels(power: row[line])
  let below = FastMath.decibels(power: row[line &- 1])
  let above = FastMath.decibels(power: row[line &+ 1])
  // A parabola through three decibels: exact for a Gaussian, within 1 Hz for Hann's window. It also
  // works for a tone that grows within the window, whose line is wider.
  let bend = below - 2 * middle + above
  let shift = bend < -0.1 ? 0.5 * (below - above) / bend : 0
  candidate.bin = Float(line) + min(0.5, max(-0.5, shift))
  let lineHz =
    state.pointee.sampleRateHz / Float(state.pointee.decimation) / Float(FeedbackSpectrum.size)
  candidate.frequencyHz = candidate.bin * lineHz
  candidate.decibels = FastMath.decibels(power: mainLobePower(row, line))
  var (around, count): (Float, Float) = (1e-12, 0)
  for offset in 5 ... 12 {
    if line > offset {
      around += row[line &- offset]
      count += 1
    }
    around += row[line &+ offset]
    count += 1
  }
  candidate.prominence = row[line] * count / around
  candidate.purity = row[line] / max(1e-12, strongestHarmonic(row, candidate.bin))
  return candidate
}

/// The strongest of half, twice and three times a frequency.
@_noLocks
private func strongestHarmonic(_ row: UnsafeMutablePointer<Float>, _ bin: Float) -> Float {
  var power: Float = 0
  // For lower lines, the window cannot separate the octave from the tone.
  if bin >= 10 { power = peak(row, bin * 0.5) }
  if bin >= 5 { power = max(power, max(peak(row, bin * 2), peak(row, bin * 3))) }
  return power
}

@_noLocks
private func peak(_ row: UnsafeMutablePointer<Float>, _ bin: Float) -> Float {
  let line = Int(bin + 0.5)
  guard line < FeedbackSpectrum.lineCount &- 1 else { return 0 }
  return max(row[line], max(row[line &- 1], row[line &+ 1]))
}

/// The power of a line with its neighbours'.
@_noLocks
func mainLobePower(_ row: UnsafeMutablePointer<Float>, _ line: Int) -> Float {
  row[line &- 1] + row[line] + row[line &+ 1]
}

// MARK: - Growth

/// Searches for growth over each length of time, shortest first.
@_noLocks
private func examine(
  _ state: UnsafeMutablePointer<FeedbackSuppressorState>, _ candidate: FeedbackCandidate
) {
  guard !isIgnoredTone(state, candidate) else { return }
  let known = notch(state, near: candidate.frequencyHz)
  if known >= 0, state.pointee.notches[known].stage == .probing { return }
  // Feedback at a known frequency needs less evidence.
  let ease: Float = known >= 0 ? 0.5 : 1
  let isCoarseDue = state.pointee.spectrum.fineCount & (FeedbackSpectrum.fold &- 1) == 0
  for index in 0 ..< state.pointee.scaleCount {
    let scale = state.pointee.scales[index]
    if scale.isCoarse, !isCoarseDue { continue }
    // A tone that grows within the window has a broad line, so the required contrast is lower.
    let contrast: Float = scale.isCoarse ? 60 : 16
    guard candidate.prominence > contrast * ease, candidate.purity > contrast * ease else {
      continue
    }
    let slope = slope(state, candidate, scale, ease)
    guard slope > 0 else { continue }
    var found = candidate
    found.slope = slope
    applyNotch(state, found)
    return
  }
}

/// Returns the growth of a tone over one length of time, in dB per second; 0 if it is not steady or
/// not enough.
@_noLocks
private func slope(
  _ state: UnsafeMutablePointer<FeedbackSuppressorState>, _ candidate: FeedbackCandidate,
  _ scale: GrowthWindow,
  _ ease: Float
) -> Float {
  let rows = scale.isCoarse ? state.pointee.spectrum.coarseCount : state.pointee.spectrum.fineCount
  let last = scale.pointCount &- 1
  guard rows > scale.pointCount &* scale.stride else { return 0 }
  let line = candidate.line
  let newest = level(state, line, scale, 0)
  let oldest = level(state, line, scale, last)
  let growth = newest - oldest
  guard growth >= scale.growthDecibels * ease else { return 0 }
  let half = level(state, line, scale, last / 2)
  // It may be bent upwards: a gain that is turned up, or a notch that is being removed.
  let (early, late) = (half - oldest, newest - half)
  guard late >= scale.evenness * early, early >= scale.evenness * 0.5 * late else { return 0 }
  guard isStraight(state, line, scale, growth), isSteady(state, line, scale) else { return 0 }
  let hops = Float(last &* scale.stride) * (scale.isCoarse ? Float(FeedbackSpectrum.fold) : 1)
  return growth / hops * state.pointee.hopsPerSecond
}

/// The level at a point, 0 the newest, in dB.
@_noLocks
private func level(
  _ state: UnsafeMutablePointer<FeedbackSuppressorState>, _ line: Int, _ scale: GrowthWindow,
  _ point: Int
) -> Float {
  let power =
    power(state, line &- 1, scale, point) + power(state, line, scale, point)
    + power(state, line &+ 1, scale, point)
  return FastMath.decibels(power: power)
}

/// Returns the power of a line at a point.
///
/// Over long times it is the mean up to the next point, because a loop with a long delay repeats
/// the same fluctuation.
@_noLocks
private func power(
  _ state: UnsafeMutablePointer<FeedbackSuppressorState>, _ line: Int, _ scale: GrowthWindow,
  _ point: Int
) -> Float {
  let hopsAgo = point &* scale.stride
  guard scale.isCoarse else { return state.pointee.spectrum.fineSpectrum(hopsAgo)[line] }
  var sum: Float = 0
  for row in hopsAgo ..< hopsAgo &+ scale.stride {
    sum += state.pointee.spectrum.coarseSpectrum(row)[line]
  }
  return sum / Float(scale.stride)
}

/// Returns whether the levels are on a straight line, by least squares.
@_noLocks
private func isStraight(
  _ state: UnsafeMutablePointer<FeedbackSuppressorState>, _ line: Int, _ scale: GrowthWindow,
  _ growth: Float
) -> Bool {
  let middle = Float(scale.pointCount &- 1) / 2
  var (sum, moment, squares, spread): (Float, Float, Float, Float) = (0, 0, 0, 0)
  let base = level(state, line, scale, 0)
  for point in 0 ..< scale.pointCount {
    let value = level(state, line, scale, point) - base
    let bin = middle - Float(point)
    sum += value
    moment += value * bin
    squares += value * value
    spread += bin * bin
  }
  let count = Float(scale.pointCount)
  let residue = (squares - sum * sum / count - moment * moment / spread) / count
  // A loop of long delay grows in steps.
  let allowed = 0.3 + (scale.isCoarse ? 0.08 : 0.06) * growth
  return residue <= allowed * allowed
}

/// The middle of the power around a line at a point, in lines.
@_noLocks
private func centre(
  _ state: UnsafeMutablePointer<FeedbackSuppressorState>, _ line: Int, _ scale: GrowthWindow,
  _ point: Int
) -> Float {
  var (sum, moment): (Float, Float) = (1e-20, 0)
  for offset in -2 ... 2 where line &+ offset > 0 {
    let power = power(state, line &+ offset, scale, point)
    sum += power
    moment += power * Float(offset)
  }
  return moment / sum
}

/// Returns whether the frequency was constant over the newer half.
@_noLocks
private func isSteady(
  _ state: UnsafeMutablePointer<FeedbackSuppressorState>, _ line: Int, _ scale: GrowthWindow
) -> Bool {
  var (low, high): (Float, Float) = (8, -8)
  for point in 0 ... scale.pointCount / 2 {
    let bin = centre(state, line, scale, point)
    low = min(low, bin)
    high = max(high, bin)
  }
  return high - low <= scale.toleranceBins
}

/// Whether a strong tone has stood still for some 40 ms, for one that is at its limit already.
@_noLocks
func isSustained(
  _ state: UnsafeMutablePointer<FeedbackSuppressorState>, _ candidate: FeedbackCandidate
) -> Bool {
  let scale = GrowthWindow(
    isCoarse: false, pointCount: 17, stride: 1, growthDecibels: 0, evenness: 0, toleranceBins: 0.3)
  return isSteady(state, candidate.line, scale)
}
