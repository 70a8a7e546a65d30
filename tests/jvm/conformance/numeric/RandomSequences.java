package numeric;

import java.util.Random;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/** Seeded generators give the sequence that the specification fixes. */
public class RandomSequences {
    public static void main(String[] args) {
        Random r = new Random(12345);
        System.out.println(r.nextInt() + " " + r.nextInt(100) + " " + r.nextLong() + " " + r.nextDouble() + " " + r.nextFloat() + " " + r.nextBoolean() + " " + r.nextGaussian());
        byte[] b = new byte[9];
        r.nextBytes(b);
        System.out.println(java.util.Arrays.toString(b));
        System.out.println(r.ints(5, 0, 10).boxed().toList());
        SplittableRandom s = new SplittableRandom(7);
        System.out.println(s.nextInt(1000) + " " + s.split().nextLong() + " " + s.nextDouble());
        for (String name : new String[] {"L64X128MixRandom", "Xoshiro256PlusPlus", "L32X64MixRandom", "Xoroshiro128PlusPlus"}) {
            RandomGenerator g = java.util.random.RandomGeneratorFactory.of(name).create(99);
            System.out.println(name + " " + g.nextInt() + " " + g.nextLong() + " " + g.nextDouble());
        }
    }
}
