package io.howdah.springdata;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.data.domain.Sort;
import org.springframework.data.keyvalue.core.query.KeyValueQuery;
import org.springframework.data.repository.query.ParameterAccessor;
import org.springframework.data.repository.query.parser.AbstractQueryCreator;
import org.springframework.data.repository.query.parser.Part;
import org.springframework.data.repository.query.parser.PartTree;

/** Makes the condition of a repository's method from its name. Spring Data creates it by class. */
final class ConditionQueryCreator
    extends AbstractQueryCreator<KeyValueQuery<Condition>, Condition> {

  /** Returns at most so many entities; 0 for all. */
  private final int limit;

  /** For Spring Data. */
  public ConditionQueryCreator(PartTree tree, ParameterAccessor parameters) {
    super(tree, parameters);
    Integer most = tree.getMaxResults();
    this.limit = most == null ? 0 : most;
  }

  @Override
  protected Condition create(Part part, Iterator<Object> arguments) {
    return switch (part.getType()) {
      case NEAR, WITHIN, EXISTS -> throw Condition.OfProperty.unknown(part.getType());
      default ->
          new Condition.OfProperty(
              part.getProperty(),
              part.getType(),
              taken(part, arguments),
              part.shouldIgnoreCase() != Part.IgnoreCaseType.NEVER);
    };
  }

  private static List<@Nullable Object> taken(Part part, Iterator<Object> arguments) {
    List<@Nullable Object> taken = new ArrayList<>();
    for (int i = 0; i < part.getNumberOfArguments(); i++) {
      taken.add(arguments.next());
    }
    return taken;
  }

  @Override
  protected Condition and(Part part, Condition base, Iterator<Object> arguments) {
    List<Condition> all = new ArrayList<>();
    if (base instanceof Condition.All before) {
      all.addAll(before.conditions());
    } else {
      all.add(base);
    }
    all.add(create(part, arguments));
    return new Condition.All(List.copyOf(all));
  }

  @Override
  protected Condition or(Condition base, Condition condition) {
    return new Condition.Any(List.of(base, condition));
  }

  @Override
  protected KeyValueQuery<Condition> complete(@Nullable Condition condition, Sort sort) {
    KeyValueQuery<Condition> query =
        condition == null ? new KeyValueQuery<>(sort) : new KeyValueQuery<>(condition, sort);
    return limit == 0 ? query : query.limit(limit);
  }
}
