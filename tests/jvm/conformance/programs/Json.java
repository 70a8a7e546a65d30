package programs;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A small JSON reader and writer. */
public class Json {
    final String s;
    int at;

    Json(String s) {
        this.s = s;
    }

    static class Bad extends RuntimeException {
        Bad(String m, int at) {
            super(m + " at " + at);
        }
    }

    Object value() {
        skip();
        if (at == s.length()) {
            throw new Bad("unexpected end", at);
        }
        char c = s.charAt(at);
        if (c == '{') {
            Map<String, Object> m = new LinkedHashMap<>();
            at++;
            skip();
            while (s.charAt(at) != '}') {
                skip();
                String k = string();
                expect(':');
                m.put(k, value());
                skip();
                if (s.charAt(at) == ',') {
                    at++;
                }
            }
            at++;
            return m;
        }
        if (c == '[') {
            List<Object> l = new ArrayList<>();
            at++;
            skip();
            while (s.charAt(at) != ']') {
                l.add(value());
                skip();
                if (s.charAt(at) == ',') {
                    at++;
                }
            }
            at++;
            return l;
        }
        if (c == '"') {
            return string();
        }
        for (String w : new String[] {"true", "false", "null"}) {
            if (s.startsWith(w, at)) {
                at += w.length();
                return w.equals("null") ? null : Boolean.valueOf(w);
            }
        }
        int from = at;
        while (at < s.length() && "+-.eE0123456789".indexOf(s.charAt(at)) >= 0) {
            at++;
        }
        if (from == at) {
            throw new Bad("what is " + c, at);
        }
        return Double.parseDouble(s.substring(from, at));
    }

    String string() {
        expect('"');
        StringBuilder sb = new StringBuilder();
        while (s.charAt(at) != '"') {
            char c = s.charAt(at++);
            if (c == '\\') {
                c = s.charAt(at++);
                if (c == 'u') {
                    sb.append((char) Integer.parseInt(s.substring(at, at + 4), 16));
                    at += 4;
                    continue;
                }
                c = c == 'n' ? '\n' : c == 't' ? '\t' : c;
            }
            sb.append(c);
        }
        at++;
        return sb.toString();
    }

    void expect(char c) {
        skip();
        if (at >= s.length() || s.charAt(at) != c) {
            throw new Bad("expected " + c, at);
        }
        at++;
    }

    void skip() {
        while (at < s.length() && s.charAt(at) <= ' ') {
            at++;
        }
    }

    public static void main(String[] args) {
        for (String t : new String[] {"{\"a\": [1, 2.5, -3e2, true, null], \"b\": {\"c\": \"x\\n\\u00e9\\\"\"}}", "[]", "[[[[]]]]", "{\"a\"}", "", "nope", "[1,2"}) {
            try {
                System.out.println(new Json(t).value());
            } catch (Bad e) {
                System.out.println(e.getMessage());
            } catch (StringIndexOutOfBoundsException e) {
                System.out.println("cut off");
            }
        }
    }
}
