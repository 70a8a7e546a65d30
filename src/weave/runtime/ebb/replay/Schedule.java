/* The schedule that was woven in, and how far it has been executed.  The text is made by weave/replay_plan.c: places have numbers, the rest is as
 * in the file that the user wrote, whose lines are kept for what is told about them. */
package ebb.replay;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;

final class Schedule {
    enum Kind { BEFORE, IN, SWITCH, NOTIFY, TIMEOUT, DIE, TERMINATE, LOG, LOOPBEGIN, LOOPEND, END }

    static final int NOBODY = -1;
    private static final Kind[] KINDS = Kind.values();

    private final ArrayList<String> places = new ArrayList<>();
    final HashMap<String, ArrayList<Integer>> numbers = new HashMap<>(); // that `thread` commands give to a name,
    final HashMap<Integer, String> names = new HashMap<>();              // and the other way round
    String file = "schedule";
    boolean has_outside;  // some event is in a call that is not woven
    private final HashMap<Integer, String> texts = new HashMap<>();    // of `log` commands

    private int n;
    private byte[] kinds = new byte[1024];
    private int[] operands = new int[1024]; // a place, a thread, a level; of a loopbegin: its loopend; of a loopend: its loopbegin
    private long[] counts = new long[1024]; // 0 of a loopend: for ever
    private int[] lines = new int[1024];

    private int at;
    private long[] rounds;                  // of each loopend that is being repeated: how many are left

    static Schedule read() {
        Schedule s = new Schedule();
        try (InputStream in = Schedule.class.getResourceAsStream("schedule")) {
            if (in == null)
                throw new IOException("the schedule (ebb/replay/schedule) is not on the class path");
            BufferedReader r = new BufferedReader(new InputStreamReader(in, "UTF-8"));
            for (String line = r.readLine(); line != null; line = r.readLine())
                s.add(line.split(" ", 5));
        } catch (IOException e) {
            throw new IllegalStateException("ebb: " + e.getMessage());
        }
        s.rounds = new long[s.n];
        s.matchLoops();
        return s;
    }

    /* file NAME | outside | place TEXT | thread NUMBER NAME | COMMAND LINE OPERAND COUNT [TEXT] */
    private void add(String[] words) {
        if (words[0].equals("place"))
            places.add(rest(words, 1));
        else if (words[0].equals("thread"))
            addName(rest(words, 2), Integer.valueOf(words[1]));
        else if (words[0].equals("file"))
            file = rest(words, 1);
        else if (words[0].equals("outside"))
            has_outside = true;
        else
            addCommand(words);
    }

    private void addName(String name, Integer number) {
        numbers.computeIfAbsent(name, n -> new ArrayList<>()).add(number);
        names.put(number, name);
    }

    private static String rest(String[] words, int from) {
        return String.join(" ", Arrays.asList(words).subList(from, words.length));
    }

    private void addCommand(String[] words) {
        if (n == kinds.length) {
            kinds = Arrays.copyOf(kinds, 2 * n);
            operands = Arrays.copyOf(operands, 2 * n);
            counts = Arrays.copyOf(counts, 2 * n);
            lines = Arrays.copyOf(lines, 2 * n);
        }
        kinds[n] = (byte) Kind.valueOf(words[0].toUpperCase(java.util.Locale.ROOT)).ordinal();
        lines[n] = Integer.parseInt(words[1]);
        operands[n] = Integer.parseInt(words[2]);
        counts[n] = Long.parseLong(words[3]);
        if (words.length > 4)
            texts.put(n, words[4]);
        n++;
    }

    private void matchLoops() {
        ArrayList<Integer> open = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            if (kinds[i] == Kind.LOOPBEGIN.ordinal()) {
                open.add(i);
            } else if (kinds[i] == Kind.LOOPEND.ordinal()) {
                operands[i] = open.remove(open.size() - 1);
                operands[operands[i]] = i;
            }
        }
    }

    // ---- the command that is to be executed next ----

    Kind kind() {
        skipLoops();
        return at < n ? KINDS[kinds[at]] : Kind.END;
    }

    int operand() {
        return operands[at];
    }

    long count() {
        return counts[at];
    }

    int line() {
        return at < n ? lines[at] : n > 0 ? lines[n - 1] : 0;
    }

    String text() {
        return texts.getOrDefault(at, "");
    }

    void advance() {
        at++;
    }

    private void skipLoops() {
        for (; at < n; at++) {
            if (kinds[at] == Kind.LOOPEND.ordinal())
                repeat();
            else if (kinds[at] != Kind.LOOPBEGIN.ordinal())
                return;
        }
    }

    /** At a loopend: back to where the loop begins, if it has another round. */
    private void repeat() {
        if (counts[at] == 0) {
            at = operands[at];
            return;
        }
        if (rounds[at] == 0)
            rounds[at] = counts[at];
        if (--rounds[at] > 0)
            at = operands[at];
    }

    // ---- in words ----

    String place(int number) {
        return number == Replay.NOWHERE ? "none" : places.get(number);
    }

    /** Whether a place, in words, is on the line of that frame. */
    static boolean isAt(String place, StackTraceElement e) {
        String[] words = place.split(" ");
        boolean isMethod = words.length > 1 && words[0].equals(e.getClassName()) && (words[1].equals(e.getMethodName()) || e.getMethodName().equals("ebb$" + words[1]));
        return isMethod && (words.length < 5 || words[4].equals(e.getLineNumber() + ")"));
    }

    static String event(String place, boolean isIn, long count) {
        return (isIn ? "in " : "before ") + place + (count > 1 ? ", the " + ordinal(count) + " time" : "");
    }

    private static String ordinal(long n) {
        String end = n % 100 >= 11 && n % 100 <= 13 ? "th" : n % 10 == 1 ? "st" : n % 10 == 2 ? "nd" : n % 10 == 3 ? "rd" : "th";
        return n + end;
    }
}
