package io.mainstem.launcher.config;

import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Numbers with a unit, read and written: sizes in bytes and durations in milliseconds. */
final class Quantity {
    /** A bare number is bytes. Powers of 1024 only, so that nobody has to guess what MB means. */
    static final Quantity SIZE = new Quantity(
            true,
            List.of(
                    new Unit("B", 1),
                    new Unit("KiB", 1L << 10),
                    new Unit("MiB", 1L << 20),
                    new Unit("GiB", 1L << 30),
                    new Unit("TiB", 1L << 40)));

    /** A unit is always needed: 30 could mean seconds or milliseconds. */
    static final Quantity DURATION = new Quantity(
            false,
            List.of(
                    new Unit("ms", 1),
                    new Unit("s", 1_000),
                    new Unit("m", 60_000),
                    new Unit("h", 3_600_000),
                    new Unit("d", 86_400_000)));

    private static final Pattern FORM = Pattern.compile("(\\d{1,18})\\s*([A-Za-z]*)");

    private final boolean bareAllowed;
    private final List<Unit> units;

    private Quantity(boolean bareAllowed, List<Unit> units) {
        this.bareAllowed = bareAllowed;
        this.units = units;
    }

    long parse(String text) {
        Matcher matcher = FORM.matcher(text.strip());
        if (!matcher.matches()) {
            throw new IllegalArgumentException("not a whole number with a unit");
        }
        long number = Long.parseLong(matcher.group(1));
        String name = matcher.group(2);
        if (name.isEmpty() && bareAllowed) {
            return number;
        }
        if (name.isEmpty()) {
            throw new IllegalArgumentException("unit missing (units: " + unitNames(", ") + ")");
        }
        for (Unit unit : units) {
            if (unit.name.equals(name)) {
                return times(number, unit);
            }
        }
        throw new IllegalArgumentException("unknown unit '" + name + "' (units: " + unitNames(", ") + ")");
    }

    /** The shortest exact form. */
    String format(long value) {
        Unit best = units.get(0);
        for (Unit unit : units) {
            if (value != 0 && value % unit.factor == 0) {
                best = unit;
            }
        }
        return value / best.factor + best.name;
    }

    /** What {@link #parse} takes, as a JSON Schema pattern. */
    String pattern() {
        return String.format(Locale.ROOT, "^[0-9]{1,18} *(%s)%s$", unitNames("|"), bareAllowed ? "?" : "");
    }

    private String unitNames(String between) {
        return String.join(between, units.stream().map(Unit::name).toList());
    }

    private static long times(long number, Unit unit) {
        try {
            return Math.multiplyExact(number, unit.factor);
        } catch (ArithmeticException e) {
            throw new IllegalArgumentException("too large", e);
        }
    }

    private record Unit(String name, long factor) {}
}
