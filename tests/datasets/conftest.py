"""A local HTTP server that misbehaves on request."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest


class Repository:
    """Responses of the server by path, and the requests it received."""

    def __init__(self):
        self.contents = {}  # path → bytes
        self.answers = {}  # path → list of status code or "cut", used up in order
        self.requests = []  # paths


@pytest.fixture
def repository():
    state = Repository()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            state.requests.append(self.path)
            queue = state.answers.get(self.path, [])
            special = queue.pop(0) if queue else None
            content = state.contents.get(self.path)
            if isinstance(special, int) or content is None:
                self.send_error(special if isinstance(special, int) else 404)
                return
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content[: len(content) // 2] if special == "cut" else content)

        def log_message(self, *arguments):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    state.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield state
    server.shutdown()
    thread.join()
    server.server_close()
