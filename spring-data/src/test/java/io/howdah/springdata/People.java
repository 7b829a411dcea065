package io.howdah.springdata;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.springframework.data.domain.Page;
import org.springframework.data.domain.Pageable;
import org.springframework.data.domain.Slice;
import org.springframework.data.domain.Sort;

/** A repository with queries of every kind. */
interface People extends HowdahRepository<Person, Long> {

  List<Person> findByName(String name);

  List<Person> findByNameIgnoreCase(String name);

  List<Person> findByNameStartingWith(String beginning);

  List<Person> findByNameContaining(String part);

  List<Person> findByNameLike(String pattern);

  List<Person> findByNameNot(String name);

  List<Person> findByAgeBetween(int from, int to);

  List<Person> findByAgeGreaterThan(int age);

  List<Person> findByAgeGreaterThanEqual(int age);

  List<Person> findByAgeLessThan(int age);

  List<Person> findByAgeLessThanEqual(int age);

  List<Person> findByAgeIn(Collection<Integer> ages);

  List<Person> findByAgeNotIn(Collection<Integer> ages);

  List<Person> findByActiveTrue();

  List<Person> findByActiveFalse();

  List<Person> findByCityIsNull();

  List<Person> findByCityIsNotNull();

  List<Person> findByCity(String city);

  List<Person> findByNameAndAge(String name, int age);

  List<Person> findByNameOrAge(String name, int age);

  List<Person> findByAddressStreet(String street);

  List<Person> findByNameOrderByAgeDesc(String name);

  List<Person> findTop3ByOrderByAgeDesc();

  Optional<Person> findByEmail(String email);

  Page<Person> findByAgeGreaterThan(int age, Pageable page);

  Slice<Person> findByName(String name, Pageable page);

  List<Person> findByAgeGreaterThan(int age, Sort sort);

  long countByName(String name);

  boolean existsByName(String name);
}
