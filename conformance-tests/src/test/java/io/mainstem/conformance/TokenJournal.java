package io.mainstem.conformance;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * What clients were told about the ways of tokens, and what was found in the end. A token makes one hop a transaction.
 * Thread: any while clients run; then its owner's.
 */
final class TokenJournal {
    private final Map<Integer, Integer> confirmedHops = new ConcurrentHashMap<>();
    private final Set<String> rolledBack = ConcurrentHashMap.newKeySet();
    private final Set<String> committed = ConcurrentHashMap.newKeySet();
    private final ConcurrentLinkedQueue<String> faults = new ConcurrentLinkedQueue<>();
    private final Map<Integer, List<Integer>> found = new HashMap<>();
    private final Map<Integer, List<Integer>> receipts = new HashMap<>();
    private final Map<String, Integer> receiptsOf = new HashMap<>();
    private final Map<String, Integer> sizeOf = new HashMap<>();

    /**
     * A token's place after a hop, or the receipt of the hop.
     *
     * @param transaction that made it
     * @param size hops of that transaction
     */
    record Hop(int token, int number, String transaction, int size) {
        static Hop first(int token) {
            return new Hop(token, 0, "none", 0);
        }

        static Hop parse(String text) {
            String[] parts = text.split(" ", -1);
            return new Hop(
                    Integer.parseInt(parts[0]), Integer.parseInt(parts[1]), parts[2], Integer.parseInt(parts[3]));
        }

        Hop next(String by, int sizeOfTransaction) {
            return new Hop(token, number + 1, by, sizeOfTransaction);
        }

        String text() {
            return token + " " + number + " " + transaction + " " + size;
        }
    }

    void committed(String transaction, List<Hop> hops) {
        committed.add(transaction);
        hops.forEach(hop -> confirmedHops.merge(hop.token(), hop.number(), Math::max));
    }

    void rolledBack(String transaction) {
        rolledBack.add(transaction);
    }

    void fault(String what) {
        faults.add(what);
    }

    void foundToken(Hop hop) {
        found.computeIfAbsent(hop.token(), token -> new ArrayList<>()).add(hop.number());
    }

    void foundReceipt(Hop hop) {
        receipts.computeIfAbsent(hop.token(), token -> new ArrayList<>()).add(hop.number());
        receiptsOf.merge(hop.transaction(), 1, Integer::sum);
        sizeOf.put(hop.transaction(), hop.size());
    }

    int committed() {
        return committed.size();
    }

    /** Hops that the tokens found so far have made: as many receipts are there, or on their way. */
    int hopsFound() {
        return found.values().stream()
                .mapToInt(places ->
                        places.stream().mapToInt(Integer::intValue).max().orElse(0))
                .sum();
    }

    /** Everything that is not as it must be. */
    List<String> faults(int tokens) {
        List<String> all = new ArrayList<>(faults);
        for (int token = 0; token < tokens; token++) {
            List<Integer> places = found.getOrDefault(token, List.of());
            if (places.size() != 1) {
                all.add("token " + token + " is there " + places.size() + " times, after hops " + places);
                continue;
            }
            int hops = places.get(0);
            List<Integer> told =
                    receipts.getOrDefault(token, List.of()).stream().sorted().toList();
            if (!told.equals(
                    java.util.stream.IntStream.rangeClosed(1, hops).boxed().toList())) {
                all.add("token " + token + " made " + hops + " hops, its receipts are " + told);
            }
            if (hops < confirmedHops.getOrDefault(token, 0)) {
                all.add("token " + token + " made " + hops + " hops, confirmed are " + confirmedHops.get(token));
            }
        }
        receiptsOf.forEach((transaction, count) -> {
            if (!count.equals(sizeOf.get(transaction))) {
                all.add("transaction " + transaction + " left " + count + " of " + sizeOf.get(transaction)
                        + " receipts");
            }
            if (rolledBack.contains(transaction)) {
                all.add("transaction " + transaction + " was rolled back and left receipts");
            }
        });
        return all;
    }

    String summary() {
        return committed.size() + " transactions confirmed, " + rolledBack.size() + " rolled back, " + receiptsOf.size()
                + " found";
    }
}
