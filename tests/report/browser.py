"""A headless Chromium, driven over the WebDriver protocol of chromedriver: the few commands that the tests need."""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import subprocess
import tempfile
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

BINARIES = ("chromium", "chromium-browser", "google-chrome")
_ELEMENT = "element-6066-11e4-a52e-4f735466cecf"


def missing() -> str | None:
    """Why there is no browser to test with; None if there is one."""
    if not any(map(shutil.which, BINARIES)):
        return f"no Chromium on PATH ({', '.join(BINARIES)})"
    return None if shutil.which("chromedriver") else "no chromedriver on PATH"


class Browser:
    def __init__(self, width: int = 1280, height: int = 800) -> None:
        self._profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self._driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, text=True)
        assert self._driver.stdout is not None
        port = next(int(found[1]) for line in self._driver.stdout if (found := re.search(r"on port (\d+)\.", line)))
        self._url = f"http://127.0.0.1:{port}/session"
        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-dev-shm-usage"]
        arguments += [f"--window-size={width},{height}", f"--user-data-dir={self._profile.name}"]
        options = {"args": arguments, "binary": next(filter(None, map(shutil.which, BINARIES)))}
        wanted = {"browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
        session = self._send("", {"capabilities": {"alwaysMatch": wanted}})["sessionId"]
        self._url += f"/{session}"
        self.resize(width, height)

    def close(self) -> None:
        try:
            self._send("", method="DELETE")
        finally:
            self._driver.terminate()
            self._driver.wait(timeout=10)
            self._profile.cleanup()

    def resize(self, width: int, height: int) -> None:
        """The window in which the page is seen."""
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self._devtools("Emulation.setDeviceMetricsOverride", metrics)

    def dark(self, on: bool) -> None:
        feature = {"name": "prefers-color-scheme", "value": "dark" if on else "light"}
        self._devtools("Emulation.setEmulatedMedia", {"features": [feature]})

    def open(self, path: Path, fragment: str = "") -> None:
        self._send("/url", {"url": "about:blank"})  # so that a change of the fragment alone loads the page anew
        self._send("/url", {"url": path.resolve().as_uri() + fragment})

    def run(self, script: str, *arguments: Any) -> Any:
        """The value of a JavaScript function's body."""
        return self._send("/execute/sync", {"script": script, "args": list(arguments)})

    def click(self, selector: str) -> None:
        """As a person does it: scrolled to, in the middle, and only if nothing covers it."""
        element = self._send("/element", {"using": "css selector", "value": selector})[_ELEMENT]
        self._send(f"/element/{element}/click", {})
        self.settle()

    def settle(self) -> None:
        """What a click sets off in the address comes as an event of its own, a moment later."""
        self.run("return new Promise((done) => setTimeout(done, 50))")

    def text(self, selector: str) -> str:
        return str(self.run("return document.querySelector(arguments[0]).innerText", selector))

    def count(self, selector: str) -> int:
        return int(self.run("return document.querySelectorAll(arguments[0]).length", selector))

    def complaints(self) -> list[str]:
        """What the browser's console got since it was last asked."""
        return [entry["message"] for entry in self._send("/se/log", {"type": "browser"})]

    def screenshot(self, path: Path) -> None:
        path.write_bytes(base64.b64decode(self._send("/screenshot", method="GET")))

    def _devtools(self, command: str, parameters: dict[str, Any]) -> None:
        self._send("/goog/cdp/execute", {"cmd": command, "params": parameters})

    def _send(self, path: str, body: dict[str, Any] | None = None, method: str = "POST") -> Any:
        data = json.dumps(body or {}).encode() if method == "POST" else None
        request = urllib.request.Request(self._url + path, data, {"Content-Type": "application/json"}, method=method)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=60) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(json.load(error)["value"]["message"]) from None


def keep(browser: Browser, name: str) -> None:
    """A picture to look at, if the environment names a folder for it."""
    folder = os.environ.get("SCREENSHOTS")
    if folder:
        Path(folder).mkdir(parents=True, exist_ok=True)
        browser.screenshot(Path(folder, f"{name}.png"))
