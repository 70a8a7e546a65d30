package kernels;

/** Building, splitting, comparing and formatting text. */
final class Strings extends Kernel {
    @Override
    long work() {
        long sum = 0;
        StringBuilder text = new StringBuilder();
        Rng r = new Rng(7);
        for (int i = 0; i < 4000; i++) {
            text.append((char) ('a' + r.bits(16) % 26)).append(r.bits(10)).append(' ');
        }
        String all = text.toString();
        for (int i = 0; i < 6; i++) {
            String[] words = all.split(" ");
            for (String w : words) {
                String upper = w.toUpperCase();
                sum += upper.hashCode() + w.indexOf('7') + (upper.equalsIgnoreCase(w) ? 1 : 0) + w.substring(1).length();
                sum += (w + ":" + i).length();
            }
            sum += String.join(",", words).replace(",", "; ").length();
        }
        return sum;
    }
}
