"""soak_clients: clients that edit one session at random, those with JSON lines, for scripts/soak-clients."""
import json
import os
import random
import select
import socket
import struct
import threading
import time
import urllib.parse
from base64 import b64encode

TIMEOUT_S = 60
NODES = {"gate": {"threshold": (-80, 0), "hold": (0, 2000)}, "eq": {"band_1_gain": (-24, 24), "band_5_frequency": (100, 9000)},
         "comp": {"threshold": (-60, 0), "makeup": (-12, 24)}, "hall": {"mix": (0, 100), "pre_delay": (0, 90)}}
RIG = """outboard: 1
name: Soak
input: {device: dummy, channels: 2}
output: {device: dummy, channels: 2}
nodes:
  gate: {plugin: outboard.gate}
  eq: {plugin: outboard.parametric-eq}
  comp: {plugin: outboard.compressor}
  hall: {plugin: outboard.reverb}
connections: [in -> gate -> eq -> comp -> hall -> out]
scenes: {low: {hall.mix: 10}, high: {hall.mix: 90, comp.threshold: -30}, slow: {hall.mix: 50, over: 0.5 s}}
"""


class Client(threading.Thread):
    """A client that edits until `end`, and collects `faults`. Subclasses have `edit()`, `take()` and `settle()`."""

    kind = ""

    def __init__(self, session, number, seed):
        super().__init__(daemon=True)
        self.session, self.number, self.name = session, number, f"{self.kind} {number}"
        self.random = random.Random(seed * 1000 + number)
        self.faults, self.edits, self.received, self.end, self.failure = [], 0, 0, 0.0, None
        self.is_done = threading.Event()

    def value(self):
        """A node, a parameter and a value that no other edit has."""
        node = self.random.choice(list(NODES))
        symbol = self.random.choice(list(NODES[node]))
        low, high = NODES[node][symbol]
        return node, symbol, round(self.random.uniform(low, high), 4)

    def run(self):
        try:
            self.prepare()
            while time.monotonic() < self.end:
                for _ in range(self.random.randint(1, self.session.burst)):
                    self.edit()
                    self.edits += 1
                self.take(self.random.uniform(0, self.session.pause))
            self.settle()
            self.is_done.set()
            # A client that does not read for 10 s is disconnected.
            while not self.session.is_over.is_set():
                self.take(0.1)
        except Exception as error:  # reported by the main thread
            self.failure = f"{type(error).__name__}: {error}"
            self.is_done.set()

    def fault(self, text):
        if len(self.faults) < 20:
            self.faults.append(text)

    def prepare(self):
        pass


# Clients with JSON lines

def apply(state, change):
    """Applies a change to a state, as docs/reference/control-protocol.md describes it."""
    def named(items, name):
        return [one for one in items if one["name"] == name]
    kind = change["change"]
    if kind == "parameter":
        for node in named(state["nodes"], change["node"]):
            for one in node["parameters"]:
                if one["symbol"] == change["symbol"]:
                    one["value"] = change["value"]
    elif kind == "property":
        for node in named(state["nodes"], change["node"]):
            node["properties"] = [one for one in node["properties"] if one["uri"] != change["uri"]]
            node["properties"].append({"uri": change["uri"], "value": change["value"]})
    elif kind in ("bypass", "wet", "fault"):
        for one in named(state["nodes"] + state["nestedRigs"], change["node"]):
            one["faulty" if kind == "fault" else kind] = change["value"]
    elif kind == "gain":
        for one in named(state["connections"], change["connection"]):
            one.pop("gain", None)
            if "value" in change:
                one["gain"] = change["value"]
    elif kind == "rig":
        state.clear()
        state.update(change["state"])
    elif kind in change:  # scenes, maps, transport
        state[kind] = change[kind]
    else:
        raise AssertionError(f"an unknown change: {change}")


class Lines(Client):
    """A subscriber with commands and replies as JSON; keeps a copy of the state."""

    def prepare(self):
        self.open, self.last, self.revision, self.authors = 0, 0, None, {}
        self.connect()
        self.send({"command": "subscribe", "events": ["changed"]})
        while self.revision is None:
            self.read(TIMEOUT_S)

    def send(self, command):
        self.open += 1
        self.write(json.dumps(command))

    def edit(self):
        node, symbol, value = self.value()
        commands = {
            "set": (12, {"command": "set", "node": node, "values": {symbol: value}}),
            "several": (2, {"command": "set", "node": node, "values": {name: span[0] for name, span in NODES[node].items()}}),
            "wet": (1, {"command": "set", "node": node, "values": {"wet": f"{self.random.randint(0, 100)} %"}}),
            "bypass": (1, {"command": "set", "node": node, "values": {"bypass": "toggle"}}),
            "gain": (1, {"command": "set", "node": "eq -> comp", "values": {"gain": round(self.random.uniform(-20, 6), 3)}}),
            "over": (0.3, {"command": "set", "node": node, "values": {symbol: value}, "over": 0.2}),
            "wrong": (1, {"command": "set", "node": node, "values": {symbol: "banana"}}),
            "scene": (1, {"command": "scene", "scene": self.random.choice(["low", "high", "slow"])}),
            "undo": (1, {"command": "undo"}), "redo": (0.5, {"command": "redo"}),
            "insert": (self.session.structure, {"command": "insert", "plugin": "outboard.gain", "name": f"extra-{self.number}", "after": node}),
            "remove": (self.session.structure, {"command": "remove", "node": f"extra-{self.number}"}),
        }
        self.send(self.random.choices([one[1] for one in commands.values()], [one[0] for one in commands.values()])[0])
        while self.open > 8:
            self.read(TIMEOUT_S)

    def take(self, seconds):
        end = time.monotonic() + seconds
        while (rest := end - time.monotonic()) > 0 and self.read(rest):
            pass

    def settle(self):
        while self.open:
            self.read(TIMEOUT_S)

    def until(self, revision):
        while self.revision < revision:
            if not self.read(TIMEOUT_S):
                return self.fault(f"ends at revision {self.revision}, not {revision}")

    def handle(self, text):
        one = json.loads(text)
        if one.get("event") == "changed":
            self.received += 1
            if one.get("client") == self.client:
                self.fault(f"its own change {one['revision']} came back")
            return self.follow(one)
        if "event" in one:
            return None
        if "error" in one and one["error"]["kind"] == "busy":
            self.fault(f"it was refused: {one['error']['message']}")
        self.open -= 1
        if "snapshot" in one:
            self.client, self.revision, self.state = one["client"], one["snapshot"]["revision"], one["snapshot"]["state"]
        elif "change" in one and one["change"]["revision"] != self.last:
            self.last = one["change"]["revision"]
            if one["change"].get("client") != self.client:
                self.fault(f"a reply has the change of client {one['change'].get('client')}")
            self.follow(one["change"])
        return None

    def follow(self, changed):
        if changed["revision"] != self.revision + 1:
            self.fault(f"change {changed['revision']} follows {self.revision}")
        self.revision = changed["revision"]
        for change in changed["changes"]:
            apply(self.state, change)
        if len(changed["changes"]) == 1 and changed["changes"][0]["change"] == "parameter" and "client" in changed:
            change = changed["changes"][0]
            self.authors.setdefault((change["node"], change["symbol"], f"{change['value']:.4g}"), changed["client"])

    def differences(self, state):
        return [] if self.state == state else [f"its state differs: {first_difference(self.state, state)}"]


def first_difference(one, other, path=""):
    if isinstance(one, dict) and isinstance(other, dict):
        for key in sorted({*one, *other}):
            if one.get(key) != other.get(key):
                return first_difference(one.get(key), other.get(key), f"{path}.{key}")
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for index, (first, second) in enumerate(zip(one, other)):
            if first != second:
                return first_difference(first, second, f"{path}[{index}]")
    return f"{path}: {one!r} instead of {other!r}"


class UnixClient(Lines):
    kind = "unix"

    def connect(self):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(self.session.socket_path)
        self.rest = b""

    def write(self, text):
        self.socket.sendall(text.encode() + b"\n")

    def read(self, seconds):
        while b"\n" not in self.rest:
            if not select.select([self.socket], [], [], seconds)[0]:
                return False
            data = self.socket.recv(1 << 16)
            assert data, "the connection was closed"
            self.rest += data
        line, self.rest = self.rest.split(b"\n", 1)
        self.handle(line)
        return True


class Frames:
    """The client side of a WebSocket."""

    def __init__(self, port, path, protocol=None):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT_S)
        lines = [f"GET {path} HTTP/1.1", f"Host: 127.0.0.1:{port}", "Upgrade: websocket", "Connection: Upgrade",
                 "Sec-WebSocket-Version: 13", f"Sec-WebSocket-Key: {b64encode(os.urandom(16)).decode()}"]
        lines += [f"Sec-WebSocket-Protocol: {protocol}"] if protocol else []
        self.socket.sendall("\r\n".join(lines + ["", ""]).encode())
        self.rest = b""
        while b"\r\n\r\n" not in self.rest:
            self.rest += self.socket.recv(4096)
        head, self.rest = self.rest.split(b"\r\n\r\n", 1)
        assert head.split()[1] == b"101", head

    def send(self, opcode, data):
        mask = os.urandom(4)
        size = len(data)
        head = struct.pack(">BB", 0x80 | opcode, 0x80 | size) if size < 126 else struct.pack(">BBH", 0x80 | opcode, 0xFE, size)
        self.socket.sendall(head + mask + bytes(byte ^ mask[index % 4] for index, byte in enumerate(data)))

    def frame(self):
        """A whole frame that has arrived, or None."""
        if len(self.rest) < 2:
            return None
        size, start = self.rest[1], 2
        if size >= 126:
            start = 4 if size == 126 else 10
            if len(self.rest) < start:
                return None
            size = int.from_bytes(self.rest[2:start], "big")
        if len(self.rest) < start + size:
            return None
        opcode, data = self.rest[0] & 15, self.rest[start:start + size]
        self.rest = self.rest[start + size:]
        return opcode, data

    def read(self, seconds):
        """The next text or binary message; None after some seconds."""
        end = time.monotonic() + seconds
        while True:
            while (found := self.frame()) is None:
                if not select.select([self.socket], [], [], max(0, end - time.monotonic()))[0]:
                    return None
                data = self.socket.recv(1 << 16)
                assert data, "the connection was closed"
                self.rest += data
            if found[0] == 9:
                self.send(10, found[1])
            elif found[0] in (1, 2):
                return found
            else:
                assert found[0] != 8, f"closed: {found[1]}"


class WebClient(Lines):
    kind = "websocket"

    def connect(self):
        self.frames = Frames(self.session.http_port, "/socket", "outboard.v1")
        self.write(json.dumps({"command": "authenticate", "token": self.session.token}))
        reply = json.loads(self.frames.read(TIMEOUT_S)[1])
        assert "error" not in reply, reply

    def write(self, text):
        self.frames.send(1, text.encode())

    def read(self, seconds):
        found = self.frames.read(seconds)
        if found:
            self.handle(found[1])
        return found is not None


def url_parts(url):
    parts = urllib.parse.urlsplit(url)
    return parts.port, urllib.parse.parse_qs(parts.fragment)["token"][0]
