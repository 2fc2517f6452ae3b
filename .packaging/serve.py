"""Serves the archives as a release does, on this machine only. usage: serve.py DIRECTORY VERSION PORT-FILE"""

import functools, http.server, os, pathlib, sys

directory, version, port_file = sys.argv[1:]


class Release(http.server.SimpleHTTPRequestHandler):
    def translate_path(self, path):
        prefix = f"/releases/download/v{version}/"
        return os.path.join(directory, os.path.basename(path)) if path.startswith(prefix) else "/nowhere"


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Release)
pathlib.Path(port_file).write_text(str(server.server_port))
server.serve_forever()
