import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A company: who works for whom, and what the teams cost.
 *
 * It has a bug: the report dies with a NullPointerException, long after the null was stored.  Ask who wrote the field
 * that is null.
 */
public class Staff {
    static class Person {
        final String name;
        int salary;
        Person boss;
        final List<Person> team = new ArrayList<>();

        Person(String name, int salary) {
            this.name = name;
            this.salary = salary;
        }

        void worksFor(Person other) {
            boss = other;
            other.team.add(this);
        }
    }

    final Map<String, Person> people = new HashMap<>();

    Person hire(String name, int salary, String boss) {
        Person person = new Person(name, salary);
        people.put(name, person);
        if (boss != null)
            person.worksFor(people.get(boss));
        return person;
    }

    void leaves(String name) {
        Person gone = people.remove(name);
        for (Person member : gone.team)
            member.boss = gone.boss;
        if (gone.boss != null) {
            gone.boss.team.remove(gone);
            gone.boss.team.addAll(gone.team);
        }
    }

    void raise(int percent) {
        for (Person person : people.values())
            person.salary += person.salary * percent / 100;
    }

    String chain(Person person) {
        StringBuilder text = new StringBuilder(person.name);
        while (!person.name.equals("Ada")) {
            person = person.boss;
            text.append(" < ").append(person.name);
        }
        return text.toString();
    }

    public static void main(String[] args) {
        Staff staff = new Staff();
        staff.hire("Ada", 9000, null);
        staff.hire("Bob", 7000, "Ada");
        staff.hire("Cy", 5000, "Bob");
        staff.hire("Eve", 5200, "Bob");
        staff.hire("Gus", 4000, "Cy");
        staff.hire("Zoe", 8000, null);
        staff.hire("Kim", 4100, "Zoe");
        staff.raise(3);
        staff.leaves("Cy");
        staff.leaves("Zoe");
        for (int year = 0; year < 40; year++)
            staff.raise(1);
        for (String name : List.of("Gus", "Eve", "Kim"))
            System.out.println(staff.chain(staff.people.get(name)));
    }
}
