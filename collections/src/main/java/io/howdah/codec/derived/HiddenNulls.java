package io.howdah.codec.derived;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.Annotation;
import java.lang.classfile.AttributedElement;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.FieldModel;
import java.lang.classfile.TypeAnnotation;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The fields of a class that may be null by an annotation that is in the class file and not shown
 * at run time: those of org.jetbrains.annotations, which Kotlin writes for {@code String?}, others
 * with the retention CLASS, and those whose own class is not on the class path.
 */
final class HiddenNulls {

  private static final Pattern NULLABLE = Pattern.compile(".*[/$]Nullable;");

  private HiddenNulls() {}

  /**
   * Returns the names of these fields; none if there is no class file, as of a class made at run
   * time.
   */
  static Set<String> of(Class<?> type) {
    String file = type.getName().substring(type.getPackageName().length());
    String resource = (file.startsWith(".") ? file.substring(1) : file) + ".class";
    try (InputStream in = type.getResourceAsStream(resource)) {
      return in == null ? Set.of() : of(ClassFile.of().parse(in.readAllBytes()));
    } catch (IOException | IllegalArgumentException e) {
      return Set.of(); // the JVM has the class all the same
    }
  }

  private static Set<String> of(ClassModel model) {
    Set<String> names = new HashSet<>();
    for (FieldModel field : model.fields()) {
      if (isNullable(field)) {
        names.add(field.fieldName().stringValue());
      }
    }
    return names;
  }

  private static boolean isNullable(AttributedElement field) {
    List<Annotation> annotations = new ArrayList<>();
    field
        .findAttribute(Attributes.runtimeInvisibleAnnotations())
        .ifPresent(found -> annotations.addAll(found.annotations()));
    field
        .findAttribute(Attributes.runtimeInvisibleTypeAnnotations())
        .ifPresent(found -> addWhole(found.annotations(), annotations));
    // Reflection leaves these out if the annotation's own class is not there.
    field
        .findAttribute(Attributes.runtimeVisibleTypeAnnotations())
        .ifPresent(found -> addWhole(found.annotations(), annotations));
    return annotations.stream()
        .anyMatch(each -> NULLABLE.matcher(each.className().stringValue()).matches());
  }

  /** Adds those of the field's own type, and not those of its type arguments or elements. */
  private static void addWhole(List<TypeAnnotation> found, List<Annotation> annotations) {
    for (TypeAnnotation each : found) {
      if (each.targetPath().isEmpty()) {
        annotations.add(each.annotation());
      }
    }
  }
}
