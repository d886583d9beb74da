// LV2Range.swift: a usable range out of what a port declares. SPDX-License-Identifier: MIT

/// The range and default of a control port, with every gap filled.
///
/// lilv gives "not a number" where the data say nothing, and a host that hands that to a plugin
/// silences it for good.
struct LV2Range: Equatable {
  let minimum: Float
  let defaultValue: Float
  let maximum: Float
  /// Whether the default is in parts of the sample rate, as the limits of such a port are.
  let isDefaultScaled: Bool

  /// Fills the gaps, and multiplies by `scale` (the sample rate, for ports that are in parts of it).
  ///
  /// Without a minimum it is 0, or the default if that is less; without a maximum it is 1, or the
  /// default if that is more; without a default it is what lies nearest to 0. A range that does not
  /// hold its own default is widened, as the default is what every host starts the plugin with.
  ///
  /// The specification speaks of limits alone as parts of the sample rate. Defaults are found in both
  /// forms, some plugins having 0.1 between 0 and 0.5, and others 440: one that lies between the limits
  /// only once these are multiplied is taken as it is.
  init(
    minimum: Float, defaultValue: Float, maximum: Float, isToggle: Bool = false, scale: Float = 1
  ) {
    let start = defaultValue.isFinite ? defaultValue : nil
    var low = minimum.isFinite ? minimum : Swift.min(0, start ?? 0)
    var high =
      maximum.isFinite ? maximum : Swift.max(isToggle ? 1 : Swift.max(1, low + 1), start ?? 1)
    if high < low { swap(&low, &high) }
    if let start, scale != 1, !(low ... high).contains(start),
      (low * scale ... high * scale).contains(start)
    {
      (self.minimum, self.defaultValue, self.maximum) = (low * scale, start, high * scale)
      isDefaultScaled = false
      return
    }
    let value = start ?? Swift.min(Swift.max(0, low), high)
    self.minimum = Swift.min(low, value) * scale
    self.defaultValue = value * scale
    self.maximum = Swift.max(high, value) * scale
    isDefaultScaled = scale != 1
  }
}
