/** What is stored: a byte for the version of the format, then the answer as JSON text. */

/** Raised when stored answers can no longer be served as they are. */
const VERSION = 1;

export const encodeEntry = (json: Buffer): Buffer => Buffer.concat([Buffer.of(VERSION), json]);

/** The JSON text, or undefined when it was stored by another version. */
export const decodeEntry = (stored: Buffer): Buffer | undefined =>
  stored[0] === VERSION ? stored.subarray(1) : undefined;
