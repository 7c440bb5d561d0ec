package io.mainstem.benchmarks.peers;

import io.mainstem.benchmarks.amqp.LoadResult;
import io.mainstem.benchmarks.measure.Latencies;
import io.mainstem.benchmarks.measure.Table;
import java.util.Locale;

/** What the turns of one broker come to. Thread: one. */
final class Totals {
    private final String broker;
    private final Latencies confirms = new Latencies();
    private final Latencies deliveries = new Latencies();
    private final StringBuilder perRound = new StringBuilder();
    private long confirmed;
    private long received;
    private double sendSeconds;
    private double seconds;
    private double cpuSeconds;
    private double compilerSeconds;

    Totals(String broker) {
        this.broker = broker;
    }

    void add(LoadResult result) {
        confirms.add(result.confirms());
        deliveries.add(result.deliveries());
        confirmed += result.confirmed();
        received += result.received();
        sendSeconds += result.sendSeconds();
        seconds += result.seconds();
        cpuSeconds += result.serverCpu().total();
        compilerSeconds += result.serverCpu().compilers();
        perRound.append(perRound.length() == 0 ? "" : " / ");
        perRound.append(String.format(Locale.ROOT, "%,.0f", result.perCpuSecond()));
    }

    void addTo(Table table, double loopMicros) {
        table.row(
                broker,
                confirmed,
                confirmed / sendSeconds,
                received / seconds,
                confirms.percentileMicros(50),
                confirms.percentileMicros(90),
                confirms.percentileMicros(99),
                confirms.percentileMicros(50) / loopMicros,
                deliveries.percentileMicros(50),
                cpuSeconds * 1e6 / confirmed,
                compilerSeconds * 1e6 / confirmed,
                confirmed / cpuSeconds,
                perRound);
    }
}
