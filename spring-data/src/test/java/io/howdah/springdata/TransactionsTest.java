package io.howdah.springdata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.codec.Codec;
import io.howdah.codec.CodecException;
import io.howdah.collections.EntryTooLargeException;
import io.howdah.collections.PersistentMap;
import io.howdah.core.CorruptStoreException;
import io.howdah.core.LogFullException;
import io.howdah.core.ReadOnlyStoreException;
import io.howdah.core.RegionFullException;
import io.howdah.core.StoreClosedException;
import io.howdah.core.StoreFailedException;
import io.howdah.core.TransactionStateException;
import io.howdah.core.UnavailablePageException;
import io.howdah.txn.SnapshotLostException;
import io.howdah.txn.TransactionTimeoutException;
import io.howdah.txn.Tx;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.InvalidDataAccessApiUsageException;
import org.springframework.dao.InvalidDataAccessResourceUsageException;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.dao.TransientDataAccessResourceException;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Isolation;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** What {@code @Transactional} means. */
@Timeout(120)
final class TransactionsTest {

  @EnableHowdahRepositories
  @EnableTransactionManagement
  @EnableResilientMethods
  static class Application {
    @Bean
    HowdahTransactionManager transactionManager(Store store) {
      return new HowdahTransactionManager(store);
    }

    @Bean
    PersistentMap<String, Long> balances(Store store) {
      return store.map("balances", Codec.utf8(), Codec.int64());
    }

    @Bean
    Bank bank(Store store, PersistentMap<String, Long> balances, People people) {
      return new Bank(store, balances, people);
    }
  }

  /** Code between the begin and the end of a transaction. */
  interface Step {
    void run() throws Exception;
  }

  /** A service whose methods are transactions. */
  static class Bank {
    private final Store store;
    private final PersistentMap<String, Long> balances;
    private final People people;

    Bank(Store store, PersistentMap<String, Long> balances, People people) {
      this.store = store;
      this.balances = balances;
      this.people = people;
    }

    private void add(String account) {
      Tx tx = HowdahTransactionManager.current(store);
      Long now = balances.get(tx, account);
      balances.put(tx, account, now == null ? 1 : now + 1);
    }

    @Transactional
    public void add(String account, Step then) throws Exception {
      add(account);
      then.run();
    }

    @Transactional
    public void addAndSave(String account, Person person, Step then) throws Exception {
      add(account);
      people.save(person);
      assertThat(people.findById(person.id())).contains(person);
      then.run();
    }

    @Transactional(propagation = Propagation.REQUIRES_NEW)
    public void addApart(String account, Step then) throws Exception {
      add(account, then);
    }

    @Transactional(propagation = Propagation.NESTED)
    public void addNested(String account, Step then) throws Exception {
      add(account, then);
    }

    @Transactional(propagation = Propagation.NOT_SUPPORTED)
    public void outside(Step then) throws Exception {
      then.run();
    }

    @Transactional(readOnly = true)
    public void addReadOnly(String account) {
      add(account);
    }

    @Transactional(timeout = 1)
    public void addWithin(String account, Step then) throws Exception {
      add(account, then);
    }

    @Transactional(
        label = {HowdahTransactionManager.ASYNC, "of another library"},
        isolation = Isolation.READ_COMMITTED)
    public void addAsync(String account) {
      add(account);
    }

    @Transactional(label = HowdahTransactionManager.IRREVOCABLE)
    public void addIrrevocably(String account, Step then) throws Exception {
      add(account, then);
    }

    @Transactional(label = "howdah:durable")
    public void addWithUnknownLabel(String account) {
      add(account);
    }

    @Retryable(includes = OptimisticLockingFailureException.class, maxRetries = 3, delay = 1)
    @Transactional
    public void addUntilItCommits(String account, Step then) throws Exception {
      add(account, then);
    }
  }

  private final Store store = Store.inMemory(StoreOptions.defaults().withMaxSize(16 << 20));
  private final AnnotationConfigApplicationContext context =
      new AnnotationConfigApplicationContext();
  private final Bank bank;

  TransactionsTest() {
    context.registerBean(Store.class, () -> store);
    context.register(Application.class);
    context.refresh();
    bank = context.getBean(Bank.class);
  }

  @AfterEach
  void close() {
    context.close();
  }

  private long balance(String account) {
    @SuppressWarnings("unchecked") // the one map among the beans
    PersistentMap<String, Long> balances = context.getBean("balances", PersistentMap.class);
    return store.read(
        (Tx tx) -> balances.containsKey(tx, account) ? count(tx, balances, account) : 0L);
  }

  private static long count(Tx tx, PersistentMap<String, Long> balances, String account) {
    return Objects.requireNonNull(balances.get(tx, account));
  }

  /** Runs in another thread, which is in no transaction of this one. */
  private static void elsewhere(Step step) {
    CompletableFuture.runAsync(
            () -> {
              try {
                step.run();
              } catch (Exception e) {
                throw new IllegalStateException(e);
              }
            })
        .join();
  }

  private static final Step NOTHING = () -> {};

  @Test
  void aMethodIsOneTransactionWithItsRepositories() throws Exception {
    Person ann = Person.of(1, "Ann", 30, null);
    bank.addAndSave("ann", ann, () -> elsewhere(() -> assertThat(balance("ann")).isZero()));
    assertThat(balance("ann")).isEqualTo(1);
    Person bob = Person.of(2, "Bob", 30, null);
    assertThatThrownBy(
            () ->
                bank.addAndSave(
                    "bob",
                    bob,
                    () -> {
                      throw new IllegalStateException("no");
                    }))
        .hasMessage("no");
    assertThat(balance("bob")).isZero();
    assertThat(context.getBean(People.class).findAll()).containsExactly(ann);
  }

  @Test
  void aConflictIsNotRepeatedAndLeavesNothing() throws Exception {
    List<Integer> ends = new ArrayList<>();
    Step loses =
        () -> {
          TransactionSynchronizationManager.registerSynchronization(
              new TransactionSynchronization() {
                @Override
                public void afterCompletion(int status) {
                  ends.add(status);
                }
              });
          elsewhere(() -> bank.add("ann", NOTHING));
        };
    assertThatThrownBy(() -> bank.add("ann", loses))
        .isInstanceOf(OptimisticLockingFailureException.class)
        .hasMessageContaining("repeat it");
    assertThat(ends).containsExactly(TransactionSynchronization.STATUS_ROLLED_BACK);
    assertThat(balance("ann")).isEqualTo(1);
    bank.add("ann", NOTHING);
    assertThat(balance("ann")).isEqualTo(2);
  }

  @Test
  void springRepeatsWhatItIsToldTo() throws Exception {
    List<String> runs = new ArrayList<>();
    bank.addUntilItCommits(
        "ann",
        () -> {
          runs.add("run");
          if (runs.size() <= 2) {
            elsewhere(() -> bank.add("ann", NOTHING));
          }
        });
    assertThat(runs).hasSize(3);
    assertThat(balance("ann")).isEqualTo(3);
  }

  @Test
  void aNewTransactionIsApartFromTheOuterOne() {
    assertThatThrownBy(
            () ->
                bank.add(
                    "outer",
                    () -> {
                      bank.addApart("inner", NOTHING);
                      assertThat(HowdahTransactionManager.current(store)).isNotNull();
                      throw new IllegalStateException("no");
                    }))
        .hasMessage("no");
    assertThat(balance("outer")).isZero();
    assertThat(balance("inner")).isEqualTo(1);
  }

  @Test
  void aNestedTransactionGoesBackToItsBeginning() throws Exception {
    bank.add(
        "outer",
        () -> {
          bank.addNested("kept", NOTHING);
          assertThatThrownBy(
                  () ->
                      bank.addNested(
                          "undone",
                          () -> {
                            throw new IllegalStateException("no");
                          }))
              .hasMessage("no");
        });
    assertThat(balance("outer")).isEqualTo(1);
    assertThat(balance("kept")).isEqualTo(1);
    assertThat(balance("undone")).isZero();
  }

  @Test
  void codeOutsideOfATransactionIsRefused() throws Exception {
    assertThatThrownBy(() -> HowdahTransactionManager.current(store))
        .isInstanceOf(IllegalTransactionStateException.class)
        .hasMessageContaining("@Transactional");
    bank.add(
        "ann",
        () ->
            bank.outside(
                () ->
                    assertThatThrownBy(() -> HowdahTransactionManager.current(store))
                        .isInstanceOf(IllegalTransactionStateException.class)));
    assertThat(balance("ann")).isEqualTo(1);
  }

  @Test
  void attributesMeanWhatTheySay() throws Exception {
    assertThatThrownBy(() -> bank.addReadOnly("ann"))
        .hasMessageContaining("read-only")
        .satisfies(
            thrown ->
                assertThat(
                        new HowdahExceptionTranslator()
                            .translateExceptionIfPossible((RuntimeException) thrown))
                    .isInstanceOf(InvalidDataAccessApiUsageException.class));
    bank.addAsync("ann");
    bank.addIrrevocably("ann", () -> bank.addApart("other", NOTHING));
    assertThat(balance("ann")).isEqualTo(2);
    assertThat(balance("other")).isEqualTo(1);
    assertThatThrownBy(() -> bank.addWithUnknownLabel("ann"))
        .isInstanceOf(IllegalTransactionStateException.class)
        .hasMessageContaining("howdah:durable")
        .hasMessageContaining("howdah:async");
  }

  private static Stream<Arguments> failures() {
    return Stream.of(
        Arguments.of(new TransactionTimeoutException(1), QueryTimeoutException.class),
        Arguments.of(new SnapshotLostException("x"), TransientDataAccessResourceException.class),
        Arguments.of(new LogFullException("x"), TransientDataAccessResourceException.class),
        Arguments.of(
            new UnavailablePageException("image", 1, "x", new InternalError()),
            TransientDataAccessResourceException.class),
        Arguments.of(new RegionFullException("x"), DataAccessResourceFailureException.class),
        Arguments.of(new StoreClosedException("x"), DataAccessResourceFailureException.class),
        Arguments.of(new StoreFailedException("x"), DataAccessResourceFailureException.class),
        Arguments.of(
            new CorruptStoreException("image", 1, "x"), DataAccessResourceFailureException.class),
        Arguments.of(new EntryTooLargeException("x"), InvalidDataAccessApiUsageException.class),
        Arguments.of(new ReadOnlyStoreException("x"), InvalidDataAccessApiUsageException.class),
        Arguments.of(new TransactionStateException("x"), InvalidDataAccessApiUsageException.class),
        Arguments.of(new CodecException("x"), InvalidDataAccessResourceUsageException.class));
  }

  /** A program repeats what is transient, and nothing else. */
  @ParameterizedTest
  @MethodSource("failures")
  void aFailureIsTranslatedByWhatAProgramCanDo(RuntimeException thrown, Class<?> translated) {
    DataAccessException found =
        new HowdahExceptionTranslator().translateExceptionIfPossible(thrown);
    assertThat(found).isExactlyInstanceOf(translated).hasCause(thrown);
    assertThat(new HowdahExceptionTranslator().translateExceptionIfPossible(new RuntimeException()))
        .isNull();
  }

  /** The limit has passed when the body ends: time is the store's, which the test cannot turn. */
  @Test
  void aTimeoutEndsTheTransaction() {
    assertThatThrownBy(
            () ->
                bank.addWithin(
                    "ann",
                    () -> {
                      while (true) {
                        long _ = balanceWithin();
                      }
                    }))
        .satisfiesAnyOf(
            thrown -> assertThat(thrown).isInstanceOf(QueryTimeoutException.class),
            thrown -> assertThat(thrown).isInstanceOf(TransactionTimeoutException.class));
    assertThat(balance("ann")).isZero();
  }

  private long balanceWithin() {
    return HowdahTransactionManager.current(store).root(0);
  }

  @Test
  void aClosedStoreBeginsNothing() {
    store.close();
    assertThatThrownBy(() -> bank.add("ann", NOTHING))
        .isInstanceOf(CannotCreateTransactionException.class)
        .hasCauseInstanceOf(StoreClosedException.class);
  }
}
