package programs;

/** An interpreter of eight instructions running a program that prints. */
public class Brain {
    public static void main(String[] args) {
        String p = "++++++++[>++++[>++>+++>+++>+<<<<-]>+>+>->>+[<]<-]>>.>---.+++++++..+++.>>.<-.<.+++.------.--------.>>+.>++.";
        byte[] tape = new byte[100];
        int at = 0;
        int steps = 0;
        StringBuilder out = new StringBuilder();
        for (int pc = 0; pc < p.length(); pc++) {
            steps++;
            switch (p.charAt(pc)) {
                case '>' -> at++;
                case '<' -> at--;
                case '+' -> tape[at]++;
                case '-' -> tape[at]--;
                case '.' -> out.append((char) tape[at]);
                case '[' -> {
                    if (tape[at] == 0) {
                        for (int d = 1; d > 0; ) {
                            char c = p.charAt(++pc);
                            d += c == '[' ? 1 : c == ']' ? -1 : 0;
                        }
                    }
                }
                case ']' -> {
                    for (int d = 1; d > 0; ) {
                        char c = p.charAt(--pc);
                        d += c == ']' ? 1 : c == '[' ? -1 : 0;
                    }
                    pc--;
                }
                default -> throw new IllegalStateException();
            }
        }
        System.out.println(out + " " + steps);
    }
}
