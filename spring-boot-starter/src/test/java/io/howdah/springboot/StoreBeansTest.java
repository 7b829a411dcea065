package io.howdah.springboot;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.howdah.LastStop;
import io.howdah.SchemaChanges;
import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.archive.Archive;
import io.howdah.codec.Codec;
import io.howdah.collections.PersistentMap;
import io.howdah.core.Backing;
import io.howdah.core.StoreClosedException;
import io.howdah.springdata.HowdahTransactionManager;
import io.howdah.txn.Durability;
import io.howdah.txn.Tx;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfigurationPackage;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Stores as beans: which there are, what is refused, and when they are closed. */
final class StoreBeansTest {

  @TempDir private Path folder;

  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  HowdahAutoConfiguration.class, HowdahDataAutoConfiguration.class))
          .withUserConfiguration(Packages.class);

  /** An application has packages, in which repositories are looked for. */
  @Configuration(proxyBeanMethods = false)
  @AutoConfigurationPackage
  static final class Packages {}

  private ApplicationContextRunner with(String... properties) {
    String[] placed =
        Arrays.stream(properties)
            .map(each -> "howdah." + each.replace("FOLDER", folder.toString()))
            .toArray(String[]::new);
    return runner.withPropertyValues(placed);
  }

  /** Two stores, the first of them by its qualifier. */
  static final class TwoStores {
    private final Store orders;
    private final Store users;
    private final Store primary;

    @Autowired
    TwoStores(@Qualifier("orders") Store orders, @Qualifier("users") Store users, Store primary) {
      this.orders = orders;
      this.users = users;
      this.primary = primary;
    }
  }

  @Test
  void eachNameIsAStore() {
    with("stores.orders.directory=FOLDER/orders", "stores.users.in-memory=true", "primary=users")
        .withBean(TwoStores.class)
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              TwoStores stores = context.getBean(TwoStores.class);
              assertThat(stores.orders).isSameAs(context.getBean("ordersStore"));
              assertThat(stores.users).isSameAs(context.getBean("usersStore"));
              assertThat(stores.primary).isSameAs(stores.users);
              assertThat(context.getBean(HowdahStores.class).all())
                  .containsExactly(
                      Map.entry("orders", stores.orders), Map.entry("users", stores.users));
              assertThat(folder.resolve("orders/store.howdah")).exists();
            });
  }

  @Test
  void theOnlyStoreIsPrimary() {
    with("stores.orders.in-memory=true")
        .withBean(
            "another",
            Store.class,
            () -> Store.inMemory(StoreOptions.defaults().withMaxSize(1 << 20)))
        .run(
            context -> {
              assertThat(context.getBean(Store.class)).isSameAs(context.getBean("ordersStore"));
              assertThat(context.getBean(HowdahStores.class).all())
                  .containsOnlyKeys("orders", "another");
            });
  }

  @Test
  void withoutPropertiesThereIsNoStore() {
    runner.run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(Store.class));
  }

  @Test
  void propertiesAreOptions() {
    with(
            "stores.orders.directory=FOLDER/orders",
            "stores.orders.max-size=64MB",
            "stores.orders.default-durability=async",
            "stores.orders.backing=resident",
            "stores.orders.recovery-goal=2s",
            "stores.orders.close-timeout=3s",
            "stores.orders.archive.place=FOLDER/archive",
            "stores.orders.archive.interval=100ms",
            "stores.orders.archive.keep=7d")
        .withBean(
            StoreOptionsCustomizer.class,
            () -> (name, options) -> options.withPartitions(name.length()))
        .run(
            context -> {
              StoreOptions options = context.getBean(Store.class).admin().options();
              assertThat(options.maxSize()).isEqualTo(64 << 20);
              assertThat(options.defaultDurability()).isEqualTo(Durability.ASYNC);
              assertThat(options.backing()).isEqualTo(Backing.RESIDENT);
              assertThat(options.recoveryGoal()).isEqualTo(Duration.ofSeconds(2));
              assertThat(options.closeTimeout()).isEqualTo(Duration.ofSeconds(3));
              assertThat(options.partitions()).isEqualTo(6);
              assertThat(options.archive().orElseThrow().keep()).contains(Duration.ofDays(7));
              assertThat(options.archive().orElseThrow().interval())
                  .isEqualTo(Duration.ofMillis(100));
            });
  }

  /** An option that is added later has a property, or a reason here to have none. */
  @Test
  void eachOptionHasAProperty() {
    Set<String> options =
        Arrays.stream(StoreOptions.class.getMethods())
            .map(method -> method.getName())
            .filter(name -> name.startsWith("with"))
            .map(name -> name.substring(4, 5).toLowerCase(Locale.ROOT) + name.substring(5))
            .collect(Collectors.toCollection(TreeSet::new));
    // Objects of the program: a StoreOptionsCustomizer sets them.
    options.removeAll(
        Set.of("codecs", "completionExecutor", "clock", "execution", "storage", "timings"));
    Set<String> properties =
        Arrays.stream(StoreProperties.class.getRecordComponents())
            .map(each -> each.getName())
            .collect(Collectors.toCollection(TreeSet::new));
    properties.removeAll(Set.of("directory", "inMemory", "backups"));
    assertThat(properties).isEqualTo(options);
  }

  /** A value of a property, and that of the option which it sets. */
  private record Setting(String text, Object value) {}

  private static final byte[] KEY = new byte[32];

  private static final Map<String, Setting> SETTINGS =
      Map.ofEntries(
          Map.entry("maxSize", new Setting("64MB", 64L << 20)),
          Map.entry("partitions", new Setting("3", 3)),
          Map.entry("ringBytes", new Setting("2MB", 2 << 20)),
          Map.entry("orecs", new Setting("65536", 1 << 16)),
          Map.entry("maxTransactionBytes", new Setting("1MB", 1L << 20)),
          Map.entry("maxLogBytes", new Setting("512MB", 512L << 20)),
          Map.entry("logSegmentBytes", new Setting("1MB", 1 << 20)),
          Map.entry("recoveryGoal", new Setting("2s", Duration.ofSeconds(2))),
          Map.entry("groupCommitInterval", new Setting("5ms", Duration.ofMillis(5))),
          Map.entry("durabilityTimeout", new Setting("7s", Duration.ofSeconds(7))),
          Map.entry("closeTimeout", new Setting("3s", Duration.ofSeconds(3))),
          Map.entry("defaultDurability", new Setting("async", Durability.ASYNC)),
          Map.entry("irrevocableAfterAborts", new Setting("9", 9)),
          Map.entry("backing", new Setting("resident", Backing.RESIDENT)),
          Map.entry("warmRestart", new Setting("false", false)),
          Map.entry("warmClose", new Setting("true", true)),
          Map.entry("checkpointAtClose", new Setting("false", false)),
          Map.entry("schemaChanges", new Setting("refuse", SchemaChanges.REFUSE)),
          Map.entry("verifyImage", new Setting("true", true)),
          Map.entry("readOnly", new Setting("true", true)),
          Map.entry("adminSocket", new Setting("true", true)),
          Map.entry("managementBean", new Setting("true", true)));

  private static final Map<String, Setting> ARCHIVE_SETTINGS =
      Map.ofEntries(
          Map.entry("place", new Setting("/archive", Optional.of("/archive"))),
          Map.entry("interval", new Setting("100ms", Duration.ofMillis(100))),
          Map.entry("keep", new Setting("7d", Optional.of(Duration.ofDays(7)))),
          Map.entry("compression", new Setting("true", true)),
          Map.entry("key", new Setting(Base64.getEncoder().encodeToString(KEY), KEY)));

  private static StoreOptions bound(Map<String, String> properties) {
    return new Binder(new MapConfigurationPropertySource(properties))
        .bind("store", StoreProperties.class)
        .get()
        .options("orders");
  }

  private static List<String> components(Class<?> type, String... without) {
    List<String> names = new ArrayList<>();
    Arrays.stream(type.getRecordComponents()).forEach(each -> names.add(each.getName()));
    names.removeAll(List.of(without));
    return names;
  }

  @Test
  void theValueOfEachPropertyIsThatOfItsOption() throws ReflectiveOperationException {
    assertThat(SETTINGS)
        .containsOnlyKeys(
            components(StoreProperties.class, "directory", "inMemory", "archive", "backups"));
    for (Map.Entry<String, Setting> each : SETTINGS.entrySet()) {
      Method option = StoreOptions.class.getMethod(each.getKey());
      Object value = each.getValue().value();
      assertThat(option.invoke(StoreOptions.defaults())).as(each.getKey()).isNotEqualTo(value);
      StoreOptions options = bound(Map.of("store." + each.getKey(), each.getValue().text()));
      assertThat(option.invoke(options)).as(each.getKey()).isEqualTo(value);
    }
  }

  @Test
  void theValueOfEachPropertyOfAnArchiveIsThatOfTheArchive() {
    assertThat(ARCHIVE_SETTINGS)
        .containsOnlyKeys(components(StoreProperties.ArchiveProperties.class));
    Archive plain = bound(Map.of("store.archive.place", folder.toString())).archive().orElseThrow();
    for (Map.Entry<String, Setting> each : ARCHIVE_SETTINGS.entrySet()) {
      Map<String, String> properties = new HashMap<>();
      properties.put("store.archive.place", folder.toString());
      properties.put("store.archive." + each.getKey(), each.getValue().text());
      Archive archive = bound(properties).archive().orElseThrow();
      Object value = each.getValue().value();
      assertThat(of(archive, each.getKey())).as(each.getKey()).isEqualTo(value);
      assertThat(of(plain, each.getKey())).as(each.getKey()).isNotEqualTo(value);
    }
  }

  private static Object of(Archive archive, String property) {
    return switch (property) {
      case "place" -> archive.place();
      case "interval" -> archive.interval();
      case "keep" -> archive.keep();
      case "compression" -> archive.isCompressed();
      default -> archive.key().orElse(new byte[0]);
    };
  }

  /** The metadata that editors read is written by hand. */
  @Test
  void theMetadataHasEachProperty() throws IOException {
    String metadata;
    try (InputStream in =
        requireNonNull(
            getClass().getResourceAsStream("/META-INF/spring-configuration-metadata.json"))) {
      metadata = new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
    Set<String> described =
        Pattern.compile("\"name\": \"howdah\\.(\\w+)\"")
            .matcher(metadata)
            .results()
            .map(found -> found.group(1))
            .collect(Collectors.toSet());
    assertThat(described)
        .containsExactlyInAnyOrderElementsOf(
            Arrays.stream(HowdahProperties.class.getRecordComponents())
                .map(RecordComponent::getName)
                .toList());
    assertThat(metadata).contains("\"type\": \"" + HowdahProperties.class.getName() + "\"");
    assertThat(metadata).contains(StoreProperties.class.getName());
  }

  // ---- What is refused.

  private void refuses(Class<? extends Throwable> type, String message, String... properties) {
    with(properties)
        .run(
            context -> {
              assertThat(context).hasFailed();
              Throwable failure = context.getStartupFailure();
              while (failure != null && !type.isInstance(failure)) {
                failure = failure.getCause();
              }
              assertThat(failure).isNotNull();
              assertThat(describe(failure)).contains(message);
            });
  }

  private static String describe(Throwable failure) {
    return failure instanceof InvalidConfigurationPropertyValueException invalid
        ? invalid.getName() + ": " + invalid.getReason()
        : failure instanceof UnboundConfigurationPropertiesException unbound
            ? unbound.getUnboundProperties().toString()
            : String.valueOf(failure.getMessage());
  }

  @Test
  void anUnknownPropertyIsRefused() {
    refuses(
        UnboundConfigurationPropertiesException.class,
        "howdah.stores.orders.directry",
        "stores.orders.in-memory=true",
        "stores.orders.directry=FOLDER/orders");
    refuses(
        UnboundConfigurationPropertiesException.class, "howdah.store", "store.directory=FOLDER/x");
  }

  @Test
  void twoStoresInOneDirectoryAreRefused() throws IOException {
    Files.createDirectories(folder.resolve("orders"));
    Files.createSymbolicLink(folder.resolve("link"), folder.resolve("orders"));
    for (String same : List.of("FOLDER/orders", "FOLDER/./x/../orders", "FOLDER/link")) {
      refuses(
          InvalidConfigurationPropertyValueException.class,
          "howdah.stores.users.directory: it is the directory of the store orders, too",
          "stores.orders.directory=FOLDER/orders",
          "stores.users.directory=" + same);
    }
  }

  @Test
  void valuesOutOfTheirRangesAreRefused() {
    refuses(
        InvalidConfigurationPropertyValueException.class,
        "howdah.stores.orders.max-size: maxSize must be from 65536",
        "stores.orders.in-memory=true",
        "stores.orders.max-size=1KB");
    refuses(
        InvalidConfigurationPropertyValueException.class,
        "howdah.stores.orders.ring-bytes: ringBytes must be",
        "stores.orders.in-memory=true",
        "stores.orders.ring-bytes=1TB");
    refuses(
        InvalidConfigurationPropertyValueException.class,
        "howdah.stores.orders.directory: a store needs a directory",
        "stores.orders.max-size=1MB");
    refuses(
        InvalidConfigurationPropertyValueException.class,
        "howdah.stores.orders.directory: a store in memory has no directory",
        "stores.orders.in-memory=true",
        "stores.orders.directory=FOLDER/orders");
    refuses(
        InvalidConfigurationPropertyValueException.class,
        "howdah.primary: there is no store of this name; there are [orders]",
        "stores.orders.in-memory=true",
        "primary=users");
    refuses(
        InvalidConfigurationPropertyValueException.class,
        "howdah.stores.orders.archive.place: an archive needs a place",
        "stores.orders.directory=FOLDER/orders",
        "stores.orders.archive.keep=7d");
    refuses(
        InvalidConfigurationPropertyValueException.class,
        "howdah.stores.orders.archive.place: no library for gs://",
        "stores.orders.directory=FOLDER/orders",
        "stores.orders.archive.place=gs://bucket");
    refuses(
        InvalidConfigurationPropertyValueException.class,
        "howdah.stores.orders.archive.key: the key of an archive has 32 bytes",
        "stores.orders.directory=FOLDER/orders",
        "stores.orders.archive.place=FOLDER/archive",
        "stores.orders.archive.key=c2VjcmV0");
  }

  /** The first line says who has the store, and the action what to do. */
  @Test
  void aSecondInstanceIsToldWhoHasTheStore() {
    Path directory = folder.resolve("orders");
    try (Store _ = Store.open(directory)) {
      with("stores.orders.directory=FOLDER/orders")
          .run(
              context -> {
                assertThat(context).hasFailed();
                FailureAnalysis analysis =
                    requireNonNull(
                        new StoreOpeningFailureAnalyzer()
                            .analyze(requireNonNull(context.getStartupFailure())));
                assertThat(analysis.getDescription().lines().findFirst().orElseThrow())
                    .startsWith("store \"orders\" in " + directory)
                    .contains("already open in this JVM");
                assertThat(analysis.getAction())
                    .contains("End the process")
                    .contains("howdah.stores.orders.directory");
              });
    }
  }

  @Test
  void aDirectoryOfSomethingElseIsExplained() throws IOException {
    Files.writeString(Files.createDirectory(folder.resolve("orders")).resolve("letter"), "dear");
    with("stores.orders.directory=FOLDER/orders")
        .run(
            context -> {
              FailureAnalysis analysis =
                  requireNonNull(
                      new StoreOpeningFailureAnalyzer()
                          .analyze(requireNonNull(context.getStartupFailure())));
              assertThat(analysis.getDescription()).contains("store \"orders\"");
              assertThat(analysis.getAction()).contains("Name another directory");
            });
  }

  // ---- The end.

  /** Writes while the application ends: in a phase of its lifecycle, then when it is destroyed. */
  static final class WritesAtTheEnd implements SmartLifecycle, DisposableBean {
    private final Store store;
    private final PersistentMap<String, Long> map;
    private final List<String> ends = new ArrayList<>();
    private boolean isRunning;

    WritesAtTheEnd(Store store) {
      this.store = store;
      this.map = store.map("ends", Codec.utf8(), Codec.int64());
    }

    private void write(String when) {
      store.run(tx -> map.put(tx, when, 1L));
      ends.add(when);
    }

    @Override
    public void start() {
      isRunning = true;
    }

    @Override
    public void stop() {
      isRunning = false;
      write("stop");
    }

    @Override
    public boolean isRunning() {
      return isRunning;
    }

    @Override
    public int getPhase() {
      return Integer.MIN_VALUE; // the last of all
    }

    @Override
    public void destroy() {
      write("destroy");
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Ending {
    @Bean
    WritesAtTheEnd writesAtTheEnd(Store store) {
      return new WritesAtTheEnd(store);
    }
  }

  @Test
  void theStoreIsClosedAfterAllThatUseIt() {
    List<Store> opened = new ArrayList<>();
    with("stores.orders.directory=FOLDER/orders")
        .withUserConfiguration(Ending.class)
        .run(context -> opened.add(context.getBean(Store.class)));
    assertThat(catchThrowable(() -> opened.getFirst().admin().stats()))
        .isInstanceOf(StoreClosedException.class);
    try (Store store = Store.open(folder.resolve("orders"))) {
      PersistentMap<String, Long> map = store.map("ends", Codec.utf8(), Codec.int64());
      assertThat(store.read((Tx tx) -> map.keys(tx).sorted().toList()))
          .containsExactly("destroy", "stop");
      assertThat(store.admin().lastStop()).isEqualTo(LastStop.CLEAN);
    }
  }

  @Test
  void transactionsOfSpringAreThoseOfTheStore() {
    with("stores.orders.in-memory=true")
        .run(context -> assertThat(context).hasSingleBean(HowdahTransactionManager.class));
    with("stores.orders.in-memory=true", "stores.users.in-memory=true")
        .run(
            context ->
                assertThat(context).hasNotFailed().doesNotHaveBean(HowdahTransactionManager.class));
  }
}
