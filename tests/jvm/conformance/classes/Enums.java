package classes;

import java.util.EnumMap;
import java.util.EnumSet;

/** Enums: constants with bodies, switch, valueOf, EnumSet and EnumMap. */
public class Enums {
    enum Op {
        ADD("+") {
            @Override
            int apply(int a, int b) {
                return a + b;
            }
        },
        MUL("*") {
            @Override
            int apply(int a, int b) {
                return a * b;
            }
        };

        final String sign;

        Op(String sign) {
            this.sign = sign;
        }

        abstract int apply(int a, int b);
    }

    enum Day { MON, TUE, WED, THU, FRI, SAT, SUN }

    static String kind(Day d) {
        return switch (d) {
            case SAT, SUN -> "weekend";
            case FRI -> "almost";
            default -> "work";
        };
    }

    public static void main(String[] args) {
        for (Op o : Op.values()) {
            System.out.println(o + " " + o.sign + " " + o.apply(3, 4) + " " + o.ordinal() + " " + o.getClass() + " " + o.getDeclaringClass());
        }
        for (Day d : Day.values()) {
            System.out.print(kind(d) + " ");
        }
        System.out.println(Day.valueOf("WED").compareTo(Day.FRI));
        EnumSet<Day> s = EnumSet.range(Day.TUE, Day.THU);
        System.out.println(s + " " + EnumSet.complementOf(s) + " " + s.contains(Day.MON));
        EnumMap<Day, Integer> m = new EnumMap<>(Day.class);
        m.put(Day.SUN, 1);
        m.put(Day.MON, 2);
        System.out.println(m + " " + Day.class.isEnum() + " " + Op.ADD.getClass().isEnum() + " " + Day.class.getEnumConstants().length);
        try {
            Day.valueOf("mon");
        } catch (IllegalArgumentException e) {
            System.out.println(e.getMessage());
        }
        try {
            kind(null);
        } catch (NullPointerException e) {
            System.out.println("null in switch");
        }
    }
}
