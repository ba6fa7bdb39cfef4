"""ClickHouse's engine behind as much of its HTTP interface as its official client uses.

Arguments: the folder of the data, the password of the account `default`, and the port. Prints a line when it listens.
"""

import base64
import re
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import zstandard
from chdb import ChdbError, session

FOLDER, PASSWORD, PORT = sys.argv[1:4]
ENGINE = session.Session(FOLDER)
TURN = threading.Lock()  # the engine runs one query at a time

# What a query string may have beside settings.
OTHERS = {
    *("query", "database", "default_format", "query_id", "session_id", "user", "password", "role"),
    *("enable_http_compression", "wait_end_of_query", "cancel_http_readonly_queries_on_client_close"),
    *("send_progress_in_http_headers", "http_headers_progress_interval_ms", "date_time_input_format"),
}
INSERT = re.compile(rb"^\s*insert\s+into\s.*?(?=\sformat\s)", re.IGNORECASE | re.DOTALL)
SELECT = re.compile(rb"^\s*(select|with)\s", re.IGNORECASE)
CODE = re.compile(r"Code: (\d+)")
BOUNDARY = re.compile(r"^multipart/form-data; boundary=(.+)$")
PART = re.compile(rb'^\r\nContent-Disposition: form-data; name="([^"]+)"\r\n\r\n(.*)\r\n$', re.DOTALL)
MAX_FIELD = 128 * 1024  # http_max_field_value_size of a server
STATUS = {"60": 404, "81": 404, "516": 403, "497": 403, "241": 500, "164": 500}


def with_settings(query: bytes, settings: dict[str, str]) -> bytes:
    """Of one query only: the engine keeps what is SET."""
    if not settings:
        return query
    text = b" SETTINGS " + b", ".join(b"%s = '%s'" % (name.encode(), value.encode()) for name, value in settings.items())
    if insert := INSERT.match(query):
        return insert.group(0) + text + query[insert.end() :]
    return query.rstrip().rstrip(b";") + text if SELECT.match(query) else query


def fields_of(form: bytes, boundary: str) -> dict[str, str]:
    parts = [PART.match(part) for part in form.split(b"--" + boundary.encode())]
    return {part.group(1).decode(): part.group(2).decode() for part in parts if part}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        """The test has the output."""

    def do_GET(self) -> None:
        if urlsplit(self.path).path == "/ping":
            self.answer(200, b"Ok.\n")
        else:
            self.do_POST()

    def do_POST(self) -> None:
        query = parse_qs(urlsplit(self.path).query, keep_blank_values=True)
        named = {name: values[-1] for name, values in query.items()}
        body = self.read_body()
        if not self.is_known(named):
            self.refuse("Code: 516. DB::Exception: default: Authentication failed. (AUTHENTICATION_FAILED)")
            return
        if boundary := BOUNDARY.match(self.headers.get("content-type", "")):
            named |= fields_of(body, boundary.group(1))
            body = b""
        if any(len(value.encode()) > MAX_FIELD for value in named.values()):
            self.answer(500, b"Poco::Exception. Code: 1000, e.code() = 0, HTML Form Exception: Field value too long")
            return
        text = b"\n".join(part for part in (named.get("query", "").encode(), body) if part)
        params = {name[6:]: value for name, value in named.items() if name.startswith("param_")}
        settings = {n: v for n, v in named.items() if n not in OTHERS and not n.startswith("param_")}
        try:
            with TURN:
                result = ENGINE.query(with_settings(text, settings).decode(), named.get("default_format", "TabSeparated"), params=params or None)
                self.answer(200, result.bytes())
        except ChdbError as error:
            self.refuse(str(error))

    def read_body(self) -> bytes:
        if self.headers.get("transfer-encoding", "").lower() == "chunked":
            pieces = []
            while size := int(self.rfile.readline().split(b";")[0], 16):
                pieces.append(self.rfile.read(size))
                self.rfile.readline()
            self.rfile.readline()
            body = b"".join(pieces)
        else:
            body = self.rfile.read(int(self.headers.get("content-length", "0")))
        is_packed = self.headers.get("content-encoding") == "zstd"
        return zstandard.ZstdDecompressor().decompressobj().decompress(body) if is_packed else body

    def is_known(self, named: dict[str, str]) -> bool:
        kind, _, value = self.headers.get("authorization", "").partition(" ")
        if kind.lower() == "basic":
            return base64.b64decode(value).decode() == f"default:{PASSWORD}"
        return (self.headers.get("x-clickhouse-key") or named.get("password")) == PASSWORD

    def refuse(self, text: str) -> None:
        found = CODE.search(text)
        code = found.group(1) if found else "1002"
        self.answer(STATUS.get(code, 400), text.encode(), {"X-ClickHouse-Exception-Code": code})

    def answer(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("X-ClickHouse-Summary", "{}")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


SERVER = ThreadingHTTPServer(("127.0.0.1", int(PORT)), Handler)
SERVER.daemon_threads = True
print("listening", flush=True)
SERVER.serve_forever()
