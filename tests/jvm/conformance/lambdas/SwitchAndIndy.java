package lambdas;

/** Enhanced switch forms: strings, enums, yield, arrows, nested; all compile to table or lookup switches. */
public class SwitchAndIndy {
    enum E { A, B, C }

    static int yields(String s) {
        return switch (s) {
            case "one", "uno" -> 1;
            case "two" -> {
                int x = s.length();
                yield x - 1;
            }
            default -> throw new IllegalArgumentException(s);
        };
    }

    static String fall(int n) {
        StringBuilder sb = new StringBuilder();
        switch (n) {
            case 1:
                sb.append(1);
            case 2:
                sb.append(2);
                break;
            case 1000000:
                sb.append("million");
            default:
                sb.append("d");
        }
        return sb.toString();
    }

    static int total(E e) {
        return switch (e) {
            case A -> 1;
            case B -> 2;
            case C -> switch (e.name()) {
                case "C" -> 3;
                default -> 4;
            };
        };
    }

    static char grade(Character c) {
        switch (c) {
            case 'a': return 'A';
            case '\uffff': return 'F';
            default: return '?';
        }
    }

    public static void main(String[] args) {
        System.out.println(yields("uno") + " " + yields("two") + " " + fall(1) + fall(2) + fall(3) + fall(1000000) + " " + total(E.A) + total(E.C) + " " + grade('a') + grade('\uffff') + grade('z'));
        try {
            yields("x");
        } catch (IllegalArgumentException e) {
            System.out.println(e.getMessage());
        }
    }
}
