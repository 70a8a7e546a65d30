package strings;

/** StringBuilder and StringBuffer growing, inserting, deleting, inflating from Latin-1 to UTF-16. */
public class Builders {
    public static void main(String[] args) {
        StringBuilder sb = new StringBuilder();
        for (int i = 0; i < 300; i++) {
            sb.append(i % 10);
        }
        sb.insert(150, "\u20ac").delete(0, 140).replace(5, 15, "<>").deleteCharAt(0).setCharAt(2, 'Z');
        System.out.println(sb + " " + sb.length() + " " + sb.indexOf("<>") + " " + sb.charAt(4));
        sb.setLength(3);
        sb.setLength(5);
        System.out.println((int) sb.charAt(4) + " " + sb.compareTo(new StringBuilder("123")));
        sb.appendCodePoint(0x1f600).append(new char[] {'a', 'b'}, 1, 1).append("xyz", 1, 2).append((String) null).append(1.5f).append(-5L).append('c').append(true);
        System.out.println(sb.substring(5) + " " + sb.reverse().codePointCount(0, sb.length()));
        try {
            sb.insert(1000, "x");
        } catch (StringIndexOutOfBoundsException e) {
            System.out.println(e.getMessage());
        }
        java.util.StringJoiner j = new java.util.StringJoiner(",", "{", "}");
        System.out.println(j.setEmptyValue("none") + " " + j.add("a").add("b"));
    }
}
