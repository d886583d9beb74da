// Host+Events.swift: messages, and levels for displays. SPDX-License-Identifier: MIT

import AudioDriver
import Dispatch
package import ErrorModel
import HostModel
package import Session

extension Host {
  /// Sends levels to the displays that are due, or collects them before a report does.
  func publishLevels(whenDue: Bool = true) {
    let now = DispatchTime.now().uptimeNanoseconds
    guard let pause = port.levels.pause(at: now), pause == 0 || !whenDue else { return }
    let deliveries = port.levels.add(
      session.takeLevels(), load: lastLoad, xruns: session.status.xrunCount, at: now)
    for delivery in deliveries {
      let event = SharedEvent(EventMessage(seconds: seconds, .levels(delivery.levels)))
      port.deliver(event, to: delivery.clients)
    }
  }

  /// Publishes that the session has ended. [main]
  ///
  /// - Parameter notices: the notices since the last report.
  package func publishEnd(notices: [HostNotice]) {
    publishNotices(notices)
    publisher.send(.stopped(.init(session)))
  }

  /// Publishes notices. [main, or any thread while the main thread is blocked]
  package func publishNotices(_ notices: [HostNotice]) {
    for notice in notices { publisher.send(.notice(.init(notice))) }
  }

  /// Sends clients the fault that ends or interrupts the session. [any, while the main thread is blocked]
  package func publishFailure(_ fault: FatalFault, restarts: Bool = false) {
    publisher.send(.failure(.init(fault, restarts: restarts)))
  }
}
