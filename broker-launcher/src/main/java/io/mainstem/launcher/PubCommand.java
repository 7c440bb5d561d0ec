package io.mainstem.launcher;

import jakarta.jms.CompletionListener;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.JMSProducer;
import jakarta.jms.Message;
import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code mainstem pub}. */
@Command(
        name = "pub",
        description = "Sends messages to a queue or topic; ends when the broker has taken them all.",
        footer = {
            "%nExamples:",
            "  mainstem pub orders 'a text' -H region=eu",
            "  mainstem pub topic://prices.eu --size 1000 --count 100000 --rate 5000",
            "  tail -f app.log | mainstem pub logs"
        })
final class PubCommand implements Callable<Integer> {
    /** Messages on the way to the broker at a time. */
    private static final int UNANSWERED_MAX = 1000;

    /** How long a pause between messages may be before somebody looks whether all shall end. */
    private static final long LOOK_NANOS = 500_000_000;

    @Spec
    @SuppressWarnings("NullAway.Init") // Set by picocli.
    private CommandSpec spec;

    @Mixin
    @SuppressWarnings("NullAway.Init") // Set by picocli.
    private ManagementOptions options;

    @Mixin
    @SuppressWarnings("NullAway.Init") // Set by picocli.
    private AddressOptions address;

    @Parameters(
            index = "1",
            arity = "0..1",
            paramLabel = "TEXT",
            description = "The body; without it, --file and --size, each line of standard input is a message.")
    private @Nullable String text;

    @Mixin
    @SuppressWarnings("NullAway.Init") // Set by picocli.
    private MessageOptions messages;

    @Option(
            names = {"-n", "--count"},
            paramLabel = "N",
            description = "So many messages; default 1, or all lines of standard input.")
    private long count = -1;

    @Option(
            names = {"-r", "--rate"},
            paramLabel = "N",
            description = "At most so many a second; default: as fast as the broker takes them.")
    private double rate;

    @Option(names = "--batch", paramLabel = "N", description = "Sends in transactions of so many messages.")
    private int batch;

    @Override
    public Integer call() throws JMSException, IOException {
        check();
        Progress progress = new Progress(spec.commandLine().getErr(), "sent");
        int mode = batch > 0 ? JMSContext.SESSION_TRANSACTED : JMSContext.AUTO_ACKNOWLEDGE;
        try (StopRequest stop = new StopRequest(stopped -> done(progress))) {
            try (JMSContext context = options.messaging(null).createContext(mode)) {
                send(context, progress, stop);
            }
            stop.sumUp();
        }
        return 0;
    }

    private void check() {
        messages.check();
        address.check(spec);
        Usage usage = new Usage(spec);
        usage.atLeast(
                "--count", (double) count, spec.commandLine().getParseResult().hasMatchedOption("--count") ? 0 : -1);
        usage.atLeast("--rate", rate, 0);
        usage.atLeast("--batch", batch, 0);
    }

    private void done(Progress progress) {
        options.printed().done(progress.sentence() + " to " + address, progress.summary());
        spec.commandLine().getOut().flush();
    }

    private void send(JMSContext context, Progress progress, StopRequest stop) throws JMSException, IOException {
        Outstanding outstanding = new Outstanding();
        JMSProducer producer = messages.producer(context);
        if (batch == 0) {
            producer.setAsync(outstanding);
        }
        long wanted = count >= 0 ? count : messages.readsLines(text) ? Long.MAX_VALUE : 1;
        long sent = 0;
        while (sent < wanted && !stop.isMade()) {
            Message message = messages.next(context, text, System.in);
            if (message == null) {
                break;
            }
            if (rate > 0) {
                waitUntil(progress.dueNanos(sent, rate), progress, stop);
            }
            if (stop.isMade()) {
                break;
            }
            if (batch == 0) {
                outstanding.begin();
            }
            producer.send(address.destination(context), message);
            sent++;
            if (batch > 0 && sent % batch == 0) {
                context.commit();
                progress.reached(sent);
            }
            // What the broker has not confirmed was not sent, as far as anybody may rely on it.
            if (batch == 0) {
                progress.reached(outstanding.taken());
            }
        }
        if (batch > 0) {
            context.commit();
        }
        outstanding.awaitAll();
        progress.reached(sent);
    }

    private static void waitUntil(long dueNanos, Progress progress, StopRequest stop) {
        for (long left = dueNanos - System.nanoTime();
                left > 0 && !stop.isMade();
                left = dueNanos - System.nanoTime()) {
            LockSupport.parkNanos(Math.min(left, LOOK_NANOS));
            progress.look();
        }
    }

    /** Messages that the broker has not answered yet. Thread: any. */
    private static final class Outstanding implements CompletionListener {
        private final Semaphore free = new Semaphore(UNANSWERED_MAX);
        private final AtomicReference<@Nullable Exception> failure = new AtomicReference<>();
        private final AtomicLong taken = new AtomicLong();

        /** Messages that the broker has confirmed. */
        long taken() {
            return taken.get();
        }

        void begin() throws JMSException {
            free.acquireUninterruptibly();
            check();
        }

        void awaitAll() throws JMSException {
            free.acquireUninterruptibly(UNANSWERED_MAX);
            check();
        }

        private void check() throws JMSException {
            Exception failed = failure.get();
            if (failed instanceof JMSException refused) {
                throw refused;
            }
            if (failed != null) {
                throw new IllegalStateException(failed);
            }
        }

        @Override
        public void onCompletion(Message message) {
            taken.incrementAndGet();
            free.release();
        }

        @Override
        public void onException(Message message, Exception exception) {
            failure.compareAndSet(null, exception);
            free.release();
        }
    }
}
