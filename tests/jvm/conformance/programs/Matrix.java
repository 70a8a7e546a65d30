package programs;

/** Generic matrices over a field: ints modulo a prime, and fractions. */
public class Matrix {
    interface Field<T> {
        T add(T a, T b);

        T mul(T a, T b);

        T neg(T a);

        T inv(T a);

        T of(long n);
    }

    record Mod(long p) implements Field<Long> {
        @Override
        public Long add(Long a, Long b) {
            return (a + b) % p;
        }

        @Override
        public Long mul(Long a, Long b) {
            return a * b % p;
        }

        @Override
        public Long neg(Long a) {
            return (p - a) % p;
        }

        @Override
        public Long inv(Long a) {
            long r = 1;
            for (long e = p - 2, b = a; e > 0; e >>= 1, b = b * b % p) {
                if ((e & 1) != 0) {
                    r = r * b % p;
                }
            }
            return r;
        }

        @Override
        public Long of(long n) {
            return Math.floorMod(n, p);
        }
    }

    record Frac(java.math.BigInteger n, java.math.BigInteger d) { }

    static class Fracs implements Field<Frac> {
        static Frac make(java.math.BigInteger n, java.math.BigInteger d) {
            java.math.BigInteger g = n.gcd(d);
            g = d.signum() < 0 ? g.negate() : g;
            return new Frac(n.divide(g), d.divide(g));
        }

        @Override
        public Frac add(Frac a, Frac b) {
            return make(a.n().multiply(b.d()).add(b.n().multiply(a.d())), a.d().multiply(b.d()));
        }

        @Override
        public Frac mul(Frac a, Frac b) {
            return make(a.n().multiply(b.n()), a.d().multiply(b.d()));
        }

        @Override
        public Frac neg(Frac a) {
            return new Frac(a.n().negate(), a.d());
        }

        @Override
        public Frac inv(Frac a) {
            return make(a.d(), a.n());
        }

        @Override
        public Frac of(long n) {
            return new Frac(java.math.BigInteger.valueOf(n), java.math.BigInteger.ONE);
        }
    }

    static <T> T determinant(Field<T> f, T[][] m) {
        T det = f.of(1);
        for (int c = 0; c < m.length; c++) {
            int p = c;
            while (p < m.length && m[p][c].equals(f.of(0))) {
                p++;
            }
            if (p == m.length) {
                return f.of(0);
            }
            if (p != c) {
                T[] t = m[p];
                m[p] = m[c];
                m[c] = t;
                det = f.neg(det);
            }
            det = f.mul(det, m[c][c]);
            T inv = f.inv(m[c][c]);
            for (int r = c + 1; r < m.length; r++) {
                T k = f.neg(f.mul(m[r][c], inv));
                for (int j = c; j < m.length; j++) {
                    m[r][j] = f.add(m[r][j], f.mul(k, m[c][j]));
                }
            }
        }
        return det;
    }

    public static void main(String[] args) {
        int n = 12;
        Mod mod = new Mod(1_000_000_007L);
        Fracs fr = new Fracs();
        Long[][] a = new Long[n][n];
        Frac[][] h = new Frac[n][n];
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                a[i][j] = mod.of((i * 7 + j * 13) % 17 - 5);
                h[i][j] = Fracs.make(java.math.BigInteger.ONE, java.math.BigInteger.valueOf(i + j + 1));
            }
        }
        System.out.println(determinant(mod, a));
        System.out.println(determinant(fr, h));
    }
}
