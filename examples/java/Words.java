import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Counts the words of a file and prints the five most frequent ones. */
public class Words {
    record Count(String word, int times) {
    }

    private final Map<String, Integer> counts = new TreeMap<>();

    void read(Path file) throws IOException {
        for (String line : Files.readAllLines(file))
            for (String word : line.split("\\W+"))
                if (word.length() > 3)
                    counts.merge(word.toLowerCase(), 1, Integer::sum);
    }

    String mostFrequent(int n) {
        return counts.entrySet().stream()
            .map(e -> new Count(e.getKey(), e.getValue()))
            .sorted(Comparator.comparingInt(Count::times).reversed().thenComparing(Count::word))
            .limit(n)
            .map(c -> c.word() + " " + c.times())
            .collect(Collectors.joining(", "));
    }

    public static void main(String[] args) throws IOException {
        Words words = new Words();
        for (String name : args)
            words.read(Path.of(name));
        System.out.println(words.mostFrequent(5));
    }
}
