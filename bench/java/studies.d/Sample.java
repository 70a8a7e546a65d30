/** Tells how many aliases were made, and how many of them are there, and how large the program's own heap is. */
public class Sample {
    static void take() {
        Runtime r = Runtime.getRuntime();
        if (ebb.Mirror.hasHistory()) {
            ebb.Mirror.Extent e = ebb.Mirror.extent();
            System.out.println("sample " + e.made + " " + e.alive + " " + e.nbytes + " " + (r.totalMemory() - r.freeMemory()));
        } else {
            System.out.println("sample 0 0 0 " + (r.totalMemory() - r.freeMemory()));
        }
    }
}
