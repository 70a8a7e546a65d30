package support;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The constant pool of a class being assembled, and its bootstrap methods.
 *
 * Constants are written as tokens: int:5 long:5 float:1.5 double:2.5 string:"text" class:java/lang/String mtype:(I)V
 * handle:KIND:MEMBER condy:NAME:DESC:BOOTSTRAP.  A member is Owner.name:Desc or Owner.name(Args)Ret, with "interface "
 * in front (or "interface:" inside a token) when its owner is an interface.
 */
final class Pool {
    private static final List<String> HANDLE_KINDS = List.of("getfield", "getstatic", "putfield", "putstatic",
        "invokevirtual", "invokestatic", "invokespecial", "newinvokespecial", "invokeinterface");

    private final Map<String, Integer> index = new LinkedHashMap<>();
    private final Bytes out = new Bytes();
    private final List<byte[]> bootstraps = new ArrayList<>();
    private int count = 1;

    private int add(String key, Bytes entry, int slots) {
        Integer known = index.get(key);
        if (known != null) {
            return known;
        }
        out.all(entry.toArray());
        index.put(key, count);
        count += slots;
        return count - slots;
    }

    int utf8(String s) {
        Bytes text = new Bytes();
        for (char c : s.toCharArray()) {
            if (c >= 1 && c < 0x80) {
                text.u1(c);
            } else if (c < 0x800) {
                text.u1(0xc0 | c >> 6).u1(0x80 | c & 0x3f);
            } else {
                text.u1(0xe0 | c >> 12).u1(0x80 | c >> 6 & 0x3f).u1(0x80 | c & 0x3f);
            }
        }
        return add("utf8 " + s, new Bytes().u1(1).u2(text.size()).all(text.toArray()), 1);
    }

    int type(String name) {
        int at = utf8(name);
        return add("class " + name, new Bytes().u1(7).u2(at), 1);
    }

    int nameAndType(String name, String desc) {
        int n = utf8(name);
        int d = utf8(desc);
        return add("nt " + name + " " + desc, new Bytes().u1(12).u2(n).u2(d), 1);
    }

    int field(String member) {
        int dot = member.indexOf('.');
        int colon = member.indexOf(':', dot);
        int owner = type(member.substring(0, dot));
        int nt = nameAndType(member.substring(dot + 1, colon), member.substring(colon + 1));
        return add("field " + member, new Bytes().u1(9).u2(owner).u2(nt), 1);
    }

    int method(String member, boolean isInterface) {
        int paren = member.indexOf('(');
        int dot = member.lastIndexOf('.', paren);
        int owner = type(member.substring(0, dot));
        int nt = nameAndType(member.substring(dot + 1, paren), member.substring(paren));
        return add("method " + isInterface + " " + member, new Bytes().u1(isInterface ? 11 : 10).u2(owner).u2(nt), 1);
    }

    /** The index of the bootstrap method `member` with static arguments `args`. */
    int bootstrap(String member, List<String> args) {
        Bytes b = new Bytes().u2(handle("invokestatic", member)).u2(args.size());
        for (String arg : args) {
            b.u2(constant(arg));
        }
        bootstraps.add(b.toArray());
        return bootstraps.size() - 1;
    }

    int dynamic(boolean callSite, String name, String desc, int bootstrap) {
        int nt = nameAndType(name, desc);
        String key = "dyn " + callSite + " " + bootstrap + " " + name + " " + desc;
        return add(key, new Bytes().u1(callSite ? 18 : 17).u2(bootstrap).u2(nt), 1);
    }

    private int handle(String kind, String member) {
        boolean isInterface = member.startsWith("interface:") || kind.equals("invokeinterface");
        String m = member.startsWith("interface:") ? member.substring(10) : member;
        int k = HANDLE_KINDS.indexOf(kind) + 1;
        int at = k <= 4 ? field(m) : method(m, isInterface);
        return add("handle " + kind + " " + member, new Bytes().u1(15).u1(k).u2(at), 1);
    }

    int constant(String token) {
        int colon = token.indexOf(':');
        String kind = token.substring(0, colon);
        String text = token.substring(colon + 1);
        switch (kind) {
            case "int": return add(token, new Bytes().u1(3).u4(Integer.decode(text)), 1);
            case "float": return add(token, new Bytes().u1(4).u4(Float.floatToRawIntBits(Float.parseFloat(text))), 1);
            case "floatbits": return add(token, new Bytes().u1(4).u4(Integer.parseUnsignedInt(text, 16)), 1);
            case "long": return add(token, new Bytes().u1(5).u8(Long.decode(text)), 2);
            case "double": return add(token, new Bytes().u1(6).u8(Double.doubleToRawLongBits(Double.parseDouble(text))), 2);
            case "doublebits": return add(token, new Bytes().u1(6).u8(Long.parseUnsignedLong(text, 16)), 2);
            case "string": int s = utf8(unquote(text)); return add(token, new Bytes().u1(8).u2(s), 1);
            case "class": return type(text);
            case "mtype": int t = utf8(text); return add(token, new Bytes().u1(16).u2(t), 1);
            case "handle": int c = text.indexOf(':'); return handle(text.substring(0, c), text.substring(c + 1));
            case "condy": String[] p = text.split(":", 3); return dynamic(false, p[0], p[1], bootstrap(p[2], List.of()));
            default: throw new IllegalArgumentException("no such constant: " + token);
        }
    }

    static String unquote(String s) {
        return s.startsWith("\"") ? s.substring(1, s.length() - 1).replace("\\n", "\n").replace("\\0", "\0") : s;
    }

    boolean hasBootstraps() {
        return !bootstraps.isEmpty();
    }

    byte[] bootstrapTable() {
        Bytes b = new Bytes().u2(bootstraps.size());
        bootstraps.forEach(b::all);
        return b.toArray();
    }

    byte[] toArray() {
        return new Bytes().u2(count).all(out.toArray()).toArray();
    }
}
