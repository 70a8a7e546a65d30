package i18n;

import java.util.ListResourceBundle;
import java.util.Locale;
import java.util.MissingResourceException;
import java.util.ResourceBundle;

/** Resource bundles from classes: fall-back chain, parents, missing keys. */
public class Bundles {
    public static class Texts extends ListResourceBundle {
        @Override
        protected Object[][] getContents() {
            return new Object[][] {{"hello", "hello"}, {"bye", "bye"}, {"n", 5}};
        }
    }

    public static class Texts_de extends ListResourceBundle {
        @Override
        protected Object[][] getContents() {
            return new Object[][] {{"hello", "hallo"}};
        }
    }

    public static class Texts_de_AT extends ListResourceBundle {
        @Override
        protected Object[][] getContents() {
            return new Object[][] {{"hello", "servus"}};
        }
    }

    public static void main(String[] args) {
        Locale.setDefault(Locale.ENGLISH);
        String base = "i18n.Bundles$Texts";
        for (Locale l : new Locale[] {new Locale("de", "AT"), Locale.GERMANY, Locale.FRENCH, Locale.ROOT}) {
            ResourceBundle b = ResourceBundle.getBundle(base, l);
            System.out.println(l + " " + b.getString("hello") + " " + b.getString("bye") + " " + b.getObject("n") + " " + b.getLocale() + " " + new java.util.TreeSet<>(b.keySet()));
        }
        try {
            ResourceBundle.getBundle(base).getString("nope");
        } catch (MissingResourceException e) {
            System.out.println(e.getMessage());
        }
        try {
            ResourceBundle.getBundle("i18n.Nothing");
        } catch (MissingResourceException e) {
            System.out.println(e.getMessage());
        }
        ResourceBundle p = ResourceBundle.getBundle("i18n.words", Locale.FRENCH);
        System.out.println(p.getString("greeting") + " " + p.getString("only.root"));
    }
}
