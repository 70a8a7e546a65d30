package process;

import java.io.IOException;
import java.util.concurrent.TimeUnit;

/** Child processes: output, input, status, environment, directory, failure to start. */
public class Run {
    public static void main(String[] args) throws Exception {
        Process p = new ProcessBuilder("/bin/sh", "-c", "echo out; echo err >&2; exit 3").start();
        System.out.println(new String(p.getInputStream().readAllBytes()).trim() + " " + new String(p.getErrorStream().readAllBytes()).trim() + " " + p.waitFor() + " " + p.exitValue());
        Process cat = new ProcessBuilder("cat").start();
        cat.getOutputStream().write("through cat".getBytes());
        cat.getOutputStream().close();
        System.out.println(new String(cat.getInputStream().readAllBytes()) + " " + cat.waitFor());
        ProcessBuilder b = new ProcessBuilder("/bin/sh", "-c", "echo $VAR; pwd").redirectErrorStream(true);
        b.environment().put("VAR", "value");
        b.directory(new java.io.File("/"));
        System.out.println(new String(b.start().getInputStream().readAllBytes()).replace("\n", "|"));
        try {
            new ProcessBuilder("/no/such/program").start();
        } catch (IOException e) {
            System.out.println(e.getMessage());
        }
        Process sleep = new ProcessBuilder("sleep", "100").start();
        System.out.println(sleep.isAlive() + " " + sleep.waitFor(20, TimeUnit.MILLISECONDS));
        try {
            sleep.exitValue();
        } catch (IllegalThreadStateException e) {
            System.out.println(e.getMessage());
        }
        sleep.destroy();
        System.out.println(sleep.waitFor() + " " + sleep.isAlive());
        Process q = new ProcessBuilder("true").start();
        System.out.println(q.onExit().get().exitValue() + " " + q.toHandle().isAlive());
        ProcessBuilder io = new ProcessBuilder("echo", "inherited").inheritIO();
        System.out.flush();
        System.out.println(io.start().waitFor());
        System.out.println(new ProcessBuilder("sh", "-c", "echo file").redirectOutput(new java.io.File("out.txt")).start().waitFor() + " " + java.nio.file.Files.readString(java.nio.file.Path.of("out.txt")).trim());
        System.out.println(new String(Runtime.getRuntime().exec(new String[] {"echo", "a b"}).getInputStream().readAllBytes()).trim());
    }
}
