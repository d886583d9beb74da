// EventQueue.swift: what several threads have for one. SPDX-License-Identifier: MIT

import Dispatch
import Synchronization

/// A queue with several senders and one receiver.
final class EventQueue<Element: Sendable>: Sendable {
  private let elements = Mutex<[Element]>([])
  private let arrival = DispatchSemaphore(value: 0)

  /// Appends an element, and wakes the receiver. [any]
  func post(_ element: Element) {
    elements.withLock { $0.append(element) }
    arrival.signal()
  }

  /// Waits for elements for at most `seconds`, and returns all of them. [one thread]
  func take(within seconds: Double) -> [Element] {
    _ = arrival.wait(timeout: .now() + max(0, seconds))
    return elements.withLock { elements in
      defer { elements = [] }
      return elements
    }
  }
}
