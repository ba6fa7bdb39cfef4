import { createHash, createHmac } from 'node:crypto';

type Bytes = string | ArrayBuffer | ArrayBufferView;

/** The hash of node:crypto with the interface of the signing library. */
export class Sha256 {
  #hash;

  constructor(secret?: Bytes) {
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', toBytes(secret));
  }

  update(data: Bytes): void {
    this.#hash.update(toBytes(data));
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }

  reset(): void {
    throw new Error('a hash is used once');
  }
}

function toBytes(data: Bytes): string | Uint8Array {
  if (typeof data === 'string') return data;
  return ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);
}
