package programs;

// stdin: the cat sat on the mat\nthe dog sat\n\nThe END the\n
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.Comparator;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Words of standard input by frequency. */
public class WordCount {
    public static void main(String[] args) throws Exception {
        Map<String, Long> m = new BufferedReader(new InputStreamReader(System.in)).lines().flatMap(l -> java.util.Arrays.stream(l.split("\\s+"))).filter(w -> !w.isEmpty()).map(String::toLowerCase)
            .collect(Collectors.groupingBy(w -> w, TreeMap::new, Collectors.counting()));
        m.entrySet().stream().sorted(Map.Entry.<String, Long>comparingByValue().reversed().thenComparing(Map.Entry.comparingByKey())).forEach(e -> System.out.printf("%-5s %d%n", e.getKey(), e.getValue()));
        System.out.println(m.keySet().stream().max(Comparator.comparing(String::length).thenComparing(w -> w)).get());
    }
}
