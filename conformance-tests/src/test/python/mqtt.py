"""python3 mqtt.py HOST PORT: paho-mqtt against a broker; prints one JSON line a case, then {"done": count}."""

import json
import queue
import sys
import traceback
import uuid

import paho.mqtt.client as paho

WAIT_SECONDS = 60
MESSAGES = 50
HOST, PORT = sys.argv[1], int(sys.argv[2])
VERSIONS = {"3.1": paho.MQTTv31, "3.1.1": paho.MQTTv311, "5.0": paho.MQTTv5}


def exchange(version, qos):
    topic = "paho-python/" + str(uuid.uuid4())
    received, subscribed, connected = queue.Queue(), queue.Queue(), queue.Queue()
    # Version 2 of the library wants to be told which callbacks it gets.
    first = [paho.CallbackAPIVersion.VERSION1] if hasattr(paho, "CallbackAPIVersion") else []
    client = paho.Client(*first, client_id="p" + uuid.uuid4().hex[:20], protocol=VERSIONS[version])
    client.on_connect = lambda *arguments: connected.put(arguments[3])
    client.on_subscribe = lambda *arguments: subscribed.put(True)
    client.on_message = lambda _client, _data, message: received.put(message.payload.decode())
    client.connect(HOST, PORT)
    client.loop_start()
    assert int(getattr(connected.get(timeout=WAIT_SECONDS), "value", 0)) == 0
    client.subscribe(topic, qos)
    subscribed.get(timeout=WAIT_SECONDS)
    for i in range(MESSAGES):
        client.publish(topic, f"m{i}", qos)
    for i in range(MESSAGES):
        got = received.get(timeout=WAIT_SECONDS)
        assert got == f"m{i}", got
    client.disconnect()
    client.loop_stop()


def main():
    cases = [(version, qos) for version in VERSIONS for qos in (0, 1, 2)]
    for version, qos in cases:
        result = {"case": f"paho-mqtt version {version} QoS {qos}", "ok": True}
        try:
            exchange(version, qos)
        except Exception:  # noqa: BLE001 - whatever it is, the case has failed
            result.update(ok=False, error=traceback.format_exc())
        print(json.dumps(result), flush=True)
    print(json.dumps({"done": len(cases)}), flush=True)


main()
