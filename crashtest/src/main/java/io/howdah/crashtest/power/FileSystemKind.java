package io.howdah.crashtest.power;

/** File systems that the kernel can stop at once. */
enum FileSystemKind {
  /** With its journal of metadata, ordered behind the data. */
  EXT4("mkfs.ext4", "-F"),
  /** With delayed allocation and a log of metadata. */
  XFS("mkfs.xfs", "-f");

  private final String maker;
  private final String force;

  FileSystemKind(String maker, String force) {
    this.maker = maker;
    this.force = force;
  }

  /** Returns the name of the program that makes one. */
  String maker() {
    return maker;
  }

  /** Returns the flag that keeps that program from asking. */
  String force() {
    return force;
  }
}
