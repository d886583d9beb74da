// FloodOutput.swift: the output of a session while clients flood it. SPDX-License-Identifier: MIT

import HostCore
import TestWaits

extension TestHost {
  /// Returns 400 blocks of output; the input depends only on the number of the block.
  ///
  /// More blocks are rendered while clients are busy, but do not count.
  func output(whileBusy: () -> Bool = { false }) throws -> [Float] {
    let blockCount = 400
    var (output, number): ([Float], Int) = ([], 0)
    let deadline = Deadline()
    while number < blockCount || whileBusy() {
      host.serve()
      let block = driver.render(Float(number % 37) / 64)
      if number < blockCount { output += block }
      number += 1
      _ = try host.report()
      try deadline.rest(0.0005)
    }
    return output
  }
}
