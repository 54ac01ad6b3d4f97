"""python-lsp-server with its flake8 plugin shows the findings in an editor: spoken to as an editor does."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import pytest

SOURCE = """\
import torch


def step(x: torch.Tensor, w: torch.nn.Parameter) -> None:
    größe, y = "é", (x @ w).sigmoid()
    y *= 2
    y.sum().backward()
"""
# what docs/editors.md tells to set
SETTINGS = {"pylsp": {"plugins": {"flake8": {"enabled": True}, "pycodestyle": {"enabled": False}}}}


class Server:
    """A language server on a pair of pipes."""

    def __init__(self, folder: Path) -> None:
        environment = {**os.environ, "PATH": os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]])}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "pylsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=folder, env=environment
        )
        self.watchdog = threading.Timer(60, self.process.kill)
        self.watchdog.start()

    def send(self, method: str, params: object, number: int | None = None) -> None:
        message = {"jsonrpc": "2.0", "method": method, "params": params} | ({} if number is None else {"id": number})
        body = json.dumps(message).encode()
        stdin = self.pipe(self.process.stdin)
        stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        stdin.flush()

    def messages(self) -> Iterator[dict[str, Any]]:
        stdout = self.pipe(self.process.stdout)
        while header := stdout.readline():
            length = int(header.partition(b":")[2]) if header.lower().startswith(b"content-length") else 0
            while header.strip():
                header = stdout.readline()
            yield json.loads(stdout.read(length))

    def close(self) -> None:
        self.watchdog.cancel()
        self.process.kill()
        self.process.communicate()

    @staticmethod
    def pipe(stream: IO[bytes] | None) -> IO[bytes]:
        assert stream is not None
        return stream


@pytest.fixture
def server(project: Path) -> Iterator[Server]:
    pytest.importorskip("pylsp", reason="python-lsp-server is not installed")
    one = Server(project)
    yield one
    one.close()


def test_findings_are_published(server: Server, project: Path) -> None:
    path = project / "net.py"
    path.write_text(SOURCE)
    server.send("initialize", {"processId": None, "rootUri": project.as_uri(), "capabilities": {}}, 1)
    found: list[dict[str, Any]] = []
    for message in server.messages():
        if message.get("id") == 1:
            server.send("initialized", {})
            server.send("workspace/didChangeConfiguration", {"settings": SETTINGS})
            document = {"uri": path.as_uri(), "languageId": "python", "version": 1, "text": SOURCE}
            server.send("textDocument/didOpen", {"textDocument": document})
        if message.get("method") == "textDocument/publishDiagnostics":
            found = [one for one in message["params"]["diagnostics"] if str(one.get("code", "")).startswith("IPG")]
            break
    (diagnostic,) = found
    assert diagnostic["code"] == "IPG101"
    assert diagnostic["source"] == "flake8"
    assert "overwrites what sigmoid on line 5 saved" in diagnostic["message"]
    assert diagnostic["range"]["start"] == {"line": 5, "character": 4}  # counted from 0
