package io.howdah.springdata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.codec.derived.CodecRegistry;
import io.howdah.codec.derived.Codecs;
import io.howdah.collections.UniqueIndexException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.data.annotation.Id;
import org.springframework.data.domain.Page;
import org.springframework.data.domain.PageRequest;
import org.springframework.data.domain.Pageable;
import org.springframework.data.domain.Slice;
import org.springframework.data.domain.Sort;

/** Repositories find what a filter of all entities finds, in the same order. */
final class RepositoriesTest {

  private static final List<String> NAMES =
      List.of("", "Ann", "Anna", "anna", "Bob", "\uffff", "😀", "Ann%");

  @EnableHowdahRepositories
  static class Application {}

  private final List<Person> model = new ArrayList<>();
  private final AtomicLong decoded = new AtomicLong();

  private static AnnotationConfigApplicationContext context(Store store) {
    AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
    context.registerBean(Store.class, () -> store);
    context.register(Application.class);
    context.refresh();
    return context;
  }

  private Store store() {
    CodecRegistry codecs =
        CodecRegistry.defaults()
            .with(
                Person.class,
                Codecs.map(
                    "counted",
                    Codecs.of(Person.class),
                    person -> {
                      decoded.incrementAndGet();
                      return person;
                    },
                    person -> person));
    return Store.inMemory(StoreOptions.defaults().withMaxSize(32 << 20).withCodecs(codecs));
  }

  private People filled(AnnotationConfigApplicationContext context) {
    People people = context.getBean(People.class);
    for (long id = 0; id < 200; id++) {
      String city = id % 5 == 0 ? null : "city " + id % 7;
      Person person =
          Person.of(id, NAMES.get((int) (id % NAMES.size())), (int) (id * 31 % 50), city);
      model.add(person);
    }
    people.saveAll(model);
    return people;
  }

  private List<Person> expected(Predicate<Person> filter) {
    return model.stream().filter(filter).toList();
  }

  @Test
  void entitiesAreThereAfterARestart(@TempDir Path folder) {
    for (int start = 1; start <= 2; start++) {
      try (AnnotationConfigApplicationContext context =
          context(Store.open(folder.resolve("store")))) {
        People people = context.getBean(People.class);
        long before = people.count();
        assertThat(before).isEqualTo(start - 1);
        people.save(Person.of(start, "Ann", 30 + start, "Bern"));
        assertThat(people.findByName("Ann")).hasSize(start);
        assertThat(people.findById(1L)).contains(Person.of(1, "Ann", 31, "Bern"));
      }
    }
  }

  @Test
  void queriesFindWhatAFilterFinds() {
    try (AnnotationConfigApplicationContext context = context(store())) {
      People people = filled(context);
      for (String name : List.of("", "An", "Ann", "anna", "Bob", "none", "\uffff", "😀", "A_n%")) {
        same(people.findByName(name), p -> p.name().equals(name));
        same(people.findByNameNot(name), p -> !p.name().equals(name));
        same(people.findByNameIgnoreCase(name), p -> p.name().equalsIgnoreCase(name));
        same(people.findByNameStartingWith(name), p -> p.name().startsWith(name));
        same(people.findByNameContaining(name), p -> p.name().contains(name));
        same(people.findByNameAndAge(name, 31), p -> p.name().equals(name) && p.age() == 31);
        same(people.findByNameOrAge(name, 31), p -> p.name().equals(name) || p.age() == 31);
        assertThat(people.countByName(name)).isEqualTo(people.findByName(name).size());
        assertThat(people.existsByName(name)).isEqualTo(!people.findByName(name).isEmpty());
      }
      same(people.findByNameLike("A_n%"), p -> p.name().matches("A.n.*"));
      for (int age : new int[] {-1, 0, 1, 25, 49, 50}) {
        same(people.findByAgeGreaterThan(age), p -> p.age() > age);
        same(people.findByAgeGreaterThanEqual(age), p -> p.age() >= age);
        same(people.findByAgeLessThan(age), p -> p.age() < age);
        same(people.findByAgeLessThanEqual(age), p -> p.age() <= age);
        for (int to : new int[] {-1, 0, 1, 25, 49, 50}) {
          same(people.findByAgeBetween(age, to), p -> p.age() >= age && p.age() <= to);
        }
      }
      same(people.findByAgeIn(List.of(3, 3, 17)), p -> Set.of(3, 17).contains(p.age()));
      same(people.findByAgeIn(List.of()), _ -> false);
      same(people.findByAgeNotIn(List.of(3, 17)), p -> !Set.of(3, 17).contains(p.age()));
      same(people.findByActiveTrue(), Person::active);
      same(people.findByActiveFalse(), p -> !p.active());
      same(people.findByCityIsNull(), p -> p.city() == null);
      same(people.findByCityIsNotNull(), p -> p.city() != null);
      same(people.findByCity("city 3"), p -> "city 3".equals(p.city()));
      same(people.findByAddressStreet("street 2"), p -> p.address().street().equals("street 2"));
      assertThat(people.findByEmail("p17")).contains(model.get(17));
      assertThat(people.findByEmail("p")).isEmpty();
    }
  }

  private void same(List<Person> found, Predicate<Person> filter) {
    assertThat(found).containsExactlyInAnyOrderElementsOf(expected(filter));
  }

  /** What is read is what is found: an index was used, and nothing beside. */
  @Test
  void anIndexSparesReadingAllEntities() {
    try (AnnotationConfigApplicationContext context = context(store())) {
      People people = filled(context);
      reads(0, () -> people.findByName("none"));
      reads(expected(p -> p.name().equals("Bob")).size(), () -> people.findByName("Bob"));
      reads(1, () -> people.findByEmail("p17").orElseThrow());
      int young = expected(p -> p.age() < 3).size();
      reads(young, () -> people.findByAgeBetween(0, 2));
      reads(young, () -> people.findByAgeIn(List.of(0, 1, 2)));
      reads(0, () -> people.findByNameAndAge("none", 3));
      reads(expected(p -> p.name().equals("Bob")).size(), () -> people.findByNameAndAge("Bob", 3));
      reads(model.size(), () -> people.findByAddressStreet("street 2"));
      PageRequest page = PageRequest.of(2, 5, Sort.by("id"));
      reads(15, () -> people.findAll(page).getContent());
      reads(15, () -> people.findAll(page.withSort(Sort.by("age"))));
    }
  }

  private interface Found {
    Object find();
  }

  private void reads(int most, Found found) {
    decoded.set(0);
    Object _ = found.find();
    // An iterator looks one ahead.
    assertThat(decoded.get()).isBetween((long) most, most + 1L);
  }

  @Test
  void ordersAndPagesAreThoseOfASortedList() {
    try (AnnotationConfigApplicationContext context = context(store())) {
      People people = filled(context);
      Comparator<Person> byAge = Comparator.comparingInt(Person::age);
      Comparator<Person> byId = Comparator.comparingLong(Person::id);
      List<Person> sorted = model.stream().sorted(byAge.thenComparing(byId)).toList();
      List<Person> paged = new ArrayList<>();
      Pageable pageable = PageRequest.of(0, 7, Sort.by("age"));
      while (true) {
        Page<Person> page = people.findAll(pageable);
        assertThat(page.getTotalElements()).isEqualTo(model.size());
        paged.addAll(page.getContent());
        if (!page.hasNext()) {
          break;
        }
        pageable = page.nextPageable();
      }
      assertThat(paged).isEqualTo(sorted);
      assertThat(people.findAll(Sort.by("age").descending()))
          .containsExactlyElementsOf(sorted.reversed());
      assertThat(people.findAll()).containsExactlyElementsOf(model);
      assertThat(people.findAll(Sort.by("id").descending()))
          .containsExactlyElementsOf(model.reversed());
      assertThat(people.findAll(Sort.by("address.number").descending()))
          .containsExactlyElementsOf(model.reversed());
      assertThat(people.findAll(Sort.by(Sort.Order.desc("age"), Sort.Order.asc("id"))))
          .containsExactlyElementsOf(
              model.stream().sorted(byAge.reversed().thenComparing(byId)).toList());
      assertThat(people.findAll(Sort.by("city", "id")))
          .as("null comes first")
          .containsExactlyElementsOf(
              model.stream()
                  .sorted(
                      Comparator.comparing(
                              Person::city,
                              Comparator.nullsFirst(Comparator.<String>naturalOrder()))
                          .thenComparing(byId))
                  .toList());
      assertThat(people.findTop3ByOrderByAgeDesc())
          .extracting(Person::age)
          .isEqualTo(sorted.reversed().subList(0, 3).stream().map(Person::age).toList());
      assertThat(people.findByNameOrderByAgeDesc("Bob"))
          .isSortedAccordingTo(byAge.reversed())
          .hasSameSizeAs(people.findByName("Bob"));
      Page<Person> olderPage =
          people.findByAgeGreaterThan(10, PageRequest.of(1, 4, Sort.by("age", "id")));
      List<Person> older = sorted.stream().filter(p -> p.age() > 10).toList();
      assertThat(olderPage.getContent()).isEqualTo(older.subList(4, 8));
      assertThat(olderPage.getTotalElements()).isEqualTo(older.size());
      Slice<Person> slice = people.findByName("Bob", PageRequest.of(0, 2, Sort.by("id")));
      assertThat(slice.getContent()).isEqualTo(expected(p -> p.name().equals("Bob")).subList(0, 2));
      assertThat(people.findByAgeGreaterThan(10, Sort.by("age", "id"))).isEqualTo(older);
    }
  }

  private static Comparator<Person> by(Sort.Order order) {
    Comparator<Comparable<Object>> values =
        order.isAscending() ? Comparator.naturalOrder() : Comparator.reverseOrder();
    return Comparator.comparing(
        person -> value(person, order.getProperty()),
        order.getNullHandling() == Sort.NullHandling.NULLS_LAST
            ? Comparator.nullsLast(values)
            : Comparator.nullsFirst(values));
  }

  @SuppressWarnings("unchecked") // each is comparable with its like
  private static @Nullable Comparable<Object> value(Person person, String property) {
    return (Comparable<Object>)
        (Object)
            switch (property) {
              case "id" -> person.id();
              case "name" -> person.name();
              case "age" -> person.age();
              case "email" -> person.email();
              case "city" -> person.city();
              default -> person.active();
            };
  }

  /** An index lacks entities whose property is null; an order by the property has them. */
  @ParameterizedTest
  @ValueSource(strings = {"id", "name", "age", "email", "city", "active"})
  void anOrderByOnePropertyHasAllEntities(String property) {
    try (AnnotationConfigApplicationContext context = context(store())) {
      People people = filled(context);
      for (Sort.Direction direction : Sort.Direction.values()) {
        for (Sort.NullHandling nulls : Sort.NullHandling.values()) {
          Sort.Order order = new Sort.Order(direction, property, nulls);
          List<Person> found = new ArrayList<>();
          people.findAll(Sort.by(order)).forEach(found::add);
          assertThat(found).as("%s", order).containsExactlyInAnyOrderElementsOf(model);
          if (!property.equals("name")) { // whose order is that of code points
            assertThat(found).as("%s", order).isSortedAccordingTo(by(order));
          }
          assertThat(people.findAll(PageRequest.of(1, 150, Sort.by(order))).getContent())
              .as("%s, second page", order)
              .isEqualTo(found.subList(150, model.size()));
        }
      }
    }
  }

  /** An index and a comparison of values agree about characters beyond 16 bits. */
  @Test
  void anOrderByIndexIsThatOfAComparison() {
    try (AnnotationConfigApplicationContext context = context(store())) {
      People people = filled(context);
      List<Person> byIndex = new ArrayList<>();
      people.findAll(Sort.by("name")).forEach(byIndex::add);
      List<Person> compared = new ArrayList<>();
      people.findAll(Sort.by("name", "id")).forEach(compared::add);
      assertThat(byIndex).isEqualTo(compared);
      assertThat(byIndex.getLast().name()).isEqualTo("😀");
    }
  }

  @Test
  void entitiesAreChangedAndRemoved() {
    try (AnnotationConfigApplicationContext context = context(store())) {
      People people = filled(context);
      people.save(Person.of(3, "Zoe", 99, null));
      assertThat(people.findByName("Zoe")).containsExactly(Person.of(3, "Zoe", 99, null));
      assertThat(people.findByAgeGreaterThan(98)).hasSize(1);
      people.deleteById(3L);
      assertThat(people.existsById(3L)).isFalse();
      assertThat(people.findByName("Zoe")).isEmpty();
      people.deleteAllById(List.of(4L, 5L));
      assertThat(people.count()).isEqualTo(model.size() - 3);
      people.deleteAll();
      assertThat(people.findAll()).isEmpty();
      assertThat(people.findByNameStartingWith("")).isEmpty();
    }
  }

  @Test
  void aSecondEntityWithAUniqueValueIsRefused() {
    try (AnnotationConfigApplicationContext context = context(store())) {
      People people = filled(context);
      Person second =
          new Person(1000, "Ann", 1, "p17", null, true, new Person.Address("street", 1));
      assertThatThrownBy(() -> people.save(second))
          .isInstanceOf(DuplicateKeyException.class)
          .hasCauseInstanceOf(UniqueIndexException.class);
      assertThat(people.existsById(1000L)).isFalse();
    }
  }

  @Test
  void anInsertRefusesAnEntityThatIsThere() {
    try (AnnotationConfigApplicationContext context = context(store())) {
      HowdahKeyValueTemplate template = context.getBean(HowdahKeyValueTemplate.class);
      template.insert(Person.of(1, "Ann", 1, null));
      assertThatThrownBy(() -> template.insert(Person.of(1, "Bob", 2, null)))
          .isInstanceOf(DuplicateKeyException.class);
      assertThat(template.findById(1L, Person.class)).contains(Person.of(1, "Ann", 1, null));
    }
  }

  record Opaque(@Id long id, Thread thread) {}

  interface OpaqueThings extends HowdahRepository<Opaque, Long> {}

  @EnableHowdahRepositories(considerNestedRepositories = true)
  static class WithOpaqueThings {}

  @Test
  void aClassWithoutACodecEndsTheStart() {
    try (Store store = store();
        AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
      context.registerBean(Store.class, () -> store);
      context.register(WithOpaqueThings.class);
      assertThatThrownBy(context::refresh)
          .rootCause()
          .hasMessageContaining("Opaque.thread has the type java.lang.Thread");
    }
  }
}
