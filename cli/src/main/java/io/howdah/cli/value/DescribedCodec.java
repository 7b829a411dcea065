package io.howdah.cli.value;

import io.howdah.codec.Decoder;
import io.howdah.codec.Encoder;
import io.howdah.codec.OrderedCodec;
import io.howdah.codec.Shapes;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A codec of which only the name is known, and what the store holds of its types. It opens the
 * collections that the codec of that name has made, and writes the same bytes.
 */
public final class DescribedCodec implements OrderedCodec<JsonValue> {

  private static final Pattern OUTER = Pattern.compile("^((ordered|descending|compressed) )+");

  private final String name;
  private final StoredObjects objects;
  private final @Nullable ValueForm form;

  private DescribedCodec(String name, StoredObjects objects, @Nullable ValueForm form) {
    this.name = name;
    this.objects = objects;
    this.form = form;
  }

  /**
   * Returns the codec of a name.
   *
   * @param objects what references lead to
   */
  public static DescribedCodec named(String name, StoredObjects objects) {
    return new DescribedCodec(name, objects, null);
  }

  static DescribedCodec of(ValueForm form) {
    return new DescribedCodec(form.name(), (_, _, _) -> Optional.empty(), form);
  }

  @Override
  public String name() {
    return name;
  }

  /**
   * Reads what the store has of the types.
   *
   * @throws ValueException if only the program knows the codec
   */
  @Override
  public DescribedCodec bind(Shapes shapes) {
    if (form != null) {
      return this;
    }
    ValueForm found = FormReader.read(name, shapes, objects);
    if (found instanceof PartForms.Opaque) {
      throw new ValueException(
          "only the program knows the codec \"" + name + "\", so its values cannot be shown");
    }
    return new DescribedCodec(name, objects, found);
  }

  private ValueForm bound() {
    if (form == null) {
      throw new IllegalStateException(name + " is not bound to a store");
    }
    return form;
  }

  @Override
  public int fixedLength() {
    return bound().fixedLength();
  }

  @Override
  public void encode(JsonValue value, Encoder out) {
    bound().encode(value.tree(), out);
  }

  @Override
  public JsonValue decode(Decoder in) {
    return new JsonValue(bound().decode(in));
  }

  @Override
  public boolean isSelfDelimiting() {
    return bound().isSelfDelimiting();
  }

  /** Returns whether values are strings in JSON, so that a plain text stands for itself. */
  public boolean isText() {
    ScalarForm<?> scalar = scalar();
    return scalar == null ? inner().startsWith("enum ") : scalar.isText();
  }

  /** Returns whether {@link #parse} takes JSON only, so that a string has quotes. */
  public boolean takesJson() {
    return !isText() && scalar() == null;
  }

  private String inner() {
    return OUTER.matcher(name).replaceFirst("");
  }

  /** Returns the form of values that have no parts; null if they have some. */
  private @Nullable ScalarForm<?> scalar() {
    String inner = inner();
    return ScalarForm.ALL.stream()
        .filter(each -> each.name().equals(inner))
        .findFirst()
        .orElse(null);
  }

  /**
   * Returns the value of a text that a person has written: of a codec of strings the text itself,
   * of one of numbers a number, which JSON need not have, such as NaN, and of any other one JSON.
   *
   * @throws ValueException if it is not that
   */
  public JsonValue parse(String text) {
    if (isText()) {
      return new JsonValue(text);
    }
    ScalarForm<?> scalar = scalar();
    return new JsonValue(
        scalar != null && !text.startsWith("\"") ? scalar.read(text) : JsonTree.parse(text));
  }
}
