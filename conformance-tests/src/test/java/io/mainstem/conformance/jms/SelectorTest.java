package io.mainstem.conformance.jms;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.jms.InvalidSelectorRuntimeException;
import jakarta.jms.JMSContext;
import jakarta.jms.Message;
import jakarta.jms.Queue;
import jakarta.jms.QueueBrowser;
import java.util.ArrayList;
import java.util.List;

/** The language of selectors, by what a browser sees of one message (Jakarta Messaging 3.8.1). */
final class SelectorTest {
    private static final List<String> TRUE = List.of(
            "",
            "  ",
            "n = 5",
            "n=5 AND NOT n<>5",
            "n > 4 and n >= 5 And n < 6 aNd n <= 5",
            "n = 5.0",
            "d = 2.5",
            "d > 2",
            "n + 2 * 3 = 11",
            "(n + 2) * 3 = 21",
            "-n = -5",
            "+n = +5",
            "n / 2 = 2",
            "n / 2.0 = 2.5",
            "n - 1 = 4",
            "n = 0x5",
            "n = 05",
            "big = 9223372036854775807",
            "d = 25E-1",
            "d < 7.",
            "d > -57.9E2",
            "n BETWEEN 5 AND 6",
            "n NOT BETWEEN 6 AND 9",
            "text = 'it''s'",
            "text <> 'other'",
            "text IN ('a', 'it''s')",
            "text NOT IN ('a', 'b')",
            "text LIKE 'it%'",
            "text LIKE '__''_'",
            "text NOT LIKE 'a%'",
            "under LIKE '\\_%' ESCAPE '\\'",
            "dots LIKE 'a.c%'",
            "flag",
            "flag = TRUE",
            "flag <> false",
            "NOT (n = 6)",
            "n = 6 OR n = 5 AND flag",
            "missing IS NULL",
            "text IS NOT NULL",
            "missing = 1 OR n = 5",
            "$money = 1",
            "_under = 1",
            "JMSPriority = 7",
            "JMSDeliveryMode = 'PERSISTENT'",
            "JMSType = 'quote'",
            "JMSCorrelationID = 'c'",
            "JMSTimestamp > 0",
            "JMSMessageID LIKE 'ID:%'",
            "JMSXGroupID IS NULL");

    private static final List<String> NOT_TRUE = List.of(
            "n = 6",
            "digits = 2",
            "digits > 1",
            "n = '5'",
            "N = 5",
            "text = 'IT''S'",
            "dots LIKE 'abc%'",
            "text LIKE 'it'",
            "missing = 1",
            "missing <> 1",
            "NOT (missing = 1)",
            "missing > 1 OR missing <= 1",
            "missing + 1 = 1",
            "missing IN ('a')",
            "missing NOT IN ('a')",
            "missing LIKE 'a%'",
            "missing NOT LIKE 'a%'",
            "missing BETWEEN 1 AND 2",
            "missing NOT BETWEEN 1 AND 2",
            "missing = missing",
            "n = 5 AND missing",
            "JMSDeliveryMode = 'NON_PERSISTENT'");

    private static final List<String> WRONG = List.of(
            "n =",
            "= 5",
            "n = 5 AND",
            "n BETWEEN 5",
            "n IN",
            "text IN (5)",
            "text LIKE 5",
            "text LIKE 'a' ESCAPE 'ab'",
            "(n = 5",
            "n = 5)",
            "'unfinished",
            "1a = 5",
            "NULL = 5",
            "n IS 5",
            "n == 5",
            "n = 5 /* comment */");

    private static Queue withOneMessage(JMSContext context) throws Exception {
        Queue queue = context.createQueue(Names.unique("selector"));
        Message message = context.createMessage();
        message.setIntProperty("n", 5);
        message.setLongProperty("big", Long.MAX_VALUE);
        message.setDoubleProperty("d", 2.5);
        message.setStringProperty("text", "it's");
        message.setStringProperty("digits", "2");
        message.setStringProperty("under", "_foo");
        message.setStringProperty("dots", "a.c.d");
        message.setBooleanProperty("flag", true);
        message.setIntProperty("$money", 1);
        message.setIntProperty("_under", 1);
        message.setJMSType("quote");
        message.setJMSCorrelationID("c");
        context.createProducer().setPriority(7).send(queue, message);
        return queue;
    }

    private static boolean matches(JMSContext context, Queue queue, String selector) throws Exception {
        try (QueueBrowser browser = context.createBrowser(queue, selector)) {
            return browser.getEnumeration().hasMoreElements();
        }
    }

    @AllClients
    @Clause({"3.8.1.1", "3.8.1.2", "3.8.1.3"})
    void selectorsMatchAsTheirLanguageSays(JmsClient client) throws Exception {
        try (JMSContext context = client.factory().createContext()) {
            Queue queue = withOneMessage(context);
            for (String selector : TRUE) {
                assertThat(matches(context, queue, selector)).as(selector).isTrue();
            }
            for (String selector : NOT_TRUE) {
                assertThat(matches(context, queue, selector)).as(selector).isFalse();
            }
        }
    }

    @OurClients
    @Clause("3.8.1.1")
    void whatIsNoSelectorIsRefusedWhenItIsGiven(JmsClient client) throws Exception {
        try (JMSContext context = client.factory().createContext()) {
            Queue queue = withOneMessage(context);
            List<String> taken = new ArrayList<>();
            int refusals = 0;
            for (String selector : WRONG) {
                try {
                    context.createConsumer(queue, selector).close();
                    taken.add(selector);
                } catch (InvalidSelectorRuntimeException refused) {
                    refusals++;
                }
            }
            assertThat(taken).isEmpty();
            assertThat(refusals).isEqualTo(WRONG.size());
        }
    }
}
