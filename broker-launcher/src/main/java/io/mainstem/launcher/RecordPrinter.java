package io.mainstem.launcher;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.mainstem.store.Delay;
import io.mainstem.store.MetaChange;
import io.mainstem.store.RecordBody;
import io.mainstem.store.RecordType;
import io.mainstem.store.Route;
import io.mainstem.store.codec.MalformedException;
import io.mainstem.store.segment.CommitLog;
import io.mainstem.store.segment.LogInspector;
import io.mainstem.store.segment.LogInspector.Damage;
import io.mainstem.store.segment.LogInspector.FoundRecord;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Prints log records for people (one line each) or for programs (one JSON object a line). */
final class RecordPrinter implements LogInspector.Findings {
    private final PrintWriter out;
    private final boolean json;
    private final long fromLsn;
    private long left;

    /** @param limit records to print at most; damages are always printed */
    RecordPrinter(PrintWriter out, boolean json, long fromLsn, long limit) {
        this.out = out;
        this.json = json;
        this.fromLsn = fromLsn;
        this.left = limit;
    }

    @Override
    public void record(FoundRecord record, Supplier<byte[]> body) {
        if (record.lsn() < fromLsn || left <= 0) {
            return;
        }
        left--;
        RecordType type = RecordType.of(record.type());
        String name = type == null ? "type " + record.type() : type.name();
        String detail = detail(type, record, body);
        if (json) {
            ObjectNode line = JsonNodeFactory.instance.objectNode();
            line.put("lsn", record.lsn()).put("type", name).put("flags", record.flags());
            line.put("epoch", record.epoch()).put("bytes", record.bodyBytes());
            line.put("time", Instant.ofEpochMilli(record.timeMs()).toString()).put("detail", detail);
            out.println(line);
        } else {
            out.println(String.format(
                    Locale.ROOT,
                    "%20d %-8s %9d bytes  %s  %s",
                    record.lsn(),
                    name,
                    record.bodyBytes(),
                    Instant.ofEpochMilli(record.timeMs()),
                    detail));
        }
    }

    @Override
    public void damage(Damage damage) {
        if (json) {
            ObjectNode line = JsonNodeFactory.instance.objectNode();
            line.put("lsn", damage.lsn()).put("type", damage.durable() ? "DAMAGE" : "TORN");
            line.put("untilLsn", damage.untilLsn()).put("file", damage.file()).put("detail", damage.what());
            out.println(line);
        } else {
            out.println(String.format(
                    Locale.ROOT,
                    "%20d %-8s to %d in %s: %s",
                    damage.lsn(),
                    damage.durable() ? "DAMAGE" : "TORN",
                    damage.untilLsn(),
                    damage.file(),
                    damage.what()));
        }
    }

    private static String detail(@Nullable RecordType type, FoundRecord record, Supplier<byte[]> body) {
        if (type == null) {
            return "";
        }
        return switch (type) {
            case MSG, MSG_REF, SETTLE, RELEASE, PURGE, META, DEDUP -> decoded(type, record, body.get());
            case BATCH, PAD, EPOCH, MSG_PART -> "";
        };
    }

    private static String decoded(RecordType type, FoundRecord record, byte[] body) {
        try {
            if ((record.flags() & CommitLog.FLAG_LARGE) == 0) {
                return text(RecordBody.decode(type, body, 0), body.length);
            }
            RecordBody.PartList parts = RecordBody.partList(body);
            int elsewhere = IntStream.of(parts.bytes()).sum();
            return "in " + (parts.lsn().length + 1) + " parts, "
                    + text(RecordBody.decode(type, body, parts.bodyFrom()), body.length + elsewhere);
        } catch (MalformedException e) {
            return "malformed: " + e.getMessage();
        }
    }

    private static String text(RecordBody body, int bytes) {
        if (body instanceof RecordBody.Message message) {
            Delay delay = message.delay();
            String to = delay == null ? routes(message.routes()) : delayed(delay);
            return "to " + to + ", payload " + (bytes - message.payloadFrom()) + " bytes";
        }
        if (body instanceof RecordBody.MessageRef ref) {
            return "message at " + ref.targetLsn() + " to " + routes(ref.routes());
        }
        if (body instanceof RecordBody.Settle settle) {
            return settle.lanes().stream().map(RecordPrinter::settled).collect(Collectors.joining("; "));
        }
        if (body instanceof RecordBody.Release release) {
            return release.lanes().stream()
                    .map(lane -> "lane " + lane.laneId() + " index " + indexes(lane.indexes()))
                    .collect(Collectors.joining("; "));
        }
        if (body instanceof RecordBody.Purge purge) {
            return "queue " + purge.queueId() + (purge.dropQueue() ? " dropped" : "");
        }
        if (body instanceof RecordBody.Dedup dedup) {
            return dedup.marks().stream()
                    .map(mark -> mark.key() + " bit " + mark.bit() + " at " + Instant.ofEpochMilli(mark.atMs()))
                    .collect(Collectors.joining("; "));
        }
        return ((RecordBody.Meta) body)
                .changes().stream().map(RecordPrinter::change).collect(Collectors.joining("; "));
    }

    private static String delayed(Delay delay) {
        return Stream.of(delay.stored(), delay.inMemory(), delay.bestEffort())
                        .filter(lanes -> !lanes.isEmpty())
                        .map(RecordPrinter::routes)
                        .collect(Collectors.joining(", "))
                + " not before " + Instant.ofEpochMilli(delay.deliverAtMs());
    }

    private static String routes(List<Route> routes) {
        return routes.stream()
                .map(route -> "queue " + route.queueId() + " priority " + route.priority())
                .collect(Collectors.joining(", "));
    }

    private static String settled(RecordBody.SettledRanges ranges) {
        StringBuilder text = new StringBuilder("lane " + ranges.laneId() + " " + ranges.kind());
        for (int i = 0; i < ranges.first().length; i++) {
            text.append(' ').append(ranges.first()[i]);
            if (ranges.count()[i] > 1) {
                text.append("..").append(ranges.first()[i] + ranges.count()[i] - 1);
            }
        }
        return text.toString();
    }

    private static String indexes(long[] indexes) {
        StringBuilder text = new StringBuilder();
        for (long index : indexes) {
            text.append(text.isEmpty() ? "" : " ").append(index);
        }
        return text.toString();
    }

    private static String change(MetaChange change) {
        return (change.value() == null ? "delete " : "put ") + change.key();
    }
}
