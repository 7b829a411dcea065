/*
 * The native yardstick of "howdah bench w6": a word-based software transactional memory in C, as Dice,
 * Shalev and Shavit describe TL2 (DISC 2006): a global version clock that each commit increments, versioned
 * locks that memory stripes share by hash, reads validated one by one, writes kept until the commit.
 * No log, no allocator, no composition: what such a memory costs where a C compiler makes it.
 *
 * Two switches for "howdah bench ablations" exchange one decision each; without them it is TL2 as published.
 * -DENCOUNTER: a write locks its word's stripe at once, and the commit has no locks to take. A lock that is held
 *   when a transaction meets it, or that is newer than its start, has it start again.
 * -DEPOCH: no commit increments the clock, as in Silo (Tu et al., SOSP 2013): a thread of its own increments it each
 *   millisecond, and a commit's version is larger than all that it has read or replaces, and not of an earlier epoch.
 *   So a version says nothing about when a word changed: reads are compared at the commit alone, and a body may see
 *   words of two states before it starts again.
 *
 * usage: tl2 BYTES LOCK_BITS large|small
 * Reads lines "THREADS NANOS SEED" and answers each with "TRANSACTIONS NANOS ABORTS"; answers "sum" with the sum of
 * all words. Ends with its input.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#if defined(ENCOUNTER) && defined(EPOCH)
#error "one switch at a time: their figures are compared with those of neither"
#endif

enum {
  WORDS_PER_TRANSACTION = 6,
  MAX_READS = 64,
  MAX_WRITES = 64,
  STRIPE_SHIFT = 5, /* 32 bytes share a lock, as in Howdah */
  PAGE_BYTES = 4096,
  CACHE_LINE = 128, /* two lines: processors fetch them in pairs */
  MAX_THREADS = 1024,
  EPOCH_NANOS = 1000000,
  EPOCH_SHIFT = 20 /* versions of an epoch */
};

static const uint64_t LOCKED = 1;
static const uint64_t GOLDEN = UINT64_C(0x9e3779b97f4a7c15);

typedef _Atomic uint64_t word_t;

static word_t *heap;
static uint64_t heap_words;
static word_t *locks; /* version << 1, or the same with LOCKED */
static uint64_t lock_mask;

static struct {
  _Alignas(CACHE_LINE) _Atomic uint64_t clock;
  char padding[CACHE_LINE - sizeof(uint64_t)];
} shared;

static _Alignas(CACHE_LINE) atomic_bool stop;

typedef struct {
  word_t *address;
  uint64_t value;
} write_t;

typedef struct {
  uint64_t start;
  uint64_t filter; /* of the addresses written */
  int reads;
  int writes;
  int locked;
  word_t *read_set[MAX_READS];
#ifdef EPOCH
  uint64_t versions[MAX_READS];
#endif
  write_t write_set[MAX_WRITES];
  word_t *held[MAX_WRITES];
} transaction_t;

static word_t *lock_of(const word_t *address) {
  return &locks[((uintptr_t)address >> STRIPE_SHIFT) & lock_mask];
}

static uint64_t filter_bit(const word_t *address) {
  return UINT64_C(1) << (((uintptr_t)address * GOLDEN) >> 58);
}

/* Returns whether a stripe of this version is as it was when the transaction began. */
static bool is_before(const transaction_t *tx, uint64_t version) {
#ifdef EPOCH
  (void)tx;
  (void)version;
  return true; /* the commit compares */
#else
  return version <= tx->start;
#endif
}

static bool is_held(const transaction_t *tx, const word_t *lock) {
  for (int i = 0; i < tx->locked; i++) {
    if (tx->held[i] == lock) {
      return true;
    }
  }
  return false;
}

static void give_back(transaction_t *tx) {
  for (int i = 0; i < tx->locked; i++) {
    atomic_fetch_and_explicit(tx->held[i], ~LOCKED, memory_order_release);
  }
  tx->locked = 0;
}

/* Takes the lock of a word that is written; false if the transaction must start again. */
static bool take_lock(transaction_t *tx, word_t *lock) {
  uint64_t found = atomic_load_explicit(lock, memory_order_relaxed);
  if (found & LOCKED) {
    return is_held(tx, lock); /* two words of one stripe, or of two that share a lock */
  }
  if (!atomic_compare_exchange_strong_explicit(lock, &found, found | LOCKED, memory_order_acquire,
                                               memory_order_relaxed)) {
    return false;
  }
  tx->held[tx->locked++] = lock;
  return true;
}

static void tx_begin(transaction_t *tx) {
#ifndef EPOCH
  tx->start = atomic_load_explicit(&shared.clock, memory_order_acquire) << 1;
#endif
  tx->filter = 0;
  tx->reads = 0;
  tx->writes = 0;
  tx->locked = 0;
}

/* Reads a word; false if the transaction must start again. */
static bool tx_read(transaction_t *tx, word_t *address, uint64_t *value) {
  if (tx->filter & filter_bit(address)) {
    for (int i = tx->writes - 1; i >= 0; i--) {
      if (tx->write_set[i].address == address) {
        *value = tx->write_set[i].value;
        return true;
      }
    }
  }
  word_t *lock = lock_of(address);
  uint64_t before = atomic_load_explicit(lock, memory_order_acquire);
  uint64_t found = atomic_load_explicit(address, memory_order_acquire);
  uint64_t after = atomic_load_explicit(lock, memory_order_relaxed);
  if (before != after || ((before & LOCKED) && !is_held(tx, lock)) || !is_before(tx, before & ~LOCKED)
      || tx->reads == MAX_READS) {
    return false;
  }
#ifdef EPOCH
  tx->versions[tx->reads] = before & ~LOCKED;
#endif
  tx->read_set[tx->reads++] = lock;
  *value = found;
  return true;
}

/* Writes a word; false if the transaction must start again. */
static bool tx_write(transaction_t *tx, word_t *address, uint64_t value) {
  uint64_t bit = filter_bit(address);
  if (tx->filter & bit) {
    for (int i = 0; i < tx->writes; i++) {
      if (tx->write_set[i].address == address) {
        tx->write_set[i].value = value;
        return true;
      }
    }
  }
  if (tx->writes == MAX_WRITES) {
    return false;
  }
#ifdef ENCOUNTER
  word_t *lock = lock_of(address);
  /* Newer than the start: it changed after this transaction may have read it. */
  if (!take_lock(tx, lock) || !is_before(tx, atomic_load_explicit(lock, memory_order_relaxed) & ~LOCKED)) {
    return false;
  }
#endif
  tx->filter |= bit;
  tx->write_set[tx->writes++] = (write_t){address, value};
  return true;
}

/* Commits; false if the transaction must start again. */
static bool tx_commit(transaction_t *tx) {
  if (tx->writes == 0) {
    return true;
  }
#ifndef ENCOUNTER
  for (int i = 0; i < tx->writes; i++) {
    if (!take_lock(tx, lock_of(tx->write_set[i].address))) {
      return false;
    }
  }
#endif
#ifdef EPOCH
  atomic_thread_fence(memory_order_seq_cst); /* the locks are seen before the epoch is read, and reads compared */
  uint64_t end = atomic_load_explicit(&shared.clock, memory_order_seq_cst) << EPOCH_SHIFT;
  for (int i = 0; i < tx->reads; i++) {
    uint64_t found = atomic_load_explicit(tx->read_set[i], memory_order_acquire);
    if ((found & ~LOCKED) != tx->versions[i] || ((found & LOCKED) && !is_held(tx, tx->read_set[i]))) {
      return false;
    }
    end = tx->versions[i] >= end ? tx->versions[i] + 2 : end;
  }
  for (int i = 0; i < tx->locked; i++) {
    uint64_t replaced = atomic_load_explicit(tx->held[i], memory_order_relaxed) & ~LOCKED;
    end = replaced >= end ? replaced + 2 : end;
  }
#else
  uint64_t end = (atomic_fetch_add_explicit(&shared.clock, 1, memory_order_acq_rel) + 1) << 1;
  if (end != tx->start + 2) {
    for (int i = 0; i < tx->reads; i++) {
      uint64_t found = atomic_load_explicit(tx->read_set[i], memory_order_acquire);
      if (!is_before(tx, found & ~LOCKED) || ((found & LOCKED) && !is_held(tx, tx->read_set[i]))) {
        return false;
      }
    }
  }
#endif
  for (int i = 0; i < tx->writes; i++) {
    atomic_store_explicit(tx->write_set[i].address, tx->write_set[i].value, memory_order_release);
  }
  for (int i = 0; i < tx->locked; i++) {
    atomic_store_explicit(tx->held[i], end, memory_order_release);
  }
  tx->locked = 0;
  return true;
}

/* The same numbers as Howdah's workload: xorshift (Marsaglia, 2003). */
static uint64_t next_random(uint64_t *state, uint64_t bound) {
  uint64_t x = *state;
  x ^= x << 13;
  x ^= x >> 7;
  x ^= x << 17;
  *state = x;
  return (uint64_t)(((unsigned __int128)x * bound) >> 64);
}

static void draw(uint64_t *state, word_t **addresses) {
  for (int i = 0; i < WORDS_PER_TRANSACTION;) {
    word_t *address = heap + next_random(state, heap_words);
    bool is_new = true;
    for (int j = 0; j < i; j++) {
      is_new &= addresses[j] != address;
    }
    addresses[i] = address;
    i += is_new ? 1 : 0;
  }
}

static bool add_one_each(transaction_t *tx, word_t **addresses) {
  tx_begin(tx);
  for (int i = 0; i < WORDS_PER_TRANSACTION; i++) {
    uint64_t value;
    if (!tx_read(tx, addresses[i], &value) || !tx_write(tx, addresses[i], value + 1)) {
      give_back(tx);
      return false;
    }
  }
  if (!tx_commit(tx)) {
    give_back(tx);
    return false;
  }
  return true;
}

typedef struct {
  _Alignas(CACHE_LINE) uint64_t seed;
  uint64_t transactions;
  uint64_t aborts;
  pthread_t thread;
  pthread_barrier_t *start;
} worker_t;

static void *work(void *argument) {
  worker_t *worker = argument;
  transaction_t tx;
  uint64_t state = GOLDEN * (worker->seed + 1);
  uint64_t transactions = 0;
  uint64_t aborts = 0;
  pthread_barrier_wait(worker->start);
  do {
    word_t *addresses[WORDS_PER_TRANSACTION];
    draw(&state, addresses);
    while (!add_one_each(&tx, addresses)) {
      aborts++;
    }
    transactions++;
  } while (!atomic_load_explicit(&stop, memory_order_relaxed));
  worker->transactions = transactions;
  worker->aborts = aborts;
  return NULL;
}

static uint64_t now_nanos(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static void run(int threads, uint64_t nanos, uint64_t seed) {
  worker_t *workers = aligned_alloc(CACHE_LINE, sizeof(worker_t) * (size_t)threads);
  pthread_barrier_t start;
  if (workers == NULL || pthread_barrier_init(&start, NULL, (unsigned)threads + 1) != 0) {
    fail("tl2: workers");
  }
  atomic_store(&stop, false);
  for (int i = 0; i < threads; i++) {
    workers[i] = (worker_t){.seed = seed + (uint64_t)i, .start = &start};
    if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0) {
      fail("tl2: pthread_create");
    }
  }
  pthread_barrier_wait(&start);
  uint64_t began = now_nanos();
  struct timespec pause = {(time_t)(nanos / 1000000000u), (long)(nanos % 1000000000u)};
  nanosleep(&pause, NULL);
  atomic_store(&stop, true);
  uint64_t took = now_nanos() - began;
  uint64_t transactions = 0;
  uint64_t aborts = 0;
  for (int i = 0; i < threads; i++) {
    pthread_join(workers[i].thread, NULL);
    transactions += workers[i].transactions;
    aborts += workers[i].aborts;
  }
  pthread_barrier_destroy(&start);
  free(workers);
  printf("%" PRIu64 " %" PRIu64 " %" PRIu64 "\n", transactions, took, aborts);
  fflush(stdout);
}

#ifdef EPOCH
static void *advance_epochs(void *unused) {
  (void)unused;
  struct timespec pause = {0, EPOCH_NANOS};
  for (;;) {
    nanosleep(&pause, NULL);
    atomic_fetch_add_explicit(&shared.clock, 1, memory_order_seq_cst);
  }
  return NULL;
}
#endif

static void *memory(uint64_t bytes, bool large) {
  void *mapped = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) {
    fail("tl2: mmap");
  }
  madvise(mapped, bytes, large ? MADV_HUGEPAGE : MADV_NOHUGEPAGE); /* a kernel without either goes on */
  for (uint64_t at = 0; at < bytes; at += PAGE_BYTES) {
    ((volatile char *)mapped)[at] = 1;
  }
  return mapped;
}

/* Returns the sum of all words: it grows by six for each transaction. */
static uint64_t sum(void) {
  uint64_t total = 0;
  for (uint64_t i = 0; i < heap_words; i++) {
    total += atomic_load_explicit(&heap[i], memory_order_relaxed);
  }
  return total;
}

int main(int count, char **arguments) {
  if (count != 4) {
    fprintf(stderr, "usage: tl2 BYTES LOCK_BITS large|small\n");
    return 2;
  }
  uint64_t bytes = strtoull(arguments[1], NULL, 10);
  int bits = atoi(arguments[2]);
  bool large = strcmp(arguments[3], "large") == 0;
  if (bytes < PAGE_BYTES || bits < 6 || bits > 30) {
    fprintf(stderr, "tl2: BYTES is at least %d, and LOCK_BITS from 6 to 30\n", PAGE_BYTES);
    return 2;
  }
  heap = memory(bytes, large);
  heap_words = bytes / sizeof(word_t);
  uint64_t lock_count = UINT64_C(1) << bits;
  locks = memory(lock_count * sizeof(word_t), large);
  memset(locks, 0, lock_count * sizeof(word_t));
  lock_mask = lock_count - 1;
#ifdef EPOCH
  pthread_t epochs;
  if (pthread_create(&epochs, NULL, advance_epochs, NULL) != 0) {
    fail("tl2: pthread_create");
  }
#endif
  puts("ready");
  fflush(stdout);
  char line[128];
  while (fgets(line, sizeof line, stdin) != NULL) {
    int threads;
    uint64_t nanos;
    uint64_t seed;
    if (strcmp(line, "sum\n") == 0) {
      printf("%" PRIu64 "\n", sum());
      fflush(stdout);
    } else if (sscanf(line, "%d %" SCNu64 " %" SCNu64, &threads, &nanos, &seed) == 3 && threads >= 1
               && threads <= MAX_THREADS) {
      run(threads, nanos, seed);
    } else {
      fprintf(stderr, "tl2: not a request: %s", line);
      return 2;
    }
  }
  return 0;
}
