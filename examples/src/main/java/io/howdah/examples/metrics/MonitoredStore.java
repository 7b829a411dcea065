package io.howdah.examples.metrics;

import io.howdah.Store;
import io.howdah.collections.PersistentMap;
import io.howdah.examples.Check;
import io.howdah.txn.TxOptions;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.Map;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.env.MapPropertySource;

/** A program on Spring whose store Micrometer watches. */
public final class MonitoredStore {

  private static final int VISITS = 1000;

  private MonitoredStore() {}

  /** Starts the program twice. */
  public static void main(String[] args) {
    for (int start = 1; start <= 2; start++) {
      try (AnnotationConfigApplicationContext context = context(args[0])) {
        visit(context);
        MeterRegistry registry = context.getBean(MeterRegistry.class);
        registry
            .getMeters()
            .forEach(
                meter ->
                    System.out.printf(
                        "%-24s %,.0f%n",
                        meter.getId().getName(), meter.measure().iterator().next().getValue()));
        Check.that(
            registry.get("howdah.commits").tag("type", "write").functionCounter().count() >= VISITS,
            "commits missing");
        long visits = visits(context);
        System.out.printf("start %d: %,d visits%n", start, visits);
        Check.that(visits == (long) start * VISITS, "visits are missing");
      }
    }
  }

  private static AnnotationConfigApplicationContext context(String folder) {
    AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
    context
        .getEnvironment()
        .getPropertySources()
        .addFirst(new MapPropertySource("arguments", Map.of("howdah.folder", folder)));
    context.registerBean(MeterRegistry.class, SimpleMeterRegistry::new);
    context.register(StoreConfiguration.class);
    context.refresh();
    return context;
  }

  @SuppressWarnings("unchecked") // the one map among the beans
  private static PersistentMap<String, Long> map(AnnotationConfigApplicationContext context) {
    return context.getBean("visits", PersistentMap.class);
  }

  private static void visit(AnnotationConfigApplicationContext context) {
    PersistentMap<String, Long> visits = map(context);
    Store store = context.getBean(Store.class);
    for (int i = 0; i < VISITS; i++) {
      String page = "/page/" + i % 10;
      store.run(TxOptions.async(), tx -> visits.merge(tx, page, 1L, Long::sum));
    }
  }

  private static long visits(AnnotationConfigApplicationContext context) {
    PersistentMap<String, Long> visits = map(context);
    return context
        .getBean(Store.class)
        .read(tx -> visits.values(tx).mapToLong(Long::longValue).sum());
  }
}
