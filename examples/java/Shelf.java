import java.util.ArrayList;
import java.util.List;

/**
 * Books and their tags.
 *
 * It has a bug: at the end every book that began without tags is a "bestseller", although only one was marked.  Ask
 * who last changed the tags of a book that nobody touched.
 */
public class Shelf {
    static class Book {
        final String title;
        List<String> tags;

        Book(String title, List<String> tags) {
            this.title = title;
            this.tags = tags;
        }

        void tag(String tag) {
            tags.add(tag);
        }

        @Override
        public String toString() {
            return title + " " + tags;
        }
    }

    private static final List<String> NO_TAGS = new ArrayList<>();

    final List<Book> books = new ArrayList<>();

    Book put(String title, String... tags) {
        List<String> own = NO_TAGS;
        if (tags.length > 0)
            own = new ArrayList<>(List.of(tags));
        Book book = new Book(title, own);
        books.add(book);
        return book;
    }

    Book find(String title) {
        for (Book book : books)
            if (book.title.equals(title))
                return book;
        return null;
    }

    void report() {
        for (Book book : books)
            System.out.println(book);
    }

    public static void main(String[] args) {
        Shelf shelf = new Shelf();
        shelf.put("Walden");
        shelf.put("Emma", "novel");
        shelf.put("Hunger");
        shelf.put("Solaris", "novel", "science fiction");
        shelf.put("Nausea");
        shelf.find("Hunger").tag("bestseller");
        shelf.find("Emma").tag("classic");
        shelf.report();
    }
}
