package collections;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Unmodifiable, synchronized, checked collections; Optional. Iteration order of Set.of is not fixed and not printed. */
public class Immutable {
    static void refuse(Runnable r) {
        try {
            r.run();
            System.out.println("allowed");
        } catch (RuntimeException e) {
            System.out.println(e.getClass().getSimpleName() + " " + e.getMessage());
        }
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    public static void main(String[] args) {
        refuse(() -> List.of(1).set(0, 2));
        refuse(() -> Set.of(1, 1));
        refuse(() -> Map.of("a", 1).put("b", 2));
        refuse(() -> Collections.unmodifiableList(new ArrayList<>()).add(null));
        refuse(() -> List.of(1).contains(null));
        refuse(() -> Collections.emptyList().add(null));
        List checked = Collections.checkedList(new ArrayList<>(), Integer.class);
        refuse(() -> checked.add("x"));
        System.out.println(Set.of(1, 2, 3).size() + " " + new java.util.TreeSet<>(Set.of(3, 1, 2)) + " " + Collections.synchronizedList(new ArrayList<>(List.of(1))) + " " + Collections.singletonMap(1, 2));
        System.out.println(Optional.of(5).map(x -> x + 1).filter(x -> x > 5).orElse(0) + " " + Optional.empty().isPresent() + " " + Optional.ofNullable(null).or(() -> Optional.of("or")).get() + " " + Optional.of(1));
        refuse(() -> Optional.empty().get());
        refuse(() -> Optional.of(null));
        refuse(() -> java.util.Objects.requireNonNull(null, "text"));
        refuse(() -> java.util.Objects.checkIndex(5, 3));
    }
}
