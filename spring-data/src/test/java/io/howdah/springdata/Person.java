package io.howdah.springdata;

import org.jspecify.annotations.Nullable;
import org.springframework.data.annotation.Id;

/** An entity with every kind of property that the tests search by. */
record Person(
    @Id long id,
    @Indexed String name,
    @Indexed int age,
    @Indexed(unique = true) String email,
    @Indexed @Nullable String city,
    @Indexed boolean active,
    Address address) {

  record Address(String street, int number) {}

  static Person of(long id, String name, int age, @Nullable String city) {
    return new Person(
        id, name, age, "p" + id, city, id % 3 == 0, new Address("street " + id % 4, (int) id));
  }
}
