// main.swift: the helper process of ToyFormatTests, which scans and tests toys. SPDX-License-Identifier: MIT

import PluginCatalogue
import ToyFormat

ScanHelper.run(sources: [ToyFormat(directories: [])].compactMap(\.source))
