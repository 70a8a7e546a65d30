package numeric;

/** Shift distances beyond the width, negative ones, and signs. */
public class Shifts {
    public static void main(String[] args) {
        int[] values = {1, -1, 0x80000000, 0x12345678};
        int[] by = {0, 1, 5, 31, 32, 33, 63, 64, 65, -1, -32, -33};
        for (int v : values) {
            StringBuilder sb = new StringBuilder();
            for (int n : by) {
                sb.append(Integer.toHexString(v << n)).append(',').append(Integer.toHexString(v >> n)).append(',').append(Integer.toHexString(v >>> n)).append(' ');
            }
            System.out.println(sb);
            sb.setLength(0);
            long l = ((long) v << 32) | 0xcafe;
            for (int n : by) {
                sb.append(Long.toHexString(l << n)).append(',').append(Long.toHexString(l >> n)).append(',').append(Long.toHexString(l >>> n)).append(' ');
            }
            System.out.println(sb);
        }
        System.out.println((1 << 33L) + " " + (1L << 33L));
    }
}
