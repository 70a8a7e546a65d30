package references;

// options: -Xmx48m
import java.lang.ref.SoftReference;
import java.util.ArrayList;
import java.util.List;

/** Soft references are cleared before the heap runs out. */
public class SoftUnderPressure {
    public static void main(String[] args) {
        List<SoftReference<byte[]>> soft = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            soft.add(new SoftReference<>(new byte[1 << 20]));
        }
        int cleared = 0;
        for (SoftReference<byte[]> s : soft) {
            if (s.get() == null) {
                cleared++;
            }
        }
        System.out.println(cleared > 200);
    }
}
