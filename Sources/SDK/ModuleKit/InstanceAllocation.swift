// InstanceAllocation.swift: the memory of a module's instance. SPDX-License-Identifier: MIT

/// What `create` of most modules does.
public enum InstanceAllocation {
  /// The rates that a module need not be ready to go beyond, in Hz.
  private static let rates = 1_000.0 ... 1_000_000.0

  /// Takes memory for a state and fills it; nil at a rate outside 1 kHz to 1 MHz, and where there is
  /// no state. [main]
  ///
  /// - Parameters:
  ///   - sampleRateHz: what `create` was given.
  ///   - state: makes the state at that rate; nil if it cannot be made.
  /// - Returns: what `create` returns, for `destroy` to deallocate.
  public static func make<State: ~Copyable>(
    sampleRateHz: Double, _ state: (Double) -> State?
  ) -> UnsafeMutableRawPointer? {
    guard rates.contains(sampleRateHz), let made = state(sampleRateHz) else { return nil }
    let memory = UnsafeMutablePointer<State>.allocate(capacity: 1)
    memory.initialize(to: made)
    return UnsafeMutableRawPointer(memory)
  }
}
