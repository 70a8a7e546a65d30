package programs;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A stack machine of our own that runs a loop: an interpreter inside the interpreter. */
public class VirtualMachine {
    enum Op { PUSH, LOAD, STORE, ADD, SUB, MUL, JNZ, JMP, PRINT, HALT, CALL, RET }

    record Insn(Op op, int arg) { }

    static class Trap extends RuntimeException {
        Trap(String m) {
            super(m);
        }
    }

    final int[] stack = new int[64];
    final int[] vars = new int[8];
    final List<Integer> calls = new ArrayList<>();
    int sp;
    long steps;

    void run(List<Insn> p) {
        int pc = 0;
        while (true) {
            if (++steps > 200_000) {
                throw new Trap("too long");
            }
            Insn i = p.get(pc++);
            switch (i.op()) {
                case PUSH -> stack[sp++] = i.arg();
                case LOAD -> stack[sp++] = vars[i.arg()];
                case STORE -> vars[i.arg()] = stack[--sp];
                case ADD -> stack[sp - 2] += stack[--sp];
                case SUB -> {
                    sp--;
                    stack[sp - 1] -= stack[sp];
                }
                case MUL -> {
                    sp--;
                    stack[sp - 1] *= stack[sp];
                }
                case JNZ -> pc = stack[--sp] != 0 ? i.arg() : pc;
                case JMP -> pc = i.arg();
                case PRINT -> System.out.println(stack[--sp]);
                case CALL -> {
                    calls.add(pc);
                    pc = i.arg();
                }
                case RET -> pc = calls.remove(calls.size() - 1);
                case HALT -> {
                    return;
                }
            }
        }
    }

    static List<Insn> parse(String s) {
        List<Insn> out = new ArrayList<>();
        Map<String, Integer> labels = new HashMap<>();
        String[] lines = s.split(";");
        for (int pass = 0; pass < 2; pass++) {
            out.clear();
            for (String line : lines) {
                String[] w = line.trim().split(" ");
                if (w[0].endsWith(":")) {
                    labels.put(w[0].replace(":", ""), out.size());
                    continue;
                }
                int arg = w.length < 2 ? 0 : w[1].matches("-?\\d+") ? Integer.parseInt(w[1]) : labels.getOrDefault(w[1], -1);
                out.add(new Insn(Op.valueOf(w[0].toUpperCase()), arg));
            }
        }
        return out;
    }

    public static void main(String[] args) {
        String sum = "push 100; store 0; push 0; store 1; top:; load 1; load 0; add; store 1; load 0; push 1; sub; store 0; load 0; jnz top; load 1; print; call sq; print; halt; sq:; load 1; load 1; mul; ret";
        for (String s : new String[] {sum, "add; halt", "top:; jmp top", "top:; push 1; jmp top", "call 77", "ret"}) {
            VirtualMachine vm = new VirtualMachine();
            try {
                vm.run(parse(s));
                System.out.println("ended after " + vm.steps);
            } catch (Trap | IndexOutOfBoundsException e) {
                System.out.println(e.getMessage() + " after " + vm.steps);
            }
        }
    }
}
