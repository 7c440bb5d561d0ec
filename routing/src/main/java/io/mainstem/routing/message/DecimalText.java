package io.mainstem.routing.message;

import java.math.BigDecimal;
import java.math.BigInteger;

/** AMQP decimals (IEEE 754-2008, binary integer form) as text. Thread: any. */
final class DecimalText {
    private static final int DECIMAL_32 = 0x74;
    private static final int DECIMAL_64 = 0x84;

    private DecimalText() {}

    static String of(AmqpValueReader.Decimal decimal) {
        BigInteger bits = new BigInteger(decimal.hex(), 16);
        return switch (decimal.typeCode()) {
            case DECIMAL_32 -> of(bits, 32, 8, 7);
            case DECIMAL_64 -> of(bits, 64, 10, 16);
            default -> of(bits, 128, 14, 34);
        };
    }

    private static String of(BigInteger bits, int width, int exponentBits, int digits) {
        String sign = bits.testBit(width - 1) ? "-" : "";
        int top = bits.shiftRight(width - 6).intValue() & 0x1f;
        if (top >= 0x1e) {
            return top == 0x1f ? "NaN" : sign + "Infinity";
        }
        boolean large = top >= 0x18;
        int coefficientBits = width - 1 - exponentBits - (large ? 2 : 0);
        int exponent = bits.shiftRight(coefficientBits).intValue() & ((1 << exponentBits) - 1);
        BigInteger coefficient = bits.mod(BigInteger.ONE.shiftLeft(coefficientBits));
        if (large) {
            coefficient = coefficient.or(BigInteger.valueOf(4).shiftLeft(coefficientBits));
        }
        if (coefficient.compareTo(BigInteger.TEN.pow(digits)) >= 0) {
            coefficient = BigInteger.ZERO; // not canonical: the standard reads it as zero
        }
        int bias = (3 << (exponentBits - 3)) + digits - 2;
        return sign + new BigDecimal(coefficient, bias - exponent);
    }
}
