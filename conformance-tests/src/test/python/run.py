"""run.py HOST PORT [FILTER]: runs the cases against a broker, prints one JSON line each, then {"done": count}."""

import json
import sys
import threading
import time
import traceback

from cases import CASES
from peer import Peer

CASE_SECONDS = 60


class Broker:
    """Opens connections for one case and closes them after it."""

    def __init__(self, url):
        self.url = url
        self.peers = []

    def open(self, container_id=None, **options):
        peer = Peer(self.url, container_id=container_id, **options)
        self.peers.append(peer)
        return peer

    def close(self):
        for peer in self.peers:
            try:
                peer.close()
            except Exception:
                # The case has been judged; a connection that it broke may not close.
                traceback.print_exc()


def run_case(case, url):
    broker = Broker(url)
    started = time.monotonic()
    result = {"case": case.__name__.replace("_", " "), "ok": True}
    try:
        case(broker)
    except Exception:
        result["ok"] = False
        result["error"] = traceback.format_exc()
    broker.close()
    result["ms"] = int((time.monotonic() - started) * 1000)
    return result


def main():
    host, port = sys.argv[1:3]
    wanted = sys.argv[3].replace(" ", "_") if len(sys.argv) > 3 else ""
    count = 0
    for case in CASES:
        if wanted not in case.__name__:
            continue
        results = []
        worker = threading.Thread(target=lambda: results.append(run_case(case, f"amqp://{host}:{port}")), daemon=True)
        worker.start()
        worker.join(CASE_SECONDS)
        if not results:
            results.append({"case": case.__name__, "ok": False, "error": f"took more than {CASE_SECONDS} s"})
        print(json.dumps(results[0]), flush=True)
        count += 1
    print(json.dumps({"done": count}), flush=True)


main()
