# check-server.sh: expected results of a sound server that was killed and restarted; part of scripts/test-vm.
# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154

expect "a server is killed and started, twice: it has not ended by itself" says server "status 0"
expect "a server is killed and started, twice: two interruptions" has server xruns 2
expect "a server is killed and started, twice: at the end all is well" has server reasons '["",""]'
expect "a server is started at another rate: the graph follows" has server rate 44100
expect "a server is killed and started, twice: heard within a second" \
  lost_each server 1 -1
