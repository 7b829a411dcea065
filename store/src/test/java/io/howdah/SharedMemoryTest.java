package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.checkpoint.ImageFile;
import io.howdah.checkpoint.report.MemoryOrigin;
import io.howdah.core.Backing;
import io.howdah.core.CorruptStoreException;
import io.howdah.core.StoreFailedException;
import io.howdah.core.UnavailablePageException;
import io.howdah.core.layout.Crc32c;
import io.howdah.core.layout.WarmLayout;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageFile;
import io.howdah.core.storage.file.MachineMemory;
import io.howdah.core.superblock.Superblock;
import io.howdah.core.superblock.SuperblockFile;
import io.howdah.log.commit.RingDirectory;
import io.howdah.log.report.RecoveryOutcome;
import io.howdah.testkit.disk.Fault;
import io.howdah.testkit.disk.Operation;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.txn.TxOptions;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Memory that outlives the process: which openings use it, and what they find in it. */
class SharedMemoryTest extends SharedMemoryStore {

  @RegisterExtension private final HeardMessages messages = new HeardMessages("io.howdah.txn");

  private static void requireLoaded(Store store, String reason) {
    assertThat(origin(store))
        .isInstanceOfSatisfying(
            MemoryOrigin.Loaded.class, loaded -> assertThat(loaded.reason()).contains(reason));
  }

  private Storage place() {
    Storage storage = disk.storage();
    try (SuperblockFile file = SuperblockFile.open(storage)) {
      Superblock superblock = file.current();
      return storage
          .volatilePlace(RingDirectory.memoryName(storage, superblock), false, 0)
          .orElseThrow();
    }
  }

  @Test
  void theOpeningAfterAKillUsesTheMemoryOfTheProcessBefore() {
    Store first = filled();
    put(first, 7, 70);
    kill(first);
    Store second = open();
    assertThat(origin(second)).isInstanceOf(MemoryOrigin.Attached.class);
    assertThat(second.admin().recoveryReport().outcome())
        .isInstanceOf(RecoveryOutcome.AfterKill.class);
    assertThat(second.admin().replayStats().isDone()).isTrue();
    List<Long> expected = new ArrayList<>();
    for (int i = 0; i < WORDS; i++) {
      expected.add(i == 7 ? 70L : i);
    }
    assertThat(words(second)).isEqualTo(expected);
    put(second, 8, 80);
    kill(second);
    expected.set(8, 80L);
    try (Store third = open()) {
      assertThat(origin(third)).isInstanceOf(MemoryOrigin.Attached.class);
      assertThat(words(third)).isEqualTo(expected);
    }
    // What was only in memory has been checkpointed by the close.
    try (Store fourth = Store.open(options(disk, Backing.RESIDENT))) {
      assertThat(words(fourth)).isEqualTo(expected);
    }
  }

  @Test
  void aStoreThatWasClosedHasLeftNoMemory() {
    filled().close();
    assertThatThrownBy(this::place).isNotNull();
    try (Store store = open()) {
      requireLoaded(store, "its memory was not kept");
      assertThat(words(store)).hasSize(WORDS).endsWith(WORDS - 1L);
    }
  }

  @Test
  void pagesOfSeveralLivesAreInTheNextCheckpoint() {
    Store store = filled();
    store.admin().checkpoint();
    for (int life = 0; life < 4; life++) {
      put(store, life * 256, -1 - life);
      kill(store);
      store = open();
      assertThat(origin(store)).isInstanceOf(MemoryOrigin.Attached.class);
    }
    store.admin().checkpoint();
    kill(store);
    disk.replaceContainer(); // the memory is gone: image and log decide
    try (Store last = open()) {
      requireLoaded(last, "");
      for (int life = 0; life < 4; life++) {
        assertThat(words(last).get(life * 256)).isEqualTo(-1 - life);
      }
    }
  }

  @Test
  void anOpeningInBetweenThatUsesOtherMemoryMakesItUnusable() {
    kill(filled());
    Store between = Store.open(options(disk, Backing.MAPPED));
    put(between, 3, 33);
    kill(between);
    try (Store store = open()) {
      requireLoaded(store, "of another opening");
      assertThat(words(store).get(3)).isEqualTo(33);
    }
  }

  @Test
  void newMemoryIsCompleteBeforeTheStoreOpens() {
    Store first = filled();
    first.run(TxOptions.sync(), tx -> tx.putLong(tx.root(0), 1));
    kill(first);
    disk.replaceContainer(); // what was forced is in the log alone
    HeldReplay held = new HeldReplay();
    Store second = Store.open(options(disk, Backing.SHARED).withExecution(held));
    try {
      requireLoaded(second, "");
      assertThat(second.admin().recoveryReport().counts().words()).isPositive();
      assertThat(second.admin().replayStats().isDone()).isTrue();
    } finally {
      held.release();
    }
    List<Long> expected = words(second);
    kill(second);
    try (Store third = open()) {
      assertThat(origin(third)).isInstanceOf(MemoryOrigin.Attached.class);
      assertThat(words(third)).isEqualTo(expected);
    }
  }

  @Test
  void readersLeaveItAsItIs() {
    Store first = filled();
    put(first, 4, 44);
    kill(first);
    try (Store reader = Store.open(options(disk, Backing.SHARED).withReadOnly(true))) {
      assertThat(origin(reader)).isInstanceOf(MemoryOrigin.Unshared.class);
      assertThat(words(reader).get(4)).isEqualTo(44);
    }
    try (Store store = open()) {
      assertThat(origin(store)).isInstanceOf(MemoryOrigin.Attached.class);
      assertThat(words(store).get(4)).isEqualTo(44);
    }
  }

  @Test
  void aLostRingMakesItUnusable() {
    Store first = filled();
    put(first, 1, 11);
    kill(first);
    Storage storage = disk.storage();
    try (SuperblockFile file = SuperblockFile.open(storage)) {
      storage
          .volatilePlace(RingDirectory.name(storage, file.current()), false, 0)
          .orElseThrow()
          .delete("1");
    }
    disk.kill();
    try (Store store = open()) {
      requireLoaded(store, "rings");
    }
  }

  private void damage(Consumer<Storage> damage) {
    Store first = filled();
    put(first, 5, 55);
    kill(first);
    damage.accept(place());
    disk.kill();
    try (Store store = open()) {
      assertThat(origin(store)).isInstanceOf(MemoryOrigin.Loaded.class);
      assertThat(words(store).get(5)).isEqualTo(55);
    }
  }

  private static void write(Storage place, String name, long offset, long word) {
    ByteBuffer bytes =
        ByteBuffer.allocateDirect(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN).putLong(0, word);
    try (StorageFile file = place.open(name, Storage.Access.READ_WRITE)) {
      file.write(offset, bytes);
    }
  }

  private static void shorten(Storage place, String name) {
    resize(place, name, -4096);
  }

  private static void resize(Storage place, String name, int byBytes) {
    try (StorageFile file = place.open(name, Storage.Access.READ_WRITE)) {
      file.setSize(file.sizeBytes() + byBytes);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 8, 16, 32, 48, 64, 72, 80, 96, 104})
  void eachWordOfTheHeaderCounts(int offset) {
    damage(place -> write(place, WarmLayout.WARM, offset, 0x0102030405060708L));
  }

  /** Changes a word of the header, and makes its checksum that of the changed header. */
  private static void forge(Storage place, int offset) {
    try (StorageFile file = place.open(WarmLayout.WARM, Storage.Access.READ_WRITE)) {
      ByteBuffer header =
          ByteBuffer.allocateDirect(WarmLayout.HEADER_LENGTH).order(ByteOrder.LITTLE_ENDIAN);
      file.read(0, header);
      header.clear();
      header.putLong(offset, header.getLong(offset) ^ 1);
      header.putInt(WarmLayout.CRC_OFFSET, Crc32c.of(header, 0, WarmLayout.CRC_OFFSET));
      file.write(0, header);
    }
  }

  @ParameterizedTest
  @ValueSource(
      ints = {
        WarmLayout.STORE_ID_HIGH_OFFSET,
        WarmLayout.STORE_ID_LOW_OFFSET,
        WarmLayout.NONCE_OFFSET,
        WarmLayout.GENERATION_OFFSET,
        WarmLayout.BOOT_HIGH_OFFSET,
        WarmLayout.BOOT_LOW_OFFSET,
        WarmLayout.DEVICE_OFFSET,
        WarmLayout.INODE_OFFSET,
        WarmLayout.OWN_DEVICE_OFFSET,
        WarmLayout.OWN_INODE_OFFSET,
        WarmLayout.CAPACITY_OFFSET
      })
  void memoryOfAnotherStoreOpeningBootFileOrSizeIsNotUsed(int offset) {
    damage(place -> forge(place, offset));
  }

  @ParameterizedTest
  @ValueSource(strings = {WarmLayout.REGION, WarmLayout.WARM})
  void truncatedFilesAreNotUsed(String name) {
    damage(place -> shorten(place, name));
  }

  /** What has another length was made by somebody else, and is not exactly as expected. */
  @ParameterizedTest
  @ValueSource(strings = {WarmLayout.REGION, WarmLayout.WARM})
  void longerFilesAreNotUsed(String name) {
    damage(place -> resize(place, name, 4096));
  }

  @ParameterizedTest
  @ValueSource(strings = {WarmLayout.REGION, WarmLayout.WARM})
  void missingFilesAreNotUsed(String name) {
    damage(place -> place.delete(name));
  }

  @ParameterizedTest
  @ValueSource(strings = {WarmLayout.REGION, WarmLayout.WARM})
  void copiesOfTheFilesAreNotUsed(String name) {
    damage(
        place -> {
          place.rename(name, "former");
          try (StorageFile from = place.open("former", Storage.Access.READ);
              StorageFile to = place.create(name)) {
            ByteBuffer bytes = ByteBuffer.allocateDirect((int) from.sizeBytes());
            from.read(0, bytes);
            to.write(0, bytes.flip());
          }
        });
  }

  @Test
  void aWordOfALaneThatIsNoLsnOfTheOpeningIsDamage() {
    damage(place -> write(place, WarmLayout.WARM, WarmLayout.APPLYING_OFFSET, -1));
  }

  @Test
  void memoryIsNotUsedWithAnOlderImage() {
    // As if the maps had lost marks for a checkpoint that the files do not have.
    damage(place -> write(place, WarmLayout.WARM, WarmLayout.MAPS_OFFSET, 99));
  }

  @Test
  void aStoreThatFailedLeavesNoMemory() throws Exception {
    Store first = filled();
    disk.inject(Fault.onNth(Operation.FORCE, 1).forEver());
    assertThatThrownBy(() -> first.run(TxOptions.sync(), tx -> tx.putLong(tx.root(0), 1)))
        .isInstanceOf(StoreFailedException.class);
    disk.clearFaults();
    assertThat(messages.next().getMessage()).contains("has stopped"); // written after that
    kill(first);
    try (Store store = open()) {
      requireLoaded(store, "not complete");
    }
  }

  @Test
  void withoutRoomTheStoreOpensAndSaysWhy() {
    disk = SimulatedDisk.builder(1).volatileBytes(100 << 10).build();
    try (Store store = filled()) {
      assertThat(origin(store))
          .isInstanceOfSatisfying(
              MemoryOrigin.Unshared.class,
              unshared -> assertThat(unshared.reason()).contains("tmpfs"));
    }
    try (Store store = open()) {
      assertThat(words(store)).endsWith(WORDS - 1L);
    }
  }

  @Test
  void aFullTmpfsRefusesNewPagesAndKeepsTheOthers() {
    disk = SimulatedDisk.builder(1).volatileBytes(360 << 10).build();
    Store first = Store.open(options(disk, Backing.SHARED).withMaxSize(1 << 20));
    assertThat(origin(first)).isInstanceOf(MemoryOrigin.Loaded.class);
    List<Long> blocks = new ArrayList<>();
    assertThatThrownBy(
            () -> {
              for (int i = 0; i < 200; i++) {
                int at = i;
                blocks.add(
                    first.call(
                        tx -> {
                          long block = tx.allocate(4096);
                          tx.putLong(block, at);
                          return block;
                        }));
              }
            })
        .isInstanceOf(UnavailablePageException.class);
    assertThat(blocks).isNotEmpty();
    requireBlocks(first, blocks);
    first.run(tx -> tx.putLong(blocks.getFirst(), 0));
    kill(first);
    try (Store second = Store.open(options(disk, Backing.SHARED).withMaxSize(1 << 20))) {
      assertThat(origin(second)).isInstanceOf(MemoryOrigin.Attached.class);
      requireBlocks(second, blocks);
    }
  }

  /** A plain container has a tmpfs of 64 MiB. */
  @Test
  void aStoreThatMayGrowBeyondTheTmpfsIsSharedIfAskedAndNotByTheAutomaticChoice() {
    disk = SimulatedDisk.builder(1).volatileBytes(64 << 20).build();
    long large = 1L << 30;
    try (Store store = Store.open(options(disk, Backing.AUTO).withMaxSize(large))) {
      requireUnshared(store, "tmpfs");
      store.run(tx -> tx.root(0, tx.allocate(64)));
    }
    Store shared = Store.open(options(disk, Backing.SHARED).withMaxSize(large));
    requireLoaded(shared, "not kept");
    kill(shared);
    try (Store store = Store.open(options(disk, Backing.SHARED).withMaxSize(large))) {
      assertThat(origin(store)).isInstanceOf(MemoryOrigin.Attached.class);
    }
  }

  private static void requireBlocks(Store store, List<Long> blocks) {
    for (int i = 0; i < blocks.size(); i++) {
      long block = blocks.get(i);
      assertThat(store.<Long, RuntimeException>read(tx -> tx.getLong(block))).isEqualTo(i);
    }
  }

  @Test
  void anotherSizeIsLoaded() {
    kill(filled());
    StoreOptions larger = options(disk, Backing.SHARED).withMaxSize(2 * MAX_SIZE);
    try (Store store = Store.open(larger)) {
      assertThat(origin(store)).isInstanceOf(MemoryOrigin.Loaded.class);
      assertThat(words(store)).endsWith(WORDS - 1L);
    }
    StoreOptions smaller = options(disk, Backing.SHARED);
    try (Store store = Store.open(smaller)) {
      assertThat(origin(store)).isInstanceOf(MemoryOrigin.Unshared.class);
      assertThat(words(store)).endsWith(WORDS - 1L);
    }
  }

  private static StoreOptions warm(SimulatedDisk disk) {
    return options(disk, Backing.SHARED).withWarmClose(true);
  }

  @Test
  void aCloseMayKeepTheMemory() {
    Store first = filled();
    kill(first);
    Store second = Store.open(warm(disk));
    put(second, 6, 66);
    second.close();
    Store third = Store.open(warm(disk));
    assertThat(origin(third)).isInstanceOf(MemoryOrigin.Attached.class);
    assertThat(third.admin().recoveryReport().outcome()).isInstanceOf(RecoveryOutcome.Clean.class);
    assertThat(words(third).get(6)).isEqualTo(66);
    put(third, 7, 77);
    kill(third);
    try (Store fourth = Store.open(warm(disk))) {
      assertThat(origin(fourth)).isInstanceOf(MemoryOrigin.Attached.class);
      assertThat(words(fourth).get(7)).isEqualTo(77);
    }
    try (Store resident = Store.open(options(disk, Backing.RESIDENT))) {
      assertThat(words(resident).get(6)).isEqualTo(66);
      assertThat(words(resident).get(7)).isEqualTo(77);
    }
  }

  @Test
  void keptMemoryIsNotUsedAfterAnotherOpening() {
    Store first = Store.open(warm(disk));
    first.close();
    SimulatedDisk former = disk.fork(); // with the memory that the close has kept
    try (Store between = Store.open(options(disk, Backing.MAPPED))) {
      between.run(tx -> tx.root(5, tx.allocate(64)));
    }
    try (Store store = Store.open(warm(disk))) {
      requireLoaded(store, "not kept");
    }
    disk = former;
    try (Store store = Store.open(warm(disk))) {
      assertThat(origin(store)).isInstanceOf(MemoryOrigin.Attached.class);
    }
  }

  @Test
  void keptMemoryIsNotUsedWithTheFilesOfAnotherClose() {
    Store.open(warm(disk)).close();
    SimulatedDisk elsewhere = disk.fork();
    elsewhere.replaceContainer();
    try (Store other = Store.open(warm(elsewhere))) {
      other.run(tx -> tx.root(5, tx.allocate(64)));
    }
    Store here = Store.open(warm(disk));
    here.run(tx -> tx.root(6, tx.allocate(64)));
    here.close();
    // The files of the other close are put in place of those here: same generation and sequence.
    Storage from = elsewhere.storage();
    Storage to = disk.storage();
    for (String name : List.of(SuperblockFile.NAME, "image", "image.sums")) {
      try (StorageFile source = from.open(name, Storage.Access.READ);
          StorageFile target = to.open(name, Storage.Access.READ_WRITE)) {
        ByteBuffer bytes = ByteBuffer.allocateDirect((int) source.sizeBytes());
        source.read(0, bytes);
        target.write(0, bytes.flip());
      }
    }
    disk.kill();
    try (Store store = Store.open(warm(disk))) {
      requireLoaded(store, "of another opening");
      assertThat(store.<Long, RuntimeException>read(tx -> tx.root(5))).isNotZero();
      assertThat(store.<Long, RuntimeException>read(tx -> tx.root(6))).isZero();
    }
  }

  @Test
  void aStoreThatFailedKeepsNoMemoryWhenItIsClosed() {
    Store first = Store.open(warm(disk));
    disk.inject(Fault.onNth(Operation.FORCE, 1).forEver());
    assertThatThrownBy(() -> first.run(TxOptions.sync(), tx -> tx.root(0, tx.allocate(64))))
        .isInstanceOf(StoreFailedException.class);
    disk.clearFaults();
    assertThatThrownBy(first::close).isInstanceOf(StoreFailedException.class);
    assertThatThrownBy(this::place).isNotNull();
  }

  @Test
  void aCloseThatFailsKeepsNoMemory() {
    Store first = Store.open(warm(disk));
    first.run(TxOptions.sync(), tx -> tx.root(0, tx.allocate(64)));
    disk.inject(Fault.onNth(Operation.FORCE, 1).forEver());
    assertThatThrownBy(first::close).isNotNull();
    disk.clearFaults();
    assertThatThrownBy(this::place).isNotNull();
    try (Store store = Store.open(warm(disk))) {
      assertThat(store.<Long, RuntimeException>read(tx -> tx.root(0))).isNotZero();
    }
  }

  @Test
  void anOpeningMayBeToldNotToUseTheMemory() {
    Store first = filled();
    put(first, 2, 22);
    kill(first);
    try (Store store = Store.open(options(disk, Backing.SHARED).withWarmRestart(false))) {
      requireLoaded(store, "told not to use it");
      assertThat(words(store).get(2)).isEqualTo(22);
    }
  }

  /** Memory of the process before is not used: the image is what is verified. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void anOpeningThatVerifiesReadsTheImage(boolean isClosed) {
    Store first = Store.open(warm(disk));
    long array =
        first.call(
            tx -> {
              tx.root(0, tx.allocate(WORDS * 8L));
              return tx.root(0);
            });
    put(first, 2, 22);
    first.admin().checkpoint();
    end(first, isClosed);
    Store second = Store.open(warm(disk).withVerifyImage(true));
    requireLoaded(second, "this opening reads the image");
    assertThat(words(second).get(2)).isEqualTo(22);
    end(second, isClosed);
    write(disk.storage(), ImageFile.NAME, array, -1);
    disk.kill();
    assertThatThrownBy(() -> Store.open(warm(disk).withVerifyImage(true)))
        .isInstanceOf(CorruptStoreException.class)
        .hasMessageContaining(ImageFile.NAME);
  }

  private void end(Store store, boolean isClosed) {
    if (isClosed) {
      store.close(); // and the memory stays
    } else {
      kill(store);
    }
  }

  @Test
  void aNoteThatIsDamagedMakesItUnusable() {
    damage(place -> write(place, WarmLayout.WARM, WarmLayout.NOTE_LENGTH_OFFSET, 1));
  }

  @Test
  void theAutomaticChoiceIsSharedWhereThereIsRoomForAllThatTheStoreMayHold() {
    Store first = Store.open(options(disk, Backing.AUTO));
    requireLoaded(first, "names no rings");
    first.run(tx -> tx.root(0, tx.allocate(64)));
    kill(first);
    try (Store second = Store.open(options(disk, Backing.AUTO))) {
      assertThat(origin(second)).isInstanceOf(MemoryOrigin.Attached.class);
      assertThat(second.admin().isWarmRestart()).isTrue();
    }
  }

  private static void requireUnshared(Store store, String reason) {
    assertThat(origin(store))
        .isInstanceOfSatisfying(
            MemoryOrigin.Unshared.class,
            unshared -> assertThat(unshared.reason()).contains(reason));
    assertThat(store.admin().isWarmRestart()).isFalse();
  }

  @Test
  void theAutomaticChoiceLeavesASmallTmpfsAlone() {
    disk = SimulatedDisk.builder(1).volatileBytes(600 << 10).build();
    try (Store store = Store.open(options(disk, Backing.AUTO).withMaxSize(1 << 20))) {
      requireUnshared(store, "tmpfs");
    }
    try (Store store = Store.open(options(disk, Backing.SHARED).withMaxSize(1 << 20))) {
      requireLoaded(store, "not kept"); // the data that there is has room
    }
  }

  @Test
  void theAutomaticChoiceLeavesMemoryToOthers() {
    long all = MachineMemory.usableBytes() & -4096;
    disk = SimulatedDisk.builder(1).volatileBytes(4 * all).build();
    try (Store store = Store.open(options(disk, Backing.AUTO).withMaxSize(all))) {
      requireUnshared(store, "three quarters");
    }
  }

  /** Returns options by which 512 KiB are loaded for each millisecond of the goal. */
  private StoreOptions auto(long goalMillis) {
    return options(disk, Backing.AUTO)
        .withMaxSize(16 << 20)
        .withRecoveryGoal(Duration.ofMillis(goalMillis));
  }

  @Test
  void theAutomaticChoiceLoadsWithinTheRecoveryGoal() {
    try (Store store = Store.open(auto(10))) {
      requireLoaded(store, "names no rings");
      store.run(
          tx -> {
            long block = tx.allocate(6 << 20);
            for (long at = 0; at < 6 << 20; at += 4096) {
              tx.putLong(block + at, at);
            }
          });
    }
    try (Store store = Store.open(auto(10))) {
      requireUnshared(store, "within the recovery goal");
    }
    try (Store store = Store.open(auto(1000))) {
      requireLoaded(store, "not kept");
    }
  }
}
