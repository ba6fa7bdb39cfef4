/** Mutations of bytes, the same ones for the same seed. */
import { createHash } from 'node:crypto';

export interface Mutator {
  /** Uniform in [0, below). */
  integer(below: number): number;
  pick<T>(items: readonly T[]): T;
  /** One to eight changes to a copy. */
  mutate(bytes: Buffer): Buffer;
}

export interface MutatorOptions {
  readonly seed: string;
  /** Pieces that are inserted as they are: syntax and values at the edge of what is allowed. */
  readonly dictionary: readonly string[];
  /** Inputs that parts are taken from. */
  readonly donors: readonly Buffer[];
}

type Change = (bytes: Buffer) => Buffer;

const MAX_CHANGES = 8;
/** No change makes an input longer than this. */
const MAX_BYTES = 64 * 1024;

export function createMutator({ seed, dictionary, donors }: MutatorOptions): Mutator {
  const next = drawFrom(seed);
  const integer = (below: number): number => Math.floor(next() * below);
  const pick = <T>(items: readonly T[]): T => items[integer(items.length)] as T; // callers pass filled lists
  const place = (bytes: Buffer): number => integer(bytes.length + 1);
  const range = (bytes: Buffer): [number, number] => {
    const from = place(bytes);
    return [from, Math.min(bytes.length, from + 1 + integer(pick([2, 8, 64, 512])))];
  };
  const insert = (bytes: Buffer, piece: Buffer): Buffer => {
    const at = place(bytes);
    return Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(at)]);
  };
  const changes: readonly Change[] = [
    (bytes) => {
      const copy = Buffer.from(bytes);
      if (copy.length > 0) copy[integer(copy.length)] = integer(256);
      return copy;
    },
    (bytes) => insert(bytes, Buffer.from(pick(dictionary), 'latin1')),
    (bytes) => {
      const [from, to] = range(bytes);
      return Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)]);
    },
    (bytes) => {
      const [from, to] = range(bytes);
      const copies = Array.from({ length: 1 + integer(pick([2, 20])) }, () => bytes.subarray(from, to));
      return Buffer.concat([bytes.subarray(0, to), ...copies, bytes.subarray(to)]);
    },
    (bytes) => {
      const donor = pick(donors);
      const [from, to] = range(donor);
      return insert(bytes, donor.subarray(from, to));
    },
    (bytes) => replaceNumber(bytes, pick(NUMBERS), next()),
    (bytes) => bytes.subarray(0, place(bytes)),
  ];
  return {
    integer,
    pick,
    mutate: (bytes) => {
      let changed = bytes;
      for (let left = 1 + integer(MAX_CHANGES); left > 0; left -= 1) changed = pick(changes)(changed);
      return changed.subarray(0, MAX_BYTES);
    },
  };
}

const NUMBERS = [
  '0',
  '-1',
  '1e309',
  '2147483648',
  '9007199254740993',
  '18446744073709551616',
  '0x10',
  '00',
  '1.',
  'NaN',
];

/** Replaces one run of digits, the one at the given part of all. */
function replaceNumber(bytes: Buffer, by: string, part: number): Buffer {
  const text = bytes.toString('latin1');
  const runs = [...text.matchAll(/\d+/g)];
  const run = runs[Math.floor(part * runs.length)];
  if (run === undefined) return bytes;
  return Buffer.from(text.slice(0, run.index) + by + text.slice(run.index + run[0].length), 'latin1');
}

/** Uniform in [0, 1): the SHA-256 digests of the seed and a counter, four bytes a number. */
function drawFrom(seed: string): () => number {
  let digest = Buffer.alloc(0);
  let offset = 0;
  let block = 0;
  return () => {
    if (offset >= digest.length) {
      digest = createHash('sha256').update(`${seed} ${block}`).digest();
      block += 1;
      offset = 0;
    }
    offset += 4;
    return digest.readUInt32BE(offset - 4) / 2 ** 32;
  };
}
