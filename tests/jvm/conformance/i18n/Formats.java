package i18n;

import java.text.BreakIterator;
import java.text.ChoiceFormat;
import java.text.Collator;
import java.text.DecimalFormat;
import java.text.MessageFormat;
import java.text.NumberFormat;
import java.text.ParseException;
import java.text.RuleBasedCollator;
import java.text.SimpleDateFormat;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.chrono.JapaneseDate;
import java.time.chrono.ThaiBuddhistDate;
import java.time.format.DateTimeFormatter;
import java.time.format.FormatStyle;
import java.util.Arrays;
import java.util.Currency;
import java.util.Date;
import java.util.Locale;
import java.util.TimeZone;

/** Numbers, dates, messages and orders of words in several languages. */
public class Formats {
    static final Locale[] LOCALES = {Locale.US, Locale.GERMANY, Locale.FRANCE, Locale.JAPAN, new Locale("ar", "EG"), new Locale("hi", "IN"), Locale.ROOT};

    static void numbers() {
        for (Locale l : LOCALES) {
            System.out.println(l + " " + NumberFormat.getInstance(l).format(1234567.891) + " " + NumberFormat.getPercentInstance(l).format(0.256) + " "
                    + NumberFormat.getCompactNumberInstance(l, NumberFormat.Style.SHORT).format(123456) + " " + String.format(l, "%,.2f", -9876.5));
        }
        System.out.println(NumberFormat.getCurrencyInstance(Locale.UK).format(-3.5) + " " + Currency.getInstance("JPY").getDefaultFractionDigits());
        System.out.println(new DecimalFormat("#,##0.00;(#)").format(-1234.567) + " " + new DecimalFormat("0.###E0").format(123456));
        System.out.println(new ChoiceFormat("0#none|1#one|2#many").format(7) + " " + MessageFormat.format("{0,number,#.##} {1} {2,choice,0#zero|1#one}", 3.14159, "x", 1));
    }

    static void dates() throws ParseException {
        for (Locale l : LOCALES) {
            System.out.println(DateTimeFormatter.ofLocalizedDateTime(FormatStyle.FULL).withLocale(l).withZone(ZoneId.of("Asia/Tokyo")).format(Instant.EPOCH));
        }
        SimpleDateFormat f = new SimpleDateFormat("yyyy-MM-dd HH:mm zzz", Locale.US);
        f.setTimeZone(TimeZone.getTimeZone("America/New_York"));
        System.out.println(f.format(new Date(0)) + " " + f.parse("2024-07-04 12:00 EDT").getTime());
        System.out.println(JapaneseDate.from(LocalDate.of(2019, 5, 1)) + " " + ThaiBuddhistDate.from(LocalDate.of(2019, 5, 1)));
    }

    static void words() throws ParseException {
        String[] list = {"zebra", "Äpfel", "apple", "Zoo", "éclair", "eclipse"};
        for (Locale l : new Locale[] {Locale.US, Locale.GERMANY, new Locale("sv", "SE")}) {
            String[] sorted = list.clone();
            Arrays.sort(sorted, Collator.getInstance(l));
            System.out.println(l + " " + Arrays.toString(sorted));
        }
        String[] odd = {"a", "b", "c"};
        Arrays.sort(odd, new RuleBasedCollator("< c < b < a"));
        System.out.println(Arrays.toString(odd));
        BreakIterator sentences = BreakIterator.getSentenceInstance(Locale.US);
        sentences.setText("One. Two? Dr. Three! End");
        StringBuilder ends = new StringBuilder();
        for (int at = sentences.first(); at != BreakIterator.DONE; at = sentences.next()) {
            ends.append(at).append(' ');
        }
        System.out.println(ends);
        System.out.println(Locale.forLanguageTag("zh-Hant-TW-u-ca-roc").getDisplayName(Locale.ENGLISH) + " " + Locale.GERMANY.getDisplayCountry(Locale.FRANCE));
    }

    public static void main(String[] args) throws ParseException {
        numbers();
        dates();
        words();
    }
}
