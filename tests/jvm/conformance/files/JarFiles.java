package files;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.FileOutputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import support.Assembler;

/** Jars: manifest, classes loaded from one, resources, zipfs, the jar tool. */
public class JarFiles {
    public static void main(String[] args) throws Exception {
        Manifest m = new Manifest();
        m.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        m.getMainAttributes().put(Attributes.Name.MAIN_CLASS, "gen.J");
        m.getMainAttributes().put(new Attributes.Name("Long-Line"), "x".repeat(200));
        File f = new File("t.jar");
        try (JarOutputStream j = new JarOutputStream(new FileOutputStream(f), m)) {
            j.putNextEntry(new JarEntry("gen/J.class"));
            j.write(Assembler.assemble(".class public gen/J\n.method public static run ()I\nbipush 33\nireturn\n.end"));
            j.putNextEntry(new JarEntry("res.txt"));
            j.write("resource".getBytes());
        }
        try (JarFile j = new JarFile(f)) {
            System.out.println(j.getManifest().getMainAttributes().getValue("Main-Class") + " " + j.getManifest().getMainAttributes().getValue("Long-Line").length() + " " + j.size() + " " + j.isMultiRelease());
        }
        try (URLClassLoader l = new URLClassLoader("jar", new URL[] {f.toURI().toURL()}, null)) {
            Class<?> c = l.loadClass("gen.J");
            System.out.println(c.getMethod("run").invoke(null) + " " + new String(l.getResourceAsStream("res.txt").readAllBytes()) + " " + c.getProtectionDomain().getCodeSource().getLocation().getPath().endsWith("t.jar") + " " + l.findResource("res.txt").getProtocol() + " " + c.getPackage().getName());
        }
        try (FileSystem z = FileSystems.newFileSystem(Path.of("t.jar"))) {
            System.out.println(Files.readString(z.getPath("/res.txt")) + " " + Files.exists(z.getPath("/gen/J.class")));
        }
        ByteArrayOutputStream b = new ByteArrayOutputStream();
        m.write(b);
        System.out.println(b.toString().lines().mapToInt(String::length).max().getAsInt());
        java.io.StringWriter w = new java.io.StringWriter();
        int status = java.util.spi.ToolProvider.findFirst("jar").get().run(new java.io.PrintWriter(w), new java.io.PrintWriter(w), "tf", "t.jar");
        System.out.println(status + " " + w.toString().lines().toList());
    }
}
