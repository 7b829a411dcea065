package io.howdah.verify.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.INTERFACES;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.syntax.elements.GivenClassesConjunction;
import java.lang.reflect.AccessibleObject;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** The rules that hold between and within the modules, by name. docs/architecture.md tells them. */
final class Architecture {

  private static final String[] ENGINE = {
    "core", "log", "checkpoint", "txn", "collections", "store"
  };

  /** They name a place, and reach none. */
  private static final Set<String> ADDRESSES =
      Set.of("java.net.URI", "java.net.URISyntaxException");

  /** Unix domain sockets, which are no network. */
  private static final Set<String> ADMIN_SOCKET =
      Set.of("io.howdah.core.storage.file.OwnerSocket", "io.howdah.core.storage.file.SocketPath");

  private static final String[] PUBLISHED = {
    "core",
    "log",
    "checkpoint",
    "txn",
    "collections",
    "store",
    "chroniclebytes",
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
    "nvmsim"
  };
  private static final String[] EVERYTHING = {
    "core",
    "log",
    "checkpoint",
    "txn",
    "collections",
    "store",
    "chroniclebytes",
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
    "server",
    "process",
    "crashtest",
    "jmh",
    "jcstress",
    "cli",
    "lab"
  };

  /**
   * What reads the clock, waits, starts threads or draws random numbers behind a scheduler's back.
   */
  private static final Map<String, Set<String>> NONDETERMINISTIC =
      Map.of(
          "java.lang.System", Set.of("nanoTime", "currentTimeMillis"),
          "java.lang.Thread",
              Set.of(
                  "<init>",
                  "sleep",
                  "yield",
                  "onSpinWait",
                  "start",
                  "startVirtualThread",
                  "ofPlatform",
                  "ofVirtual",
                  "join"),
          "java.util.Random", Set.of("<init>"), // SecureRandom is one
          "java.lang.Math", Set.of("random"),
          "java.time.Instant", Set.of("now"),
          "java.time.Clock", Set.of("systemUTC", "systemDefaultZone"),
          "java.util.UUID", Set.of("randomUUID"),
          "java.util.concurrent.ThreadLocalRandom", Set.of("current"),
          "java.util.concurrent.locks.LockSupport",
              Set.of("park", "parkNanos", "parkUntil", "unpark"));

  private Architecture() {}

  static Map<String, ArchRule> rules() {
    Map<String, ArchRule> rules = new LinkedHashMap<>();
    rules.put("core", onlyDependsOn("core", "everything stands on it"));
    rules.put("log", onlyDependsOn("log", "recovery scans a log without transactions", "core"));
    rules.put(
        "checkpoint",
        onlyDependsOn(
            "checkpoint", "an image is read and written without transactions", "core", "log"));
    rules.put(
        "txn",
        onlyDependsOn(
            "txn", "transactions know words and no structure", "core", "log", "checkpoint"));
    rules.put(
        "collections",
        onlyDependsOn(
            "collections",
            "structures are made of words by transactions, whoever opened the store",
            "core",
            "log",
            "txn"));
    rules.put(
        "store",
        onlyDependsOn(
            "store",
            "it is what a program adds: no test code with it",
            "core",
            "log",
            "checkpoint",
            "txn",
            "collections"));
    rules.put(
        "chroniclebytes",
        onlyDependsOn(
            "chroniclebytes",
            "it adds codecs to the API that every program sees",
            "core",
            "log",
            "checkpoint",
            "txn",
            "collections",
            "store"));
    rules.put(
        "testkit",
        onlyDependsOn("testkit", "the engine's own tests use it: more would be a circle", "core"));
    rules.put(
        "storetest",
        onlyDependsOn(
            "storetest",
            "it puts a store on the testkit's machine as a user's test would",
            "core",
            "txn",
            "store",
            "testkit"));
    rules.put(
        "micrometer",
        onlyDependsOn(
            "micrometer", "it reads the figures that every program sees", "core", "txn", "store"));
    rules.put(
        "archives3",
        onlyDependsOn("archives3", "it is a place behind the port of archives", "core", "store"));
    rules.put(
        "jackson",
        onlyDependsOn("jackson", "it is a codec as a program writes one", "core", "collections"));
    rules.put(
        "jcache",
        onlyDependsOn(
            "jcache",
            "it is caches of a store by another interface",
            "core",
            "txn",
            "collections",
            "store"));
    rules.put(
        "protobuf",
        onlyDependsOn("protobuf", "it is a codec as a program writes one", "core", "collections"));
    rules.put(
        "springdata",
        onlyDependsOn(
            "springdata",
            "it works with the API that every program sees",
            "core",
            "txn",
            "collections",
            "store"));
    rules.put(
        "springboot",
        onlyDependsOn(
            "springboot",
            "it puts together what programs see",
            "core",
            "log",
            "txn",
            "store",
            "micrometer",
            "springdata"));
    rules.put(
        "nvmsim",
        onlyDependsOn(
            "nvmsim", "it is a simulator in its own right, not a part of the store", "plot"));
    rules.put("plot", onlyDependsOn("plot", "it draws for the simulator and for benchmarks"));
    rules.put(
        "jmh",
        onlyDependsOn(
            "jmh",
            "a benchmark measures the engine and no test double",
            "core",
            "log",
            "checkpoint",
            "txn",
            "collections",
            "store",
            "process"));
    rules.put("process", onlyDependsOn("process", "benchmarks and crash tests start JVMs by it"));
    rules.put(
        "server",
        onlyDependsOn(
            "server",
            "it stands on the API: what it lacks there, other programs lack, too",
            "core",
            "txn",
            "collections",
            "store"));
    rules.put(
        "serverOnApi",
        noClasses()
            .that(resideInAnyPackage(modules("server")))
            .should()
            .dependOnClassesThat(
                resideInAnyPackage(
                    "io.howdah.core.*..",
                    "io.howdah.txn.*..",
                    "io.howdah.collections.*..",
                    "io.howdah.store.."))
            .because("those packages are not for programs"));
    rules.put(
        "cli",
        onlyDependsOn(
            "cli",
            "the command for stores and servers carries no benchmark, crash test or simulator",
            "core",
            "log",
            "checkpoint",
            "txn",
            "collections",
            "store",
            "server"));
    rules.put(
        "acyclic",
        slices()
            .matching("io.(**)")
            .should()
            .beFreeOfCycles()
            .because("packages in a circle can only be understood together"));
    rules.put(
        "noUnsafe",
        engine()
            .should()
            .dependOnClassesThat(resideInAnyPackage("sun.misc..", "jdk.internal.."))
            .because("Unsafe warns on the user's stderr and turns use-after-close into a crash"));
    rules.put(
        "varHandleQueues",
        engine()
            .should()
            .dependOnClassesThat(
                resideInAPackage("org.jctools..")
                    .and(not(resideInAPackage("org.jctools.queues.varhandle..")))
                    .and(not(INTERFACES)))
            .because("the others use Unsafe"));
    rules.put(
        "noSerialization",
        published()
            .should()
            .dependOnClassesThat(
                resideInAPackage("java.io")
                    .and(
                        describe(
                            "serialize",
                            type ->
                                Set.of("ObjectInputStream", "ObjectOutputStream", "Externalizable")
                                    .contains(type.getSimpleName()))))
            .because("Java serialization runs code that the bytes choose"));
    rules.put(
        "noThreadLocal",
        engine()
            .should()
            .dependOnClassesThat(assignableTo(ThreadLocal.class))
            .because("virtual threads come in millions, and a transaction is passed, never found"));
    rules.put(
        "filesBehindThePort",
        engine()
            .and(not(resideInAPackage("io.howdah.core.storage..")))
            .and(
                describe(
                    "do not read the random device",
                    type -> !type.getName().equals("io.howdah.core.SystemRandom")))
            .should()
            .dependOnClassesThat(opensFiles())
            .because("the simulated disk must see every operation that a crash can tear"));
    rules.put(
        "noNetwork",
        engine()
            .and(
                describe(
                    "are not the admin socket", type -> !ADMIN_SOCKET.contains(type.getName())))
            .should()
            .dependOnClassesThat(
                resideInAnyPackage("java.net..", "javax.net..")
                    .and(
                        not(
                            describe(
                                "addresses alone", type -> ADDRESSES.contains(type.getName()))))
                    .or(assignableTo(java.nio.channels.NetworkChannel.class)))
            .because(
                "a store speaks to files, and to its own user through a socket among them if asked"
                    + " to"));
    rules.put(
        "noForcedAccess",
        published()
            .should()
            .callMethodWhere(
                describe(
                    "target is setAccessible or trySetAccessible",
                    call ->
                        call.getTarget().getOwner().isAssignableTo(AccessibleObject.class)
                            && Set.of("setAccessible", "trySetAccessible")
                                .contains(call.getTarget().getName())))
            .because("it needs --add-opens on the user's command line"));
    rules.put(
        "silent",
        published()
            .should()
            .accessTargetWhere(
                describe(
                    "target is a standard stream or prints a stack",
                    access ->
                        isMember(access.getTarget(), "java.lang.System", Set.of("out", "err"))
                            || access.getTarget().getName().equals("printStackTrace")))
            .because("a library prints nothing into its user's program"));
    rules.put(
        "deterministic",
        noClasses()
            .that(resideInAnyPackage(modules("log", "checkpoint", "txn", "collections", "store")))
            .and(
                describe(
                    "do not run the user's callbacks",
                    type -> !type.getName().equals("io.howdah.ReliableExecutor")))
            .should()
            .callCodeUnitWhere(
                describe(
                    "target reads a clock, waits, starts a thread or draws a random number",
                    call ->
                        NONDETERMINISTIC.entrySet().stream()
                            .anyMatch(
                                entry ->
                                    isMember(call.getTarget(), entry.getKey(), entry.getValue()))))
            .because(
                "every crash test replays from its seed: time, threads and random numbers come from"
                    + " Execution"));
    rules.put(
        "jsonInCommands",
        noClasses()
            .that(not(resideInAnyPackage("io.howdah.cli..", "io.howdah.lab..")))
            .should()
            .dependOnClassesThat(resideInAPackage("com.fasterxml.jackson.."))
            .because("modules return data; only the commands write JSON"));
    rules.replaceAll((_, rule) -> rule.allowEmptyShould(true));
    return rules;
  }

  private static ArchRule onlyDependsOn(String module, String reason, String... allowed) {
    Set<String> seen = Set.of(allowed);
    String[] forbidden =
        modules(
            Stream.of(EVERYTHING)
                .filter(other -> !other.equals(module) && !seen.contains(other))
                .toArray(String[]::new));
    return noClasses()
        .that(resideInAnyPackage(modules(module)))
        .should()
        .dependOnClassesThat(resideInAnyPackage(forbidden))
        .because(reason);
  }

  private static GivenClassesConjunction engine() {
    return noClasses().that(resideInAnyPackage(modules(ENGINE)));
  }

  private static GivenClassesConjunction published() {
    return noClasses().that(resideInAnyPackage(modules(PUBLISHED)));
  }

  private static DescribedPredicate<JavaClass> opensFiles() {
    return assignableTo(java.nio.channels.FileChannel.class)
        .or(assignableTo(java.nio.channels.AsynchronousFileChannel.class))
        .or(assignableTo(java.io.RandomAccessFile.class))
        .or(assignableTo(java.io.FileInputStream.class))
        .or(assignableTo(java.io.FileOutputStream.class))
        .or(assignableTo(java.nio.file.Files.class))
        .as("open files");
  }

  private static boolean isMember(AccessTarget target, String owner, Set<String> names) {
    return target.getOwner().isAssignableTo(owner) && names.contains(target.getName());
  }

  private static String[] modules(String... names) {
    return Stream.of(names).flatMap(name -> packages(name).stream()).toArray(String[]::new);
  }

  /** Returns the packages of a module, as patterns. */
  static List<String> packages(String module) {
    return switch (module) {
      case "collections" ->
          List.of("io.howdah.codec..", "io.howdah.collections..", "io.howdah.objects..");
      case "store" -> List.of("io.howdah", "io.howdah.store..");
      default -> List.of("io.howdah." + module + "..");
    };
  }
}
