package kernels;

import java.util.ArrayList;
import java.util.List;

/** A one-way constraint solver: a long chain of equalities and scalings, edited, planned and executed again and again. */
final class Constraints extends Kernel {
    private static final class Variable {
        int value;
        int mark;
        Constraint by;
        final List<Constraint> users = new ArrayList<>();
    }

    private abstract static class Constraint {
        final Variable out;

        Constraint(Variable out) {
            this.out = out;
        }

        abstract boolean ready(int mark);

        abstract void execute();
    }

    private static final class Equal extends Constraint {
        final Variable in;

        Equal(Variable in, Variable out) {
            super(out);
            this.in = in;
            in.users.add(this);
            out.by = this;
        }

        @Override
        boolean ready(int mark) {
            return in.mark == mark;
        }

        @Override
        void execute() {
            out.value = in.value;
        }
    }

    private static final class Scale extends Constraint {
        final Variable in;
        final Variable factor;
        final Variable offset;

        Scale(Variable in, Variable factor, Variable offset, Variable out) {
            super(out);
            this.in = in;
            this.factor = factor;
            this.offset = offset;
            in.users.add(this);
            out.by = this;
        }

        @Override
        boolean ready(int mark) {
            return in.mark == mark;
        }

        @Override
        void execute() {
            out.value = in.value * factor.value + offset.value;
        }
    }

    private int mark;

    /** The constraints to execute, in order, when `from` changes. */
    private List<Constraint> plan(Variable from) {
        mark++;
        from.mark = mark;
        List<Constraint> plan = new ArrayList<>();
        List<Constraint> todo = new ArrayList<>(from.users);
        while (!todo.isEmpty()) {
            Constraint c = todo.remove(todo.size() - 1);
            if (c.out.mark != mark && c.ready(mark)) {
                plan.add(c);
                c.out.mark = mark;
                todo.addAll(c.out.users);
            }
        }
        return plan;
    }

    @Override
    long work() {
        int n = 300;
        Variable first = new Variable();
        Variable factor = new Variable();
        Variable offset = new Variable();
        factor.value = 3;
        offset.value = 1;
        Variable v = first;
        for (int i = 0; i < n; i++) {
            Variable next = new Variable();
            if (i % 10 == 9) {
                new Scale(v, factor, offset, next);
            } else {
                new Equal(v, next);
            }
            new Equal(v, new Variable());
            v = next;
        }
        long sum = 0;
        for (int edit = 0; edit < 60; edit++) {
            List<Constraint> plan = plan(first);
            for (int k = 0; k < 8; k++) {
                first.value = edit * 10 + k;
                for (Constraint c : plan) {
                    c.execute();
                }
                sum = sum * 31 + v.value;
            }
        }
        return sum;
    }
}
