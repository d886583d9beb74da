// InstanceAllocation.swift: the memory of a module's instance. SPDX-License-Identifier: MIT

/// The default implementation of `create`.
public enum InstanceAllocation {
  /// The supported sample rates, in Hz.
  private static let rates = 1_000.0 ... 1_000_000.0

  /// Allocates and initialises a state; nil if the rate is outside 1 kHz to 1 MHz, or if `state` returns
  /// nil. [main]
  ///
  /// - Parameters:
  ///   - sampleRateHz: the argument of `create`.
  ///   - state: creates the state at that rate; nil on failure.
  /// - Returns: the result of `create`. `destroy` deallocates it.
  public static func make<State: ~Copyable>(
    sampleRateHz: Double, _ state: (Double) -> State?
  ) -> UnsafeMutableRawPointer? {
    guard rates.contains(sampleRateHz), let made = state(sampleRateHz) else { return nil }
    let memory = UnsafeMutablePointer<State>.allocate(capacity: 1)
    memory.initialize(to: made)
    return UnsafeMutableRawPointer(memory)
  }
}
