package strings;

import java.text.BreakIterator;
import java.text.Collator;
import java.text.Normalizer;
import java.util.Locale;

/** Normal forms, collation and break iteration. */
public class Normalise {
    public static void main(String[] args) {
        String s = "é\u0065\u0301\ufb01Å";
        for (Normalizer.Form f : Normalizer.Form.values()) {
            System.out.println(f + " " + Normalizer.normalize(s, f).codePoints().boxed().toList());
        }
        Collator c = Collator.getInstance(Locale.GERMAN);
        String[] words = {"zebra", "Äpfel", "apfel", "Zug", "öl"};
        java.util.Arrays.sort(words, c);
        System.out.println(java.util.List.of(words));
        BreakIterator b = BreakIterator.getWordInstance(Locale.ENGLISH);
        b.setText("Hello, big world. Yes");
        StringBuilder sb = new StringBuilder();
        for (int i = b.first(); i != BreakIterator.DONE; i = b.next()) {
            sb.append(i).append(' ');
        }
        System.out.println(sb);
    }
}
