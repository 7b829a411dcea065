package io.howdah.collections.catalogue;

import io.howdah.codec.CodecException;
import io.howdah.codec.SchemaReport;
import io.howdah.codec.SchemaReport.Verdict;
import io.howdah.codec.Shapes;
import io.howdah.codec.derived.CodecRegistry;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * What the classes of a program would make of the records, enums and sealed interfaces that a store
 * has. Nothing is changed: the codecs are bound to shapes that only note what they are asked to
 * store. For one thread.
 */
public final class SchemaCheck {

  private final CodecRegistry codecs;
  private final SortedMap<String, String> stored;
  private final SortedMap<String, Outcome> outcomes = new TreeMap<>();

  private record Outcome(Verdict verdict, String detail) {}

  /**
   * Prepares a check.
   *
   * @param codecs that derive the codecs of classes
   * @param stored the texts of the store's types by their names
   */
  public SchemaCheck(CodecRegistry codecs, SortedMap<String, String> stored) {
    this.codecs = codecs;
    this.stored = stored;
    stored.keySet().forEach(name -> outcomes.put(name, new Outcome(Verdict.ABSENT, "")));
  }

  /** Checks classes, and returns what becomes of each type of the store. */
  public SchemaReport of(Collection<? extends Class<?>> classes) {
    classes.forEach(this::check);
    List<SchemaReport.Finding> findings = new ArrayList<>();
    outcomes.forEach(
        (name, outcome) ->
            findings.add(
                new SchemaReport.Finding(
                    name,
                    outcome.verdict(),
                    StoredShapes.forPeople(Objects.requireNonNull(stored.get(name))),
                    outcome.detail())));
    return new SchemaReport(findings);
  }

  private void check(Class<?> type) {
    Noting noting = new Noting();
    try {
      codecs.of(type).bind(noting);
    } catch (CodecException e) {
      refuse(noting.opening == null ? type.getName() : noting.opening, e.getMessage());
    } catch (LinkageError | TypeNotPresentException e) { // of a class that it needs
      refuse(type.getName(), "its class cannot be used: " + e);
    }
  }

  private void refuse(String name, @Nullable String why) {
    if (stored.containsKey(name)) {
      note(name, Verdict.REFUSED, String.valueOf(why));
    }
  }

  /** The gravest verdict counts: a class may be checked by itself, and as a part of others. */
  private void note(String name, Verdict verdict, String detail) {
    outcomes.merge(
        name,
        new Outcome(verdict, detail),
        (a, b) -> b.verdict().compareTo(a.verdict()) > 0 ? b : a);
  }

  /** Shapes of values that store nothing. */
  private final class Noting implements Shapes {

    /** The type that is being opened. */
    private @Nullable String opening;

    @Override
    public boolean isForKeys() {
      return false;
    }

    @Override
    public @Nullable String text(String name) {
      return stored.get(name);
    }

    @Override
    public Entry open(
        String name, List<String> formerNames, UnaryOperator<@Nullable String> update) {
      String found = stored.containsKey(name) ? name : null;
      for (String former : formerNames) {
        found = found == null && stored.containsKey(former) ? former : found;
      }
      opening = found;
      String before = found == null ? null : stored.get(found);
      String after = update.apply(before);
      if (after == null) {
        throw new IllegalStateException("a type has no text");
      }
      if (found != null) {
        boolean isSame = after.equals(before);
        note(
            found,
            isSame ? Verdict.SAME : Verdict.CHANGES,
            isSame ? "" : StoredShapes.forPeople(after));
      }
      return new Entry(found == null ? name : found, after);
    }

    @Override
    public void limited(String name, String limits) {
      if (stored.containsKey(name)) { // else of a type that the store does not have
        note(name, Verdict.LIMITED, limits);
      }
    }
  }
}
