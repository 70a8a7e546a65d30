package process;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Handles of processes, redirections, environments, pipelines, waiting and killing. */
public class Handles {
    public static void main(String[] args) throws Exception {
        Process slow = new ProcessBuilder("sleep", "30").start();
        System.out.println(slow.isAlive() + " " + slow.waitFor(20, TimeUnit.MILLISECONDS) + " " + slow.toHandle().equals(ProcessHandle.of(slow.pid()).get()));
        System.out.println(slow.toHandle().parent().get().equals(ProcessHandle.current()) + " " + ProcessHandle.current().children().count());
        var ended = slow.onExit().thenApply(Process::exitValue);
        slow.destroy();
        System.out.println(ended.get(10, TimeUnit.SECONDS) + " " + slow.isAlive());
        Process killed = new ProcessBuilder("sleep", "30").start().destroyForcibly();
        System.out.println(killed.waitFor());

        ProcessBuilder env = new ProcessBuilder("sh", "-c", "echo $GIVEN; pwd | sed 's:.*/::'; cat; echo problem >&2; exit 4");
        Files.createDirectory(Path.of("inside"));
        Files.writeString(Path.of("in"), "from a file\n");
        env.environment().clear();
        env.environment().putAll(Map.of("GIVEN", "yes", "PATH", "/usr/bin:/bin"));
        env.directory(new File("inside")).redirectInput(new File("in")).redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.appendTo(new File("out")));
        System.out.println(env.start().waitFor() + " " + Files.readAllLines(Path.of("out")));

        List<Process> line = ProcessBuilder.startPipeline(List.of(new ProcessBuilder("printf", "b\\nc\\na\\n"), new ProcessBuilder("sort"), new ProcessBuilder("head", "-2")));
        System.out.println(new String(line.get(2).getInputStream().readAllBytes()).replace('\n', ','));
        try {
            new ProcessBuilder("no-such-program-here").start();
        } catch (java.io.IOException e) {
            System.out.println(e.getMessage());
        }
        try {
            new ProcessBuilder("true").directory(new File("nowhere")).start();
        } catch (java.io.IOException e) {
            System.out.println(e.getMessage());
        }
        System.out.println(Runtime.getRuntime().exec(new String[] {"sh", "-c", "exit 255"}).waitFor());
    }
}
