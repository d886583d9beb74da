#pragma once

#include <serd/serd.h>
