package io.mainstem.benchmarks.measure;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A table of results, printed as Markdown so that it can be put into RESULTS.md as it is. Thread: one. */
public final class Table {
    private final List<List<String>> rows = new ArrayList<>();

    public Table(String... columns) {
        rows.add(List.of(columns));
    }

    /** Adds a line; numbers are printed with as many digits as they deserve. */
    public Table row(Object... cells) {
        List<String> row = new ArrayList<>(cells.length);
        for (Object cell : cells) {
            row.add(text(cell));
        }
        rows.add(row);
        return this;
    }

    /** Prints title and table. */
    public void print(PrintStream out, String title) {
        int[] widths = new int[rows.get(0).size()];
        for (List<String> row : rows) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        out.println();
        out.println(title);
        out.println();
        for (int i = 0; i < rows.size(); i++) {
            out.println(line(rows.get(i), widths));
            if (i == 0) {
                out.println(rule(widths));
            }
        }
        out.flush();
    }

    private static String line(List<String> row, int[] widths) {
        StringBuilder line = new StringBuilder("|");
        for (int i = 0; i < widths.length; i++) {
            line.append(' ')
                    .append(row.get(i))
                    .append(" ".repeat(widths[i] - row.get(i).length()));
            line.append(" |");
        }
        return line.toString();
    }

    private static String rule(int[] widths) {
        StringBuilder rule = new StringBuilder("|");
        for (int width : widths) {
            rule.append("-".repeat(width + 2)).append('|');
        }
        return rule.toString();
    }

    private static String text(Object cell) {
        if (cell instanceof Double number) {
            if (number.isNaN()) {
                return "-";
            }
            return String.format(Locale.ROOT, Math.abs(number) < 10 ? "%.2f" : "%,.0f", number);
        }
        if (cell instanceof Long || cell instanceof Integer) {
            return String.format(Locale.ROOT, "%,d", ((Number) cell).longValue());
        }
        return cell.toString();
    }
}
