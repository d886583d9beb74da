# check-server.sh: expected results of a sound server that was killed and restarted; part of scripts/test-vm.
# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154

expect "a server is restarted twice: no premature exit" says server "status 0"
expect "a server is restarted twice: two interruptions" has server xruns 2
expect "a server is restarted twice: no warning remains at the end" has server reasons '["",""]'
expect "a server is restarted at another rate: the graph uses it" has server rate 44100
expect "a server is restarted twice: audio recovers within a second" \
  lost_each server 1 -1
