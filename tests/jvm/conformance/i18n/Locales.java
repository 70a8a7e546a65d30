package i18n;

import java.text.DateFormat;
import java.text.DecimalFormat;
import java.text.MessageFormat;
import java.text.NumberFormat;
import java.text.SimpleDateFormat;
import java.util.Currency;
import java.util.Date;
import java.util.Locale;
import java.util.TimeZone;

/** Formats of numbers, money, dates and messages in several locales. */
public class Locales {
    public static void main(String[] args) throws Exception {
        Date d = new Date(1234567890000L);
        for (Locale l : new Locale[] {Locale.US, Locale.GERMANY, Locale.FRANCE, Locale.JAPAN, new Locale("hi", "IN"), new Locale("ar", "EG"), new Locale("sv", "SE")}) {
            DateFormat f = DateFormat.getDateTimeInstance(DateFormat.FULL, DateFormat.MEDIUM, l);
            f.setTimeZone(TimeZone.getTimeZone("UTC"));
            System.out.println(l + " " + l.getDisplayName(Locale.ENGLISH) + " " + NumberFormat.getInstance(l).format(1234567.891) + " " + NumberFormat.getPercentInstance(l).format(0.256) + " " + NumberFormat.getCurrencyInstance(l).format(-1234.5) + " " + f.format(d));
        }
        SimpleDateFormat s = new SimpleDateFormat("yyyy-MM-dd'T'HH:mm:ss.SSSZ EEE", Locale.ENGLISH);
        s.setTimeZone(TimeZone.getTimeZone("America/New_York"));
        System.out.println(s.format(d) + " " + s.parse("2020-02-29T12:00:00.000+0000 Sat").getTime());
        System.out.println(MessageFormat.format("{0} has {1,number,#.##} {2,choice,0#none|1#one|1<many {2}}", "x", 3.14159, 5) + " " + new DecimalFormat("#,##0.00;(#)", java.text.DecimalFormatSymbols.getInstance(Locale.US)).format(-1234.567));
        System.out.println(Currency.getInstance("EUR").getDefaultFractionDigits() + " " + Locale.forLanguageTag("zh-Hant-TW").getScript() + " " + "TITLE".toLowerCase(new Locale("tr")) + " " + "straße".toUpperCase(Locale.GERMAN) + " " + Locale.getDefault());
        System.out.println(NumberFormat.getCompactNumberInstance(Locale.US, NumberFormat.Style.SHORT).format(12345));
    }
}
