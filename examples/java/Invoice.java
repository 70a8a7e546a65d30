import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Adds up an invoice that is read from a file: item;count;price.
 *
 * It has a bug: most of the sum is for screws.  Where does their price come from?
 */
public class Invoice {
    static class Item {
        String name;
        int count;
        long cents;

        long cost() {
            return count * cents;
        }
    }

    final List<Item> items = new ArrayList<>();

    /** "12.50", "3" and "0.5" as cents. */
    static long cents(String text) {
        int dot = text.indexOf('.');
        if (dot < 0)
            return Long.parseLong(text) * 100;
        String fraction = text.substring(dot + 1);
        long cents = Long.parseLong(fraction);
        if (fraction.length() == 1)
            cents *= 10;
        return Long.parseLong(text.substring(0, dot)) * 100 + cents;
    }

    void read(Path file) throws IOException {
        try (BufferedReader reader = Files.newBufferedReader(file)) {
            for (String line; (line = reader.readLine()) != null;) {
                if (line.isBlank() || line.startsWith("#"))
                    continue;
                String[] parts = line.split(";");
                Item item = new Item();
                item.name = parts[0].trim();
                item.count = Integer.parseInt(parts[1].trim());
                item.cents = cents(parts[2].trim());
                items.add(item);
            }
        }
    }

    long total() {
        long total = 0;
        for (Item item : items)
            total += item.cost();
        return total;
    }

    Item dearest() {
        Item dearest = items.get(0);
        for (Item item : items)
            if (item.cost() > dearest.cost())
                dearest = item;
        return dearest;
    }

    public static void main(String[] args) throws IOException {
        Invoice invoice = new Invoice();
        invoice.read(Path.of(args[0]));
        Item dearest = invoice.dearest();
        System.out.printf("%d items, %d.%02d in all, of which %d.%02d for %s%n", invoice.items.size(),
            invoice.total() / 100, invoice.total() % 100, dearest.cost() / 100, dearest.cost() % 100, dearest.name);
    }
}
