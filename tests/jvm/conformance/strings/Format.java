package strings;

import java.util.Calendar;
import java.util.Date;
import java.util.GregorianCalendar;
import java.util.Locale;
import java.util.TimeZone;

/** String.format over every conversion and its errors. */
public class Format {
    static void test(String f, Object... args) {
        try {
            System.out.println(f + " -> " + String.format(Locale.ROOT, f, args));
        } catch (RuntimeException e) {
            System.out.println(f + " -> " + e);
        }
    }

    public static void main(String[] args) {
        test("%d %5d %-5d| %05d %+d %,d %(d %x %X %o %#x", 1, 2, 3, 4, 5, 6000000, -7, 255, 255, 8, 16);
        test("%s %10s %-10s| %.2s %S %b %B %c %C", "a", "b", "c", "defg", "up", true, null, 'x', 121);
        test("%f %.3f %10.2f %e %.0e %g %a %E", 1.5, 2.0 / 3, 3.14159, 12345.678, 5.5, 0.00001, 1.0, 1e100);
        test("%f %e %s %08.2f", Double.NaN, Double.POSITIVE_INFINITY, -0.0, -3.7);
        test("%2$s %1$s %<s %s", "a", "b");
        test("%h %n%%", "hash");
        test("%d", "x");
        test("%q", 1);
        test("%s %s", "one");
        test("%-d", 1);
        test("%.2d", 1);
        test("%c", 0x110000);
        Calendar c = new GregorianCalendar(TimeZone.getTimeZone("UTC"), Locale.ROOT);
        c.setTimeInMillis(1234567890123L);
        test("%tF %<tT %<tY %<tB %<ta %<tj %<tL %<tp", c);
        test("%tc", new Date(0));
        test("%,.2f %s", new java.math.BigDecimal("1234567.895"), new java.math.BigInteger("99999999999999999999"));
        System.out.printf(Locale.GERMANY, "%,.2f %tB%n", 1234567.891, c);
        System.out.println(String.format("%s", new java.util.Formattable() {
            @Override
            public void formatTo(java.util.Formatter f, int flags, int width, int precision) {
                f.format("<%d %d %d>", flags, width, precision);
            }
        }));
    }
}
