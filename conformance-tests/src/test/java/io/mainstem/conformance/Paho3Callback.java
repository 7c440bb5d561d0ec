package io.mainstem.conformance;

import java.util.Queue;
import org.eclipse.paho.client.mqttv3.IMqttDeliveryToken;
import org.eclipse.paho.client.mqttv3.MqttCallback;
import org.eclipse.paho.client.mqttv3.MqttMessage;

/** Collects payloads as text. Thread: the client's. */
record Paho3Callback(Queue<String> received) implements MqttCallback {
    @Override
    public void connectionLost(Throwable cause) {
        // The test misses what does not come.
    }

    @Override
    public void messageArrived(String topic, MqttMessage message) {
        received.add(MqttClientLibrariesTest.text(message.getPayload()));
    }

    @Override
    public void deliveryComplete(IMqttDeliveryToken token) {
        // Publishing waits for that by itself.
    }
}
