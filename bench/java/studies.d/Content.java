import java.util.*;
import java.util.stream.*;

/** Content N: a store of pages that lives in memory and keeps what it is given; 26 requests of a user's session, each N times. */
public class Content {
    static final class Element {
        final int id;
        String text;
        Map<String, String> style = new LinkedHashMap<>();
        Element(int id, String text) { this.id = id; this.text = text; }
        Element copy(int id) {
            Element e = new Element(id, text);
            e.style.putAll(style);
            return e;
        }
    }

    static final class Page {
        final String title;
        Page parent;
        final List<Page> children = new ArrayList<>();
        final List<Element> elements = new ArrayList<>();
        String published;
        Page(String title) { this.title = title; }
        String render() {
            return "<h1>" + title + "</h1>" + elements.stream().map(e -> "<p id=" + e.id + ">" + e.text + "</p>").collect(Collectors.joining());
        }
    }

    static final class Session {
        final String user;
        Page at;
        final Deque<Element> clipboard = new ArrayDeque<>();
        final List<String> log = new ArrayList<>();
        Session(String user) { this.user = user; }
    }

    final Map<String, Page> pages = new HashMap<>();
    final Page root = new Page("home");
    final Random random = new Random(7);
    int nextId;
    Session session;

    Page page() {
        List<Page> all = new ArrayList<>(pages.values());
        all.sort(Comparator.comparing(p -> p.title));
        return all.isEmpty() ? root : all.get(random.nextInt(all.size()));
    }

    void login() { session = new Session("user" + nextId++); session.at = root; }
    void create() {
        Page p = new Page("page" + nextId++);
        p.parent = session.at;
        session.at.children.add(p);
        pages.put(p.title, p);
        session.at = p;
    }
    void write() { session.at.elements.add(new Element(nextId++, "text of " + session.user + " " + nextId)); }
    void edit() {
        for (Element e : session.at.elements)
            e.text = e.text + ", changed";
    }
    void style() {
        for (Element e : session.at.elements)
            e.style.put("k" + random.nextInt(5), "v" + random.nextInt(100));
    }
    void visit() { session.at = page(); }
    void copy() { session.at.elements.stream().map(e -> e.copy(nextId++)).forEach(session.clipboard::push); }
    void paste() {
        while (!session.clipboard.isEmpty() && session.at.elements.size() < 50)
            session.at.elements.add(session.clipboard.pop());
    }
    void drag() { Collections.shuffle(session.at.elements, random); }
    void publish() { session.at.published = session.at.render(); }
    void search() { session.log.add("found " + pages.values().stream().filter(p -> p.render().contains("changed")).count()); }

    void request(int i) {
        Runnable[] actions = {this::login, this::create, this::write, this::edit, this::write, this::style, this::publish, this::visit, this::copy, this::visit, this::paste,
                              this::drag, this::edit};
        actions[i % actions.length].run();
    }

    public static void main(String[] args) {
        Content store = new Content();
        int n = Integer.parseInt(args[0]);
        store.login();
        for (int r = 0; r < 26; r++) {
            for (int i = 0; i < n; i++)
                store.request(r % 13 == 0 ? i : r + i % 3);
            store.search();
            Sample.take();
        }
    }
}
