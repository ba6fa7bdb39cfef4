/** The JSON of a text that a check decides on: docs/behaviour/guardrails.md#checks-of-json. */
import type { Steps } from '../../../lib/steps.ts';
import { undecided } from '../../answers.ts';
import type { CheckAnswer } from '../../contract.ts';
import { type FoundJson, JsonReader, MAX_CONTAINERS } from './json-reader.ts';

export interface Candidates {
  /** In the order in which they are tried. */
  readonly found: readonly FoundJson[];
  /** There is something that might have been meant as JSON. */
  readonly isMeant: boolean;
}

interface Region {
  readonly start: number;
  readonly end: number;
}

/** Characters that are looked at without a pause: two or three ms. */
const SLICE_CHARS = 65_536;
/** What a block costs at least, in characters: what is no JSON throws. */
const BLOCK_CHARS = 512;

const FENCE = '```';
const TAG = /(?:json)?(?![\w+#])/iy;
const SCALAR_BEGIN = /^["\d\-tfn]/;

/**
 * The whole text where it is JSON; otherwise blocks of code, then objects and lists anywhere. `exhausted`: there are more of them than
 * are read.
 */
export function* findJson(text: string): Steps<Candidates | 'exhausted'> {
  const reader = new JsonReader(text);
  for (let until = SLICE_CHARS; !reader.read(until); until += SLICE_CHARS) yield;
  if (reader.isExhausted) return 'exhausted';
  const all = trimmed(text, { start: 0, end: text.length });
  const [first] = reader.found;
  const whole = first?.start === all.start && first.end === all.end ? first : scalarOf(text, all);
  if (whole !== undefined) return { found: [whole], isMeant: true };
  const blocks = yield* jsonBlocks(text);
  const found = yield* blocksFirst(text, reader.found, blocks);
  return { found, isMeant: found.length > 0 || blocks.length > 0 || reader.hasBroken };
}

export const tooManyValues = (): CheckAnswer =>
  undecided({ name: 'JsonTooCostly', message: `the text has more than ${MAX_CONTAINERS} objects and lists` });

function* blocksFirst(text: string, found: readonly FoundJson[], blocks: readonly Region[]): Steps<FoundJson[]> {
  if (blocks.length === 0) return [...found];
  const inBlocks: FoundJson[] = [];
  const others: FoundJson[] = [];
  let next = 0;
  let work = 0;
  for (const block of blocks) {
    if (work > SLICE_CHARS) {
      yield;
      work = 0;
    }
    for (; (found[next]?.start ?? block.start) < block.start; next += 1) others.push(...found.slice(next, next + 1));
    const from = next;
    for (; (found[next]?.start ?? block.end) < block.end; next += 1) inBlocks.push(...found.slice(next, next + 1));
    const scalar = from === next ? scalarOf(text, trimmed(text, block)) : undefined;
    if (scalar !== undefined) inBlocks.push(scalar);
    work += BLOCK_CHARS + block.end - block.start;
  }
  return [...inBlocks, ...others, ...found.slice(next)];
}

/** The insides of blocks of code that are tagged as JSON or not at all. */
function* jsonBlocks(text: string): Steps<Region[]> {
  const blocks: Region[] = [];
  let looked = 0;
  for (let at = text.indexOf(FENCE); at >= 0; looked += 1) {
    if (looked % SLICE_BLOCKS === SLICE_BLOCKS - 1) yield;
    TAG.lastIndex = at + FENCE.length;
    const tag = TAG.exec(text)?.[0];
    const end = text.indexOf(FENCE, at + FENCE.length);
    if (end < 0) break;
    if (tag !== undefined) blocks.push({ start: at + FENCE.length + tag.length, end });
    at = text.indexOf(FENCE, end + FENCE.length);
  }
  return blocks;
}

/** Blocks that are looked for without a pause. */
const SLICE_BLOCKS = 10_000;

function scalarOf(text: string, { start, end }: Region): FoundJson | undefined {
  const written = text.slice(start, end);
  if (!SCALAR_BEGIN.test(written)) return undefined;
  try {
    return { value: JSON.parse(written), start, end };
  } catch {
    return undefined;
  }
}

function trimmed(text: string, { start, end }: Region): Region {
  const inside = text.slice(start, end);
  const begin = start + inside.length - inside.trimStart().length;
  return { start: begin, end: begin + inside.trim().length };
}
