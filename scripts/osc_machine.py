"""osc_machine: sessions with OSC and clients of them, for scripts/test-osc."""
import http.client
import json
import os
import socket
import struct
import subprocess
import time
import wave
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = Path(os.environ.get("OUTBOARD", ROOT / ".build/release/outboard")).resolve()
TIMEOUT_S = 60
RIG = """outboard: 1
input: {device: dummy, channels: 2}
output: {device: dummy, channels: 2}
nodes:
  gate: {plugin: outboard.gate}
  reverb: {plugin: outboard.reverb}
  tape: {builtin: recorder, file: take-%take.wav}
  trim: {plugin: ./trim.c}
  band: {builtin: player, file: band.wav}
connections: [in -> gate -> reverb -> trim -> out, band -> out, reverb -> tape]
scenes:
  verse: {reverb.mix: 10}
  chorus: {reverb.mix: 60}
"""


def wait(condition, what):
    """Waits until the function returns something true, and returns it."""
    end = time.monotonic() + TIMEOUT_S
    while time.monotonic() < end:
        if found := condition():
            return found
        time.sleep(0.02)
    raise AssertionError(f"timed out: {what}")


def same(found, expected, what):
    if found != expected:
        raise AssertionError(f"{what}: {found!r} instead of {expected!r}")


class Session:
    """A running program with OSC at a free port."""

    def __init__(self, directory):
        self.directory = directory
        (directory / "rig.yaml").write_text(RIG)
        subprocess.run([PROGRAM, "new", "trim", "--c"], cwd=directory, check=True, capture_output=True, timeout=TIMEOUT_S)
        with wave.open(str(directory / "band.wav"), "wb") as file:
            file.setparams((1, 2, 48_000, 0, "NONE", ""))
            file.writeframes(bytes(96_000))
        runtime = directory / "runtime"
        runtime.mkdir(mode=0o700)
        self.environment = {**os.environ, "XDG_RUNTIME_DIR": str(runtime), "XDG_STATE_HOME": str(directory / "state")}
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.log = open(directory / "log", "w+")
        self.process = subprocess.Popen(
            [PROGRAM, "run", "--rig", "rig.yaml", "--osc", str(self.port)], env=self.environment, cwd=directory,
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=subprocess.STDOUT)
        wait(lambda: "OSC:" in (directory / "log").read_text() or self.process.poll() is not None, "start")

    def stop(self):
        self.process.terminate()
        same(self.process.wait(TIMEOUT_S), 0, "exit status")

    def command(self, *words):
        """Runs a session command of the program, as another client."""
        return subprocess.run([PROGRAM, *words], env=self.environment, cwd=self.directory, check=True,
                              capture_output=True, timeout=TIMEOUT_S, text=True).stdout

    def value(self, node, symbol):
        nodes = json.loads(self.command("status", "--json"))
        nodes = nodes[0] if isinstance(nodes, list) else nodes.get("sessions", [nodes])[0]
        return next(one for one in nodes["nodes"] if one["name"] == node)["values"][symbol]

    def expect(self, node, symbol, value):
        wait(lambda: abs(self.value(node, symbol) - value) < 1e-3, f"{node}.{symbol} = {value}")

    def oscsend(self, *words, protocol="udp"):
        """Sends a message with liblo."""
        subprocess.run(["oscsend", f"osc.{protocol}://127.0.0.1:{self.port}", *words], check=True, timeout=TIMEOUT_S)

    def get(self, path, host=None, method="GET", headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT_S)
        connection.request(method, path, headers={"Host": host or f"127.0.0.1:{self.port}", **(headers or {})})
        response = connection.getresponse()
        body = response.read()
        connection.close()
        return response.status, json.loads(body) if body else None


def pad(data):
    return data + b"\0" * (4 - len(data) % 4)


def message(address, tags="", *values):
    data = b"".join(pad(v.encode()) if tag == "s" else struct.pack(f">{tag}", v) for tag, v in zip(tags, values))
    return pad(address.encode()) + pad(("," + tags).encode()) + data


def read_message(packet):
    """The address and the first argument of a message."""
    address, rest = packet.split(b"\0", 1)[0].decode(), packet[len(pad(packet.split(b"\0", 1)[0])):]
    tags, data = rest.split(b"\0", 1)[0].decode()[1:], rest[len(pad(rest.split(b"\0", 1)[0])):]
    tag = tags[:1]
    if tag in "fi" and tag:
        return address, struct.unpack(f">{tag}", data[:4])[0]
    if tag == "s":
        return address, data.split(b"\0", 1)[0].decode()
    return address, {"T": True, "F": False}.get(tag)


class WebSocket:
    """An OSCQuery client: frames as (opcode, contents)."""

    def __init__(self, session, origin=None, host=None):
        self.socket = socket.create_connection(("127.0.0.1", session.port), timeout=TIMEOUT_S)
        lines = ["GET / HTTP/1.1", f"Host: {host or f'127.0.0.1:{session.port}'}", "Upgrade: websocket",
                 "Connection: Upgrade", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="]
        self.socket.sendall("\r\n".join(lines + ([f"Origin: {origin}"] if origin else []) + ["", ""]).encode())
        head = b""
        while b"\r\n\r\n" not in head:
            head += self.socket.recv(1)
        self.status = int(head.split()[1])
        self.values, self.changes = {}, []

    def send(self, opcode, data):
        mask = b"\1\2\3\4"
        size = bytes([0x80 | len(data)]) if len(data) < 126 else bytes([0xFE]) + struct.pack(">H", len(data))
        self.socket.sendall(bytes([0x80 | opcode]) + size + mask + bytes(b ^ mask[i % 4] for i, b in enumerate(data)))

    def exact(self, count):
        data = b""
        while len(data) < count:
            part = self.socket.recv(count - len(data))
            assert part, "the connection was closed"
            data += part
        return data

    def read(self):
        """Reads one frame into `values` or `changes`."""
        first, size = self.exact(2)
        size = struct.unpack(">H", self.exact(2))[0] if size == 126 else size
        data = self.exact(size)
        if first & 15 == 2:
            address, value = read_message(data)
            self.values[address] = value
        elif first & 15 == 1:
            change = json.loads(data)
            self.changes.append((change["COMMAND"], change["DATA"]))
        elif first & 15 == 9:
            self.send(10, data)

    def until(self, condition, what):
        end = time.monotonic() + TIMEOUT_S
        while not condition():
            assert time.monotonic() < end, f"timed out: {what}; {self.changes[-5:]}"
            self.read()

    def listen(self, path, command="LISTEN"):
        self.send(1, json.dumps({"COMMAND": command, "DATA": path}).encode())


def leaves(tree):
    """All addresses of a tree with their descriptions."""
    found = {tree["FULL_PATH"]: tree} if "TYPE" in tree else {}
    for child in tree.get("CONTENTS", {}).values():
        found.update(leaves(child))
    return found
