package io.howdah.jmh.peers;

/** What threads repeat on a store that has been loaded. */
public enum PeerWorkload {
  /** Reads one key, uniformly chosen. */
  GET("point get", 0),
  /** Reads {@value #SCAN_ENTRIES} entries from a key on. */
  SCAN("range scan of 100", 0),
  /** Replaces one value in a transaction of its own. */
  PUT("put", 1),
  /** Replaces {@value #TRANSACTION_KEYS} values in one transaction. */
  PUT_8("transaction of 8 puts", 8),
  /** Half reads, half puts, keys by Zipf. */
  MIXED_50("50 % get, 50 % put, Zipf", 0.5),
  /** Of twenty operations one is a put, keys by Zipf. */
  MIXED_95("95 % get, 5 % put, Zipf", 0.05);

  /** Entries of a range scan. */
  public static final int SCAN_ENTRIES = 100;

  /** Keys of a larger transaction. */
  public static final int TRANSACTION_KEYS = 8;

  private final String text;
  private final double puts;

  PeerWorkload(String text, double puts) {
    this.text = text;
    this.puts = puts;
  }

  /** Returns it in words. */
  public String text() {
    return text;
  }

  /** Returns how many values an operation replaces, on average. */
  public double puts() {
    return puts;
  }
}
