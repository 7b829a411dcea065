package io.howdah.verify.architecture;

import static java.lang.constant.ConstantDescs.CD_boolean;
import static java.lang.constant.ConstantDescs.CD_long;
import static java.lang.constant.ConstantDescs.CD_void;
import static java.lang.constant.ConstantDescs.MTD_void;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import java.io.IOException;
import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Holds the modules to {@link Architecture}, and shows that each rule can fail. */
final class ArchitectureTest {

  private static final int MAX_CIRCLE = 6;
  private static final Map<String, ArchRule> RULES = Architecture.rules();

  @TempDir private Path folder;

  @ParameterizedTest
  @MethodSource("ruleNames")
  void modulesKeepTheRule(String rule) {
    requireNonNull(RULES.get(rule)).check(Production.CLASSES);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "core",
        "log",
        "checkpoint",
        "txn",
        "collections",
        "store",
        "testkit",
        "storetest",
        "micrometer",
        "archives3",
        "jackson",
        "jcache",
        "protobuf",
        "springdata",
        "springboot",
        "plot",
        "nvmsim",
        "jmh",
        "process",
        "cli",
        "lab"
      })
  void moduleIsLookedAt(String module) {
    assertThat(Production.CLASSES)
        .anyMatch(type -> type.getPackageName().startsWith("io.howdah." + module));
  }

  @Test
  void noCircleOfClassesIsTooLarge() {
    List<Set<String>> circles = Circles.of(Production.CLASSES);
    assertThat(circles).isNotEmpty().noneMatch(circle -> circle.size() > MAX_CIRCLE);
  }

  @Test
  void aCircleIsFoundWhateverLeadsToIt() {
    Map<String, Set<String>> graph = new TreeMap<>();
    IntStream.range(0, 7).forEach(i -> graph.put("c" + i, Set.of("c" + (i + 1) % 7, "alone")));
    graph.put("outside", Set.of("c3", "other"));
    graph.put("other", Set.of("outside"));
    assertThat(Circles.of(graph))
        .containsExactlyInAnyOrder(
            Set.of("c0", "c1", "c2", "c3", "c4", "c5", "c6"), Set.of("other", "outside"));
  }

  @ParameterizedTest
  @MethodSource("violations")
  void plantedViolationIsFound(Violation violation) throws IOException {
    ArchRule rule = requireNonNull(RULES.get(violation.rule));
    assertThat(rule.evaluate(plant(violation.classes)).hasViolation()).isTrue();
  }

  @Test
  void everyRuleHasAPlantedViolation() {
    assertThat(violations().map(Violation::rule)).containsAll(RULES.keySet());
  }

  @Test
  void plantedClassWithoutViolationPassesEveryRule() throws IOException {
    JavaClasses planted = plant(Map.of("io.howdah.txn.Planted", uses("io.howdah.log.commit.Lane")));
    assertThat(RULES).allSatisfy((_, rule) -> rule.check(planted));
  }

  private static Stream<String> ruleNames() {
    return RULES.keySet().stream();
  }

  private static Stream<Violation> violations() {
    return Stream.of(
        violation("core", "io.howdah.core.Planted", uses("io.howdah.log.commit.Lane")),
        violation("core", "io.howdah.core.layout.Planted", uses("io.howdah.testkit.Disk")),
        violation("log", "io.howdah.log.Planted", uses("io.howdah.Store")),
        violation("log", "io.howdah.log.recovery.Planted", uses("io.howdah.checkpoint.Image")),
        violation("checkpoint", "io.howdah.checkpoint.Planted", uses("io.howdah.Store")),
        violation("txn", "io.howdah.txn.Planted", uses("io.howdah.testkit.Disk")),
        violation("txn", "io.howdah.txn.Planted", uses("io.howdah.jmh.Workload")),
        violation("txn", "io.howdah.txn.Planted", uses("io.howdah.collections.PersistentMap")),
        violation("collections", "io.howdah.objects.Planted", uses("io.howdah.Store")),
        violation(
            "collections", "io.howdah.collections.Planted", uses("io.howdah.checkpoint.Image")),
        violation("store", "io.howdah.Planted", uses("io.howdah.testkit.Disk")),
        violation("store", "io.howdah.store.open.Planted", uses("io.howdah.jmh.Workload")),
        violation(
            "chroniclebytes", "io.howdah.chroniclebytes.Planted", uses("io.howdah.testkit.Disk")),
        violation("testkit", "io.howdah.testkit.Planted", uses("io.howdah.log.commit.Lane")),
        violation("storetest", "io.howdah.storetest.Planted", uses("io.howdah.log.commit.Lane")),
        violation("micrometer", "io.howdah.micrometer.Planted", uses("io.howdah.testkit.Disk")),
        violation("archives3", "io.howdah.archives3.Planted", uses("io.howdah.txn.Tx")),
        violation("jackson", "io.howdah.jackson.Planted", uses("io.howdah.Store")),
        violation("jcache", "io.howdah.jcache.Planted", uses("io.howdah.log.RedoLog")),
        violation("protobuf", "io.howdah.protobuf.Planted", uses("io.howdah.Store")),
        violation("springdata", "io.howdah.springdata.Planted", uses("io.howdah.log.RedoLog")),
        violation("springboot", "io.howdah.springboot.Planted", uses("io.howdah.testkit.Disk")),
        violation("nvmsim", "io.howdah.nvmsim.Planted", uses("io.howdah.core.Region")),
        violation("plot", "io.howdah.plot.Planted", uses("io.howdah.nvmsim.trace.Event")),
        violation("jmh", "io.howdah.jmh.Planted", uses("io.howdah.testkit.Disk")),
        violation("process", "io.howdah.process.Planted", uses("io.howdah.core.Region")),
        violation("server", "io.howdah.server.Planted", uses("io.howdah.log.RedoLog")),
        violation("cli", "io.howdah.cli.Planted", uses("io.howdah.nvmsim.trace.Event")),
        violation("cli", "io.howdah.cli.tables.Planted", uses("io.howdah.crashtest.fuzz.Fuzz")),
        violation("cli", "io.howdah.cli.Planted", uses("io.howdah.lab.Main")),
        violation(
            "serverOnApi", "io.howdah.server.items.Planted", uses("io.howdah.txn.stm.Attempt")),
        violation("noUnsafe", "io.howdah.core.Planted", uses("sun.misc.Unsafe")),
        violation(
            "varHandleQueues", "io.howdah.log.Planted", uses("org.jctools.queues.MpscArrayQueue")),
        violation("noSerialization", "io.howdah.txn.Planted", uses("java.io.ObjectInputStream")),
        violation("noThreadLocal", "io.howdah.txn.Planted", uses("java.lang.ThreadLocal")),
        violation(
            "noThreadLocal", "io.howdah.log.Planted", uses("java.lang.InheritableThreadLocal")),
        violation(
            "filesBehindThePort", "io.howdah.log.Planted", uses("java.nio.channels.FileChannel")),
        violation("filesBehindThePort", "io.howdah.core.Planted", uses("java.nio.file.Files")),
        violation("noNetwork", "io.howdah.txn.Planted", uses("java.net.Socket")),
        violation("noNetwork", "io.howdah.txn.Planted", uses("java.nio.channels.SocketChannel")),
        violation(
            "noForcedAccess",
            "io.howdah.txn.Planted",
            calls(
                "java.lang.reflect.Field",
                "setAccessible",
                MethodTypeDesc.of(CD_void, CD_boolean))),
        violation(
            "silent",
            "io.howdah.testkit.Planted",
            reads("java.lang.System", "out", "java.io.PrintStream")),
        violation(
            "silent",
            "io.howdah.txn.Planted",
            calls("java.io.IOException", "printStackTrace", MTD_void)),
        violation(
            "deterministic",
            "io.howdah.log.Planted",
            callsStatic("java.lang.System", "nanoTime", MethodTypeDesc.of(CD_long))),
        violation(
            "deterministic",
            "io.howdah.txn.Planted",
            callsStatic("java.lang.Thread", "yield", MTD_void)),
        violation("deterministic", "io.howdah.txn.Planted", makes("java.security.SecureRandom")),
        violation("deterministic", "io.howdah.log.Planted", makes("java.lang.Thread")),
        violation(
            "jsonInCommands",
            "io.howdah.jmh.Planted",
            uses("com.fasterxml.jackson.core.JsonFactory")),
        new Violation(
            "acyclic",
            Map.of(
                "io.howdah.log.Planted",
                uses("io.howdah.log.recovery.Planted"),
                "io.howdah.log.recovery.Planted",
                uses("io.howdah.log.Planted"))));
  }

  private static Violation violation(String rule, String origin, Consumer<ClassBuilder> body) {
    return new Violation(rule, Map.of(origin, body));
  }

  /** Writes and imports classes; as bytes, because javac would refuse or warn of some uses. */
  private JavaClasses plant(Map<String, Consumer<ClassBuilder>> classes) throws IOException {
    for (Map.Entry<String, Consumer<ClassBuilder>> entry : classes.entrySet()) {
      byte[] bytes = ClassFile.of().build(ClassDesc.of(entry.getKey()), entry.getValue());
      Files.write(folder.resolve(entry.getKey() + ".class"), bytes);
    }
    return new ClassFileImporter().importPath(folder);
  }

  private static Consumer<ClassBuilder> uses(String type) {
    return planted -> planted.withField("used", ClassDesc.of(type), 0);
  }

  private static Consumer<ClassBuilder> reads(String owner, String field, String type) {
    return method(code -> code.getstatic(ClassDesc.of(owner), field, ClassDesc.of(type)).pop());
  }

  private static Consumer<ClassBuilder> callsStatic(
      String owner, String method, MethodTypeDesc type) {
    return method(code -> code.invokestatic(ClassDesc.of(owner), method, type));
  }

  private static Consumer<ClassBuilder> makes(String type) {
    return method(
        code -> {
          code.new_(ClassDesc.of(type)).dup();
          code.invokespecial(ClassDesc.of(type), "<init>", MTD_void).pop();
        });
  }

  /** Calls a method that takes no argument or one boolean. */
  private static Consumer<ClassBuilder> calls(String owner, String method, MethodTypeDesc type) {
    return method(
        code -> {
          code.aconst_null().checkcast(ClassDesc.of(owner));
          type.parameterList().forEach(_ -> code.iconst_0());
          code.invokevirtual(ClassDesc.of(owner), method, type);
        });
  }

  private static Consumer<ClassBuilder> method(Consumer<CodeBuilder> body) {
    return planted ->
        planted.withMethodBody(
            "planted",
            MTD_void,
            ClassFile.ACC_STATIC,
            code -> {
              body.accept(code);
              code.return_();
            });
  }

  /** Classes that break a rule. */
  record Violation(String rule, Map<String, Consumer<ClassBuilder>> classes) {
    @Override
    public String toString() {
      return rule + " " + classes.keySet();
    }
  }

  /** Loaded once, when first asked for. */
  private static final class Production {
    static final JavaClasses CLASSES =
        new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("io.howdah");
  }
}
