"""Out of lambdas: what they return goes through hidden frames to who called them, and that is where one stops."""
import pytest

from java_source import batch_answers, compile_java

SOURCE = """
import java.util.function.IntSupplier;
import java.util.function.Supplier;

public class Outward {
    public static void main(String[] args) {
        Supplier<Integer> boxed = () -> {
            int z = 5;
            return z;
        };
        IntSupplier plain = () -> {
            int z = 6;
            return z;
        };
        Supplier<Integer> adapted = Outward::seven;
        int sum = boxed.get()
            + plain.getAsInt()
            + adapted.get();
        System.out.println(sum);
    }

    static int seven() {
        return 7;
    }
}
"""


@pytest.fixture(scope="module")
def outward(tmp_path_factory):
    return compile_java(tmp_path_factory.mktemp("outward"), "Outward", SOURCE)


def line_of(text):
    return SOURCE.splitlines().index(text) + 1



@pytest.mark.parametrize("inside,outside", [(line_of("            int z = 5;") + 1, line_of("        int sum = boxed.get()")),
                                            (line_of("            int z = 6;") + 1, line_of("            + plain.getAsInt()")),
                                            (line_of("        return 7;"), line_of("            + adapted.get();"))])
@pytest.mark.parametrize("command", ["finish", "until 19", "advance 19"])
def test_the_caller_is_where_a_lambda_is_left_to(ebb, outward, inside, outside, command):
    answers = batch_answers(ebb, outward, "Outward", [f"break Outward.java:{inside}", "run", "delete", command])
    frame = answers[-1]["frame"]
    assert (frame["function"], frame["line"]) == ("Outward.main", outside), answers[-1]


def test_the_result_is_shown_if_it_is_the_same_outside(ebb, outward):
    plain, = batch_answers(ebb, outward, "Outward", [f"break Outward.java:{line_of('            int z = 6;') + 1}", "run", "finish"])[-1:]
    assert plain["returned"] == "6", plain


def test_a_watched_local_of_a_lambda_ends_with_it(ebb, outward):
    inside = line_of("            int z = 5;") + 1
    answers = batch_answers(ebb, outward, "Outward", [f"break Outward.java:{inside}", "run", "delete", "watch z", "continue"])
    assert answers[-1]["frame"]["function"] == "Outward.main", answers[-1]
