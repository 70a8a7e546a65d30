package numeric;

/** Sub-int types in arrays, fields, arguments, compound assignment and ternary typing. */
public class CharAndByte {
    static byte b;
    static short s;
    static char c;
    static boolean z;

    static int wide(byte x) {
        return x;
    }

    public static void main(String[] args) {
        byte[] bs = {(byte) 200, -1};
        char[] cs = {'\uffff', 'a'};
        short[] ss = {(short) 40000};
        System.out.println(bs[0] + " " + (bs[0] & 0xff) + " " + (int) cs[0] + " " + ss[0]);
        bs[0] += 100;
        bs[1] <<= 7;
        cs[1] += 2;
        ss[0]--;
        System.out.println(bs[0] + " " + bs[1] + " " + cs[1] + " " + ss[0]);
        b = (byte) 0x1ff;
        s = (short) 0x18000;
        c = (char) -2;
        System.out.println(b + " " + s + " " + (int) c + " " + wide((byte) 128));
        System.out.println(true ? 'a' : 0);
        int i = 0;
        System.out.println(false ? i : 'b');
        System.out.println(true ? null : 0);
        System.out.println((Object) (true ? 1 : 2.0));
        z |= true;
        z ^= true;
        System.out.println(z + " " + (z & true) + " " + (z | !z));
        System.out.println((char) (c + 3) + 0);
        System.out.println((byte) 'é' + " " + (short) '\u8000' + " " + (char) 65 + (char) (byte) -1);
    }
}
