package strings;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/** Regular expressions: groups, look-around, back references, possessive, flags, replacement. */
public class Regex {
    static void all(String re, String in) {
        try {
            Matcher m = Pattern.compile(re).matcher(in);
            StringBuilder sb = new StringBuilder(re + ":");
            while (m.find()) {
                sb.append(" [").append(m.start()).append(',').append(m.end());
                for (int i = 0; i <= m.groupCount(); i++) {
                    sb.append(' ').append(m.group(i));
                }
                sb.append(']');
            }
            System.out.println(sb);
        } catch (PatternSyntaxException e) {
            System.out.println(e.getMessage());
        }
    }

    public static void main(String[] args) {
        all("(a+)(b*)", "aabbab");
        all("(?<y>\\d{4})-(?<m>\\d\\d)", "2021-05 and 1999-12");
        all("(\\w)\\1", "aabbcd");
        all("a(?=b)|(?<=c)d|(?!x)y", "ab cd y xy");
        all("a*+b|x{2,3}?", "aaab xxxx");
        all("(?i)straße|ÄB", "STRASSE äb straße");
        all("(?iu)äb", "ÄB");
        all("^\\s*#.*$", "# one");
        all("(?m)^.", "a\nb\r\nc");
        all("\\p{Lu}\\p{L}*|\\p{IsGreek}+", "Hello αβγ World");
        all("[a-c&&[^b]]+", "abcac");
        all("(a|ab)(c|bcd)(d*)", "abcd");
        all("(unclosed", "x");
        all("[z-a]", "x");
        all("\\b\\w+\\b", "two words");
        System.out.println("a1b2".replaceAll("([a-z])(\\d)", "$2$1") + " " + Pattern.compile("\\d+").matcher("1 22 333").replaceAll(r -> "" + r.group().length()) + " " + "x.y".split(Pattern.quote(".")).length);
        System.out.println(Pattern.compile("(x+x+)+y").matcher("xxxxxxxxxxxxxxx").matches());
        System.out.println(Pattern.compile(",").splitAsStream("a,b").toList() + " " + Pattern.matches("\\R", "\r\n") + " " + Pattern.compile("a.c", Pattern.DOTALL | Pattern.LITERAL).matcher("a.c").find());
    }
}
