/** Parts of messages that the body of another format cannot say. */

/** Thrown while a body is written; the engine makes a 400 of it that says where the part is. */
export class UnsupportedPart extends Error {
  /** The object in the client's body: its place is found by identity. */
  readonly part: object;

  constructor(part: object) {
    super('A part of a message has no counterpart');
    this.name = 'UnsupportedPart';
    this.part = part;
  }
}

/** Throws UnsupportedPart. `part`: as it is in the client's body. */
export function refusePart(part: object): never {
  throw new UnsupportedPart(part);
}
