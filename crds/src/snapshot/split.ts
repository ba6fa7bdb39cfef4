/** Splits entries into shards so that an edit changes one shard, and its neighbour where shards split or merge. */
import { hash } from 'node:crypto';
import { canonicalJson } from './canonical.ts';
import { type AnyEntry, SECRET_ENTRY_KINDS } from './entries.ts';
import { renderShard, shardDigest } from './published.ts';

export interface SplitOptions {
  /** The largest shard in bytes. */
  readonly maxBytes?: number;
  /** The largest shard with several entries, in bytes. */
  readonly targetBytes?: number;
}

export interface Shard {
  /** Whether it contains entries of secret kinds; a shard never mixes both. */
  readonly secret: boolean;
  /** SHA-256 of its text, lower-case hex. */
  readonly digest: string;
  /** Length of its text in bytes. */
  readonly bytes: number;
  /** Sorted by id. */
  readonly entries: readonly AnyEntry[];
}

/** An entry that is too large for any shard. */
export interface Oversized {
  readonly id: string;
  /** Size of the shard that it would need. */
  readonly bytes: number;
}

export interface Split {
  readonly shards: readonly Shard[];
  readonly oversized: readonly Oversized[];
  /** Passed to the next call, which then only processes changes. */
  readonly memo: Memo;
}

interface Memo {
  readonly limits: Limits;
  /** Sorted by id. */
  readonly entries: readonly AnyEntry[];
  readonly plain: Group;
  readonly secret: Group;
}

interface Limits {
  readonly maxBytes: number;
  readonly targetBytes: number;
}

const KIB = 1024;
export const MAX_SHARD_BYTES = 256 * KIB;
/**
 * An edit writes one shard and the manifest, and each pod reads both: 64 KiB keeps the sum near its minimum for ten thousand to a
 * hundred thousand entries of a few hundred bytes.
 */
const TARGET_BYTES = 64 * KIB;

/**
 * Distributes entries over shards by the bits of the hash of their id: a shard that grows beyond the target is split in two, two
 * that fit into one are merged. An entry larger than the target has a shard of its own. The result depends only on the
 * entries, not on their order nor on `previous`, which limits the work to what changed. Ids must be unique.
 */
export function splitIntoShards(entries: readonly AnyEntry[], options: SplitOptions = {}, previous?: Split): Split {
  const { maxBytes = MAX_SHARD_BYTES, targetBytes = Math.min(TARGET_BYTES, maxBytes) } = options;
  const limits = { maxBytes, targetBytes };
  const before = previous !== undefined && isSame(previous.memo.limits, limits) ? previous : emptySplit(limits);
  if (before === previous && entries === before.memo.entries) return previous;
  const { sorted, removed, added } = difference(before.memo.entries, entries);
  if (before === previous && removed.length + added.length === 0) return previous;
  const change = (secret: boolean): Change => ({
    removed: removed.filter((entry) => isSecret(entry) === secret).map(hashedIdOf),
    added: added.filter((entry) => isSecret(entry) === secret).map(toSizedEntry),
  });
  const plain = updateGroup(before.memo.plain, change(false), limits);
  const secret = updateGroup(before.memo.secret, change(true), limits);
  return {
    shards: [...shardsOf(plain, limits, false), ...shardsOf(secret, limits, true)],
    oversized: [plain, secret].flatMap(({ alone }) => [...alone.values()].flatMap((leaf) => oversizedOf(leaf, limits))),
    memo: { limits, entries: sorted, plain, secret },
  };
}

const isSame = (a: Limits, b: Limits): boolean => a.maxBytes === b.maxBytes && a.targetBytes === b.targetBytes;

const isSecret = ({ kind }: AnyEntry): boolean => SECRET_ENTRY_KINDS.has(kind);

function emptySplit(limits: Limits): Split {
  const group: Group = { tree: EMPTY, alone: new Map() };
  return { shards: [], oversized: [], memo: { limits, entries: [], plain: group, secret: group } };
}

interface Difference {
  readonly sorted: readonly AnyEntry[];
  readonly removed: readonly AnyEntry[];
  readonly added: readonly AnyEntry[];
}

/** Entries that differ by identity. Ids are compared only where the lists differ, since the rest is sorted already. */
function difference(before: readonly AnyEntry[], after: readonly AnyEntry[]): Difference {
  return walk(before, after) ?? sortedDifference(before, after);
}

function sortedDifference(before: readonly AnyEntry[], after: readonly AnyEntry[]): Difference {
  const sorted = after.toSorted(byId);
  const found = walk(before, sorted);
  if (found === undefined) throw new RangeError('two entries have the same id');
  return found;
}

/** Undefined when the second list is not strictly sorted. */
function walk(before: readonly AnyEntry[], after: readonly AnyEntry[]): Difference | undefined {
  const removed: AnyEntry[] = [];
  const added: AnyEntry[] = [];
  let at = 0;
  let changed = false;
  for (const [index, entry] of after.entries()) {
    if (before[at] === entry) {
      if (changed && !isAfter(entry, after[index - 1])) return undefined;
      changed = false;
      at += 1;
      continue;
    }
    if (!isAfter(entry, after[index - 1])) return undefined;
    changed = true;
    for (let old = before[at]; old !== undefined && old.id <= entry.id && old !== entry; old = before[at]) {
      removed.push(old);
      at += 1;
    }
    if (before[at] === entry) at += 1;
    else added.push(entry);
  }
  removed.push(...before.slice(at));
  return { sorted: after, removed, added };
}

const isAfter = (entry: AnyEntry, other: AnyEntry | undefined): boolean => other === undefined || other.id < entry.id;

const byId = (a: { readonly id: string }, b: { readonly id: string }): number => (a.id < b.id ? -1 : 1);

/** An id with the first 64 bits of its hash, which say in which shard the entry is. */
interface HashedId {
  readonly id: string;
  readonly high: number;
  readonly low: number;
}

const BITS = 64;
const HALF_BITS = 32;

interface SizedEntry extends HashedId {
  readonly entry: AnyEntry;
  /** Size of its canonical JSON. */
  readonly bytes: number;
}

function hashedIdOf({ id }: AnyEntry): HashedId {
  const digest = hash('sha256', id, 'buffer');
  return { id, high: digest.readUInt32BE(0), low: digest.readUInt32BE(4) };
}

const toSizedEntry = (entry: AnyEntry): SizedEntry => ({
  ...hashedIdOf(entry),
  entry,
  bytes: Buffer.byteLength(canonicalJson(entry)),
});

const bitAt = ({ high, low }: HashedId, depth: number): number =>
  (depth < HALF_BITS ? high >>> (HALF_BITS - 1 - depth) : low >>> (BITS - 1 - depth)) & 1;

interface Change {
  readonly removed: readonly HashedId[];
  readonly added: readonly SizedEntry[];
}

/** Entries that may share a shard. */
interface Group {
  readonly tree: Node;
  /** Entries larger than the target, by id. */
  readonly alone: ReadonlyMap<string, Leaf>;
}

/** A tree over the bits of hashed ids. It is immutable: an update creates new nodes on the path to each change. */
type Node = Leaf | Branch;

class Leaf {
  /** Sorted by id. */
  readonly items: readonly SizedEntry[];
  /** Size of the text of its shard; 0 without items. */
  readonly bytes: number;
  #shard: Shard | undefined;

  constructor(items: readonly SizedEntry[]) {
    this.items = items;
    this.bytes = textBytes(items);
  }

  /** Created once: rendering is expensive. */
  shard(secret: boolean): Shard {
    if (this.#shard === undefined) {
      const entries = this.items.map(({ entry }) => entry);
      this.#shard = { secret, digest: shardDigest(renderShard(entries)), bytes: this.bytes, entries };
    }
    return this.#shard;
  }
}

class Branch {
  readonly zero: Node;
  readonly one: Node;
  /** Size of one shard with all items below. */
  readonly bytes: number;

  constructor(zero: Node, one: Node) {
    this.zero = zero;
    this.one = one;
    this.bytes = joinedBytes(zero, one);
  }
}

/** Two brackets, and commas between items. */
const textBytes = (items: readonly SizedEntry[]): number =>
  items.length === 0 ? 0 : items.reduce((sum, { bytes }) => sum + bytes + 1, 1);

/** Joining saves one pair of brackets and adds one comma. */
const joinedBytes = (zero: Node, one: Node): number =>
  zero.bytes === 0 || one.bytes === 0 ? zero.bytes + one.bytes : zero.bytes + one.bytes - 1;

const EMPTY = new Leaf([]);

function updateGroup(group: Group, change: Change, { targetBytes }: Limits): Group {
  if (change.removed.length + change.added.length === 0) return group;
  const alone = new Map(group.alone);
  for (const { id } of change.removed) alone.delete(id);
  const shared: SizedEntry[] = [];
  for (const item of change.added) {
    const leaf = new Leaf([item]);
    if (leaf.bytes > targetBytes) alone.set(item.id, leaf);
    else shared.push(item);
  }
  const inTree = { removed: change.removed.filter(({ id }) => !group.alone.has(id)), added: shared };
  return { tree: updateNode(group.tree, inTree, { depth: 0, targetBytes }), alone };
}

interface Level {
  readonly depth: number;
  readonly targetBytes: number;
}

function updateNode(node: Node, change: Change, level: Level): Node {
  if (change.removed.length + change.added.length === 0) return node;
  if (node instanceof Leaf) return grow(changedItems(node.items, change), level);
  const { depth, targetBytes } = level;
  const below = { depth: depth + 1, targetBytes };
  const part = (bit: number): Change => ({
    removed: change.removed.filter((id) => bitAt(id, depth) === bit),
    added: change.added.filter((id) => bitAt(id, depth) === bit),
  });
  const zero = updateNode(node.zero, part(0), below);
  const one = updateNode(node.one, part(1), below);
  if (joinedBytes(zero, one) > targetBytes) return new Branch(zero, one);
  return new Leaf([...itemsOf(zero), ...itemsOf(one)].sort(byId));
}

function changedItems(items: readonly SizedEntry[], { removed, added }: Change): readonly SizedEntry[] {
  const left = new Set(removed.map(({ id }) => id));
  return [...items.filter(({ id }) => !left.has(id)), ...added].sort(byId);
}

/** The smallest tree whose shards are not larger than the target. */
function grow(items: readonly SizedEntry[], { depth, targetBytes }: Level): Node {
  if (textBytes(items) <= targetBytes || depth === BITS) return new Leaf(items);
  const half = (bit: number): Node =>
    grow(
      items.filter((item) => bitAt(item, depth) === bit),
      { depth: depth + 1, targetBytes },
    );
  return new Branch(half(0), half(1));
}

const itemsOf = (node: Node): readonly SizedEntry[] =>
  node instanceof Leaf ? node.items : [...itemsOf(node.zero), ...itemsOf(node.one)];

function* leavesOf(node: Node): Generator<Leaf> {
  if (node instanceof Leaf) {
    if (node.items.length > 0) yield node;
    return;
  }
  yield* leavesOf(node.zero);
  yield* leavesOf(node.one);
}

function shardsOf({ tree, alone }: Group, { maxBytes }: Limits, secret: boolean): readonly Shard[] {
  const single = [...alone.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, leaf]) => leaf);
  return [...leavesOf(tree), ...single.filter(({ bytes }) => bytes <= maxBytes)].map((leaf) => leaf.shard(secret));
}

function oversizedOf({ items, bytes }: Leaf, { maxBytes }: Limits): readonly Oversized[] {
  return bytes <= maxBytes ? [] : items.map(({ id }) => ({ id, bytes }));
}
