package programs;

import java.util.HashMap;
import java.util.Map;
import java.util.function.DoubleBinaryOperator;

/** A recursive descent calculator with variables and functions. */
public class Calculator {
    sealed interface Expr permits Num, Var, Bin, Call { }

    record Num(double v) implements Expr { }

    record Var(String name) implements Expr { }

    record Bin(char op, Expr l, Expr r) implements Expr { }

    record Call(String f, Expr arg) implements Expr { }

    static final Map<Character, DoubleBinaryOperator> OPS = Map.of('+', Double::sum, '-', (a, b) -> a - b, '*', (a, b) -> a * b, '/', (a, b) -> a / b, '^', Math::pow);

    final String s;
    int at;

    Calculator(String s) {
        this.s = s.replace(" ", "");
    }

    char peek() {
        return at < s.length() ? s.charAt(at) : '\0';
    }

    Expr sum() {
        Expr e = product();
        while (peek() == '+' || peek() == '-') {
            e = new Bin(s.charAt(at++), e, product());
        }
        return e;
    }

    Expr product() {
        Expr e = power();
        while (peek() == '*' || peek() == '/') {
            e = new Bin(s.charAt(at++), e, power());
        }
        return e;
    }

    Expr power() {
        Expr e = atom();
        if (peek() == '^') {
            at++;
            return new Bin('^', e, power());
        }
        return e;
    }

    Expr atom() {
        int from = at;
        if (peek() == '(') {
            at++;
            Expr e = sum();
            at++;
            return e;
        }
        if (peek() == '-') {
            at++;
            return new Bin('-', new Num(0), atom());
        }
        if (Character.isLetter(peek())) {
            while (Character.isLetter(peek())) {
                at++;
            }
            String name = s.substring(from, at);
            return peek() == '(' ? new Call(name, atom()) : new Var(name);
        }
        while (Character.isDigit(peek()) || peek() == '.') {
            at++;
        }
        if (from == at) {
            throw new IllegalArgumentException("at " + at);
        }
        return new Num(Double.parseDouble(s.substring(from, at)));
    }

    static double eval(Expr e, Map<String, Double> vars) {
        if (e instanceof Num n) {
            return n.v();
        } else if (e instanceof Var v) {
            return vars.computeIfAbsent(v.name(), k -> {
                throw new IllegalStateException("unbound " + k);
            });
        } else if (e instanceof Bin b) {
            return OPS.get(b.op()).applyAsDouble(eval(b.l(), vars), eval(b.r(), vars));
        } else if (e instanceof Call c) {
            return c.f().equals("sqrt") ? Math.sqrt(eval(c.arg(), vars)) : -1;
        }
        throw new AssertionError();
    }

    public static void main(String[] args) {
        Map<String, Double> vars = new HashMap<>(Map.of("x", 3.0, "pi", 3.14159));
        for (String t : new String[] {"1+2*3", "2^3^2", "-(4-x)*2", "sqrt(x*x+16)/pi", "10/4-1", "y+1", "2*", "1/0"}) {
            try {
                Expr e = new Calculator(t).sum();
                System.out.println(t + " = " + eval(e, vars) + "   " + e);
            } catch (RuntimeException e) {
                System.out.println(t + " " + e);
            }
        }
    }
}
