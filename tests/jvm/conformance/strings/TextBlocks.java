package strings;

/** Text blocks, escapes, and very long constants. */
public class TextBlocks {
    public static void main(String[] args) {
        String t = """
            one
              two \
            joined
            "three"\tand\s
            \u00e9 \101 \0end""";
        System.out.println(t.replace("\0", "NUL"));
        System.out.println(t.length());
        String modified = "\u0000\u007f\u0080\u07ff\u0800\uffff\ud800\udc00";
        System.out.println(modified.codePoints().boxed().toList());
    }
}
