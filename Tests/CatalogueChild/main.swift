// main.swift: the child process of the tests, and the catalogue at hand. SPDX-License-Identifier: MIT

import Catalogue

CatalogueChild.run(sources: [])
