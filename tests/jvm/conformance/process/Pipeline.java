package process;

import java.util.List;

/** Pipelines of processes and process handles. */
public class Pipeline {
    public static void main(String[] args) throws Exception {
        List<Process> ps = ProcessBuilder.startPipeline(List.of(new ProcessBuilder("printf", "b\\na\\nc\\n"), new ProcessBuilder("sort")));
        System.out.println(new String(ps.get(1).getInputStream().readAllBytes()).replace("\n", ","));
        for (Process p : ps) {
            System.out.println(p.waitFor());
        }
        Process s = new ProcessBuilder("sleep", "100").start();
        ProcessHandle h = s.toHandle();
        System.out.println(h.parent().get().pid() == ProcessHandle.current().pid());
        System.out.println(ProcessHandle.current().children().anyMatch(c -> c.pid() == h.pid()) + " " + ProcessHandle.of(h.pid()).isPresent() + " " + h.supportsNormalTermination());
        System.out.println(h.destroyForcibly() + " " + h.onExit().get().isAlive() + " " + s.waitFor());
    }
}
