package numeric;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.math.RoundingMode;

/** BigInteger and BigDecimal over sizes that reach each multiplication algorithm. */
public class BigNumbers {
    public static void main(String[] args) {
        BigInteger f = BigInteger.ONE;
        for (int i = 2; i <= 600; i++) {
            f = f.multiply(BigInteger.valueOf(i));
        }
        System.out.println(f.bitLength() + " " + f.toString().length() + " " + f.mod(BigInteger.valueOf(1000003)) + " " + f.hashCode());
        BigInteger sq = f.multiply(f);
        System.out.println(sq.divide(f).equals(f) + " " + sq.sqrt().equals(f) + " " + f.gcd(BigInteger.TWO.pow(500)));
        BigInteger p = new BigInteger("170141183460469231731687303715884105727");
        System.out.println(p.isProbablePrime(20) + " " + BigInteger.valueOf(3).modPow(f, p) + " " + BigInteger.valueOf(12345).modInverse(p));
        System.out.println(new BigInteger("-123456789abcdef", 16).shiftRight(7) + " " + BigInteger.valueOf(-7).mod(BigInteger.valueOf(3)) + " " + BigInteger.valueOf(-7).remainder(BigInteger.valueOf(3)));
        System.out.println(f.toString(36).substring(0, 40) + " " + BigInteger.TWO.pow(100).negate().and(BigInteger.valueOf(-5)));
        BigDecimal a = new BigDecimal("1.10");
        System.out.println(a.add(new BigDecimal("2.205")) + " " + a.multiply(a) + " " + a.equals(new BigDecimal("1.1")) + " " + a.compareTo(new BigDecimal("1.1")));
        for (RoundingMode m : RoundingMode.values()) {
            try {
                System.out.println(m + " " + new BigDecimal("-2.5").setScale(0, m) + " " + new BigDecimal("1.15").setScale(1, m));
            } catch (ArithmeticException e) {
                System.out.println(m + " " + e.getMessage());
            }
        }
        System.out.println(BigDecimal.ONE.divide(new BigDecimal(7), MathContext.DECIMAL128) + " " + new BigDecimal(2).sqrt(new MathContext(50)));
        try {
            System.out.println(BigDecimal.ONE.divide(new BigDecimal(3)));
        } catch (ArithmeticException e) {
            System.out.println(e.getMessage());
        }
        System.out.println(new BigDecimal(0.1) + " " + new BigDecimal("1E+5").toPlainString() + " " + new BigDecimal("123000").stripTrailingZeros());
        BigInteger x = BigInteger.ONE.shiftLeft(20000).subtract(BigInteger.ONE);
        System.out.println(x.multiply(x).bitCount() + " " + x.pow(3).mod(BigInteger.valueOf(997)));
    }
}
