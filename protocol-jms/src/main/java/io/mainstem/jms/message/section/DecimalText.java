package io.mainstem.jms.message.section;

import java.math.BigDecimal;
import java.math.BigInteger;
import org.apache.qpid.proton.amqp.Decimal128;
import org.apache.qpid.proton.amqp.Decimal32;
import org.apache.qpid.proton.amqp.Decimal64;

/**
 * AMQP decimals (IEEE 754-2008, binary integer form) as text; the codec gives their bits only. The broker's routing has the
 * like for its selectors and cannot share it: the client's jar carries no code of the broker, nor the other way round.
 */
final class DecimalText {
    private DecimalText() {}

    static String of(Number decimal) {
        if (decimal instanceof Decimal32 number) {
            return of(BigInteger.valueOf(number.getBits() & 0xffff_ffffL), 32, 8, 7);
        }
        if (decimal instanceof Decimal64 number) {
            return of(new BigInteger(Long.toUnsignedString(number.getBits())), 64, 10, 16);
        }
        BigInteger high = new BigInteger(Long.toUnsignedString(((Decimal128) decimal).getMostSignificantBits()));
        BigInteger low = new BigInteger(Long.toUnsignedString(((Decimal128) decimal).getLeastSignificantBits()));
        return of(high.shiftLeft(64).or(low), 128, 14, 34);
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
