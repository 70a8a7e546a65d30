package strings;

import java.util.Locale;

/** The methods of String over Latin-1 and UTF-16 text. */
public class Methods {
    public static void main(String[] args) {
        for (String s : new String[] {"Hello, World", "straße ÄÖ", "żółw \u20ac", "a\ud83d\ude00b", ""}) {
            System.out.println(s.length() + " " + s.codePointCount(0, s.length()) + " " + s.hashCode() + " " + s.toUpperCase(Locale.ROOT) + " " + s.toLowerCase(Locale.ROOT) + " " + s.indexOf('o') + " " + s.lastIndexOf("l") + " "
                + s.contains("W") + " " + s.replace('l', '\u0142') + " " + s.replace("o", "00") + " " + new StringBuilder(s).reverse() + " " + s.isBlank() + " " + s.repeat(2) + " " + s.strip() + " " + s.chars().sum());
            System.out.println(s.compareTo("Hello") + " " + s.compareToIgnoreCase("hello, world") + " " + s.equalsIgnoreCase("HELLO, WORLD") + " " + s.startsWith("st") + " " + s.endsWith("b") + " " + s.regionMatches(true, 0, "hELL", 0, 4));
        }
        System.out.println(String.join("-", "a", "b", "c") + " " + java.util.List.of("a,b,,c,,".split(",")) + " " + java.util.List.of("a1b22c".split("\\d+", 2)) + " " + "x".compareTo("xyz"));
        System.out.println(" \t a \u2003".strip() + "|" + " \t a \u2003".trim() + "|" + "\u2003".isBlank());
        System.out.println("a\nb\r\nc".lines().toList() + " " + "  a\n b".indent(2).replace("\n", "$") + " " + "  x\n   y".stripIndent().replace("\n", "$") + " " + "\\n".translateEscapes().length());
        System.out.println("%d-%s".formatted(5, "x") + " " + String.valueOf((Object) null) + " " + String.copyValueOf(new char[] {'a', 'b', 'c'}, 1, 2));
        System.out.println("abcabc".indexOf("c", 3) + " " + "abcabc".lastIndexOf('a', 2) + " " + "aaa".replaceAll("a*", "x") + " " + "a.b".replaceFirst(".", "$0$0") + " " + "ABC".chars().mapToObj(c -> "" + (char) (c + 1)).toList());
        System.out.println("\ud83d\ude00".codePointAt(0) + " " + Character.toChars(0x1f600).length + " " + "\ud83d".equals("\ud83d\ude00".substring(0, 1)) + " " + new String(new int[] {0x1f600, 65}, 0, 2));
    }
}
