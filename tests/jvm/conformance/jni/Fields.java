package jni;

// options: -Djava.library.path={native}
/** Fields of every type read and written from C. */
public class Fields {
    boolean fBoolean = true;
    static boolean sBoolean = false;
    byte fByte = (byte) 1;
    static byte sByte = (byte) -2;
    char fChar = 'c';
    static char sChar = '\uffff';
    short fShort = (short) 3;
    static short sShort = (short) -4;
    int fInt = 5;
    static int sInt = -6;
    long fLong = 7L;
    static long sLong = -(1L << 50);
    float fFloat = 1.5f;
    static float sFloat = -2.5f;
    double fDouble = 3.5;
    static double sDouble = -1e100;
    Object fObject = "field";
    static Object sObject = "static";

    static native String all(Fields f);

    static native void missing(String name);

    public static void main(String[] args) {
        System.loadLibrary("conformance");
        Fields f = new Fields();
        System.out.println(all(f));
        System.out.println(f.fBoolean + " " + sBoolean + " " + f.fByte + " " + sByte + " " + (int) f.fChar + " " + (int) sChar + " " + f.fShort + " " + sShort + " " + f.fInt + " " + sInt + " " + f.fLong + " " + sLong + " " + f.fFloat + " " + sFloat + " " + f.fDouble + " " + sDouble + " " + f.fObject + " " + sObject);
        try {
            missing("nope");
        } catch (NoSuchFieldError e) {
            System.out.println(e.getMessage());
        }
    }
}
