"""Serves the archives as a release does, over HTTPS, on this machine only. usage: serve.py DIRECTORY VERSION PORT-FILE KEY CERTIFICATE"""

import http.server, os, pathlib, ssl, sys

directory, version, port_file, key, certificate = sys.argv[1:]


class Release(http.server.SimpleHTTPRequestHandler):
    def translate_path(self, path):
        prefix = f"/releases/download/v{version}/"
        return os.path.join(directory, os.path.basename(path)) if path.startswith(prefix) else "/nowhere"


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Release)
tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
tls.load_cert_chain(certificate, key)
server.socket = tls.wrap_socket(server.socket, server_side=True)
pathlib.Path(port_file).write_text(str(server.server_port))
server.serve_forever()
