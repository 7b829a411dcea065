package io.howdah.verify.architecture;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Circles of classes: sets in which each class depends on each other one, directly or through
 * others of the set. Classes of different packages are not looked at, since packages have no
 * circles. A nested class counts as the top-level class around it.
 *
 * <p>The algorithm is Tarjan's ("Depth-first search and linear graph algorithms", SIAM Journal on
 * Computing 1972).
 */
final class Circles {

  private final Map<String, Set<String>> dependencies;
  private final Map<String, Integer> numbers = new HashMap<>();
  private final Map<String, Integer> lows = new HashMap<>();
  private final Deque<String> path = new ArrayDeque<>();
  private final Set<String> onPath = new HashSet<>();
  private final List<Set<String>> found = new ArrayList<>();

  private Circles(Map<String, Set<String>> dependencies) {
    this.dependencies = dependencies;
  }

  /** Returns the circles of more than one class, each with its classes in order. */
  static List<Set<String>> of(JavaClasses classes) {
    Map<String, Set<String>> dependencies = new TreeMap<>();
    for (JavaClass each : classes) {
      Set<String> targets =
          dependencies.computeIfAbsent(topLevel(each.getName()), _ -> new TreeSet<>());
      each.getDirectDependenciesFromSelf().stream()
          .map(dependency -> dependency.getTargetClass().getBaseComponentType())
          .filter(target -> target.getPackageName().equals(each.getPackageName()))
          .map(target -> topLevel(target.getName()))
          .filter(target -> !target.equals(topLevel(each.getName())))
          .forEach(targets::add);
    }
    return of(dependencies);
  }

  /** Returns the circles of more than one node of a graph. */
  static List<Set<String>> of(Map<String, ? extends Collection<String>> graph) {
    Map<String, Set<String>> copy = new TreeMap<>();
    graph.forEach((from, to) -> copy.put(from, new TreeSet<>(to)));
    Circles circles = new Circles(copy);
    for (String each : copy.keySet()) {
      if (!circles.numbers.containsKey(each)) {
        circles.visit(each);
      }
    }
    return circles.found;
  }

  private void visit(String node) {
    int number = numbers.size();
    numbers.put(node, number);
    lows.put(node, number);
    path.push(node);
    onPath.add(node);
    for (String next : dependencies.getOrDefault(node, Set.of())) {
      if (!numbers.containsKey(next)) {
        visit(next);
        lows.merge(node, low(next), Math::min);
      } else if (onPath.contains(next)) {
        lows.merge(node, numbers.getOrDefault(next, number), Math::min);
      }
    }
    if (low(node) == number) {
      Set<String> circle = new TreeSet<>();
      String member;
      do {
        member = path.pop();
        onPath.remove(member);
        circle.add(member);
      } while (!member.equals(node));
      if (circle.size() > 1) {
        found.add(circle);
      }
    }
  }

  private int low(String node) {
    return lows.getOrDefault(node, Integer.MAX_VALUE);
  }

  private static String topLevel(String name) {
    int nested = name.indexOf('$');
    return nested < 0 ? name : name.substring(0, nested);
  }
}
