// LV2Range.swift: a valid range from a port's declaration. SPDX-License-Identifier: MIT

/// The complete range and default of a control port.
///
/// lilv returns NaN for missing values, which would silence many plugins.
struct LV2Range: Equatable {
  let minimum: Float
  let defaultValue: Float
  let maximum: Float
  /// Whether the default is relative to the sample rate, like the limits of such a port.
  let isDefaultScaled: Bool

  /// Fills missing values and multiplies by `scale`, the sample rate for relative ports.
  ///
  /// A missing minimum is 0 or a lower default. A missing maximum is 1 or a higher default. A missing default is the
  /// value nearest to 0. A range without its default is extended, because every host starts with the default.
  ///
  /// The specification defines only limits as relative to the sample rate. Some plugins also have relative defaults,
  /// others absolute ones. A default that is between the limits only after they are multiplied counts as
  /// absolute.
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
