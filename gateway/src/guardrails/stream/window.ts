/** The text of an answer in windows: what has been checked is released, and what a match may still need is held back. */
import type { NewText, Release } from './event-queue.ts';

/** Characters that a match may span over the border of two windows. */
export const OVERLAP_CHARS = 256;
/** Characters in which the border of a window is moved back to the end of a word. */
const WORD_CHARS = 64;
/** Characters that are held, beside two windows, while matches follow each other without a gap; then they leave as checked. */
const MAX_HELD_CHARS = 4 * 1024;
const SPACE = /\s/;

/** What the checks say of the texts of one window. */
export type WindowVerdict<D> =
  /** `texts`: instead of those that were checked, by position; undefined: they stay. */
  | { readonly kind: 'pass'; readonly texts?: readonly (string | undefined)[] | undefined }
  | { readonly kind: 'deny'; readonly denial: D };

export interface WindowOptions<D> {
  /** New characters that one window has. */
  readonly size: number;
  /** Whether the checks may change texts, so that no part of a match may leave before the rest is known. */
  readonly changesTexts: boolean;
  check(texts: readonly string[]): Promise<WindowVerdict<D>>;
}

export type WindowStep<D> =
  | { readonly kind: 'release'; readonly releases: readonly (Release & { readonly part: string })[] }
  | { readonly kind: 'deny'; readonly denial: D };

/** The text of one part that is not done with. */
interface Segment {
  readonly part: string;
  /** In the window: from `released` on it is held. */
  text: string;
  released: number;
  /** Behind the window. */
  next: string;
  isEnded: boolean;
}

/** One per stream. The windows depend on the texts only, not on the pieces in which they come. */
export class TextWindows<D> {
  readonly #options: WindowOptions<D>;
  #segments: Segment[] = [];
  #waiting = 0;

  constructor(options: WindowOptions<D>) {
    this.#options = options;
  }

  add({ part, text }: Pick<NewText, 'part' | 'text'>): void {
    this.#waiting += text.length;
    const open = this.#segments.findLast((segment) => segment.part === part && !segment.isEnded);
    if (open === undefined) this.#segments.push({ part, text: '', released: 0, next: text, isEnded: false });
    else open.next += text;
  }

  /** The parts have no more text for now: what is held of them is checked as it is. */
  end(parts: readonly string[] | 'all'): void {
    for (const segment of this.#segments) {
      if (parts === 'all' || parts.includes(segment.part)) segment.isEnded = true;
    }
  }

  /** Whether there is a window to check. */
  get isDue(): boolean {
    return this.#waiting >= this.#options.size || this.#segments.some(({ isEnded }) => isEnded);
  }

  /** Checks the next window. */
  async step(): Promise<WindowStep<D>> {
    const window = this.#fill();
    const texts = window.map(({ text }) => text);
    const isNew = window.some(({ text, released }) => released < text.length);
    const verdict = isNew ? await this.#options.check(texts) : PASSED;
    if (verdict.kind === 'deny') return verdict;
    const releases: (Release & { part: string })[] = [];
    for (const [i, segment] of window.entries()) {
      const release = await this.#settle(segment, verdict.texts?.[i] ?? segment.text);
      if (release.length > 0) releases.push({ part: segment.part, ...release });
    }
    this.#segments = this.#segments.filter((segment) => !isDone(segment));
    return { kind: 'release', releases };
  }

  /** Moves the next characters into the window. Returns its segments. */
  #fill(): Segment[] {
    let left = this.#options.size;
    const window: Segment[] = [];
    for (const segment of this.#segments) {
      if (left === 0) break;
      const taken = Math.min(left, segment.next.length);
      left -= taken;
      this.#take(segment, taken === segment.next.length && segment.isEnded ? taken : wholeWords(segment, taken));
      window.push(segment);
    }
    return window;
  }

  #take(segment: Segment, length: number): void {
    segment.text += segment.next.slice(0, length);
    segment.next = segment.next.slice(length);
    this.#waiting -= length;
  }

  async #settle(segment: Segment, now: string): Promise<Release> {
    const { text, released } = segment;
    if (!this.#options.changesTexts) {
      keep(segment, isWhole(segment) ? text.length : contextStart(text), text.length);
      return { length: text.length - released };
    }
    if (isWhole(segment)) {
      keep(segment, text.length, text.length);
      return changed(text, now);
    }
    const release = await this.#partly(text, now);
    keep(segment, release.length, release.length);
    return release;
  }

  /** As much of a text that goes on as can no longer be part of a match. */
  async #partly(text: string, now: string): Promise<Release> {
    const end = text.length - OVERLAP_CHARS;
    if (end <= 0) return NOTHING;
    if (text.length > 2 * this.#options.size + MAX_HELD_CHARS) return changed(text, now);
    const kept = text === now ? text.length : sameEnd(text, now);
    if (kept >= OVERLAP_CHARS) {
      const cut = Math.max(wordEnd(text, end), text.length - kept);
      return changed(text.slice(0, cut), now.slice(0, now.length - (text.length - cut)));
    }
    // A change is too near: the text before it may leave if its checks change it in the same way without what follows.
    const start = text.slice(0, wordEnd(text, end));
    const alone = await this.#options.check([start]);
    const before = alone.kind === 'pass' ? (alone.texts?.[0] ?? start) : undefined;
    return before !== undefined && now.startsWith(before) ? changed(start, before) : NOTHING;
  }
}

const PASSED = { kind: 'pass', texts: undefined } as const;
const NOTHING: Release = { length: 0 };

/** Whether all text of the part is in the window. */
const isWhole = ({ isEnded, next }: Segment): boolean => isEnded && next === '';
const isDone = (segment: Segment): boolean => isWhole(segment) && segment.text === '';

/** Forgets the text before `from`; what is before `released` has left. */
function keep(segment: Segment, from: number, released: number): void {
  const start = Math.max(0, Math.min(from, segment.text.length));
  segment.text = segment.text.slice(start);
  segment.released = released - start;
}

const changed = (text: string, now: string): Release =>
  text === now ? { length: text.length } : { length: text.length, text: now };

/** As many of the next characters as end with a word, or all where none ends nearby. */
function wholeWords({ text, next }: Segment, length: number): number {
  const end = wordEnd(text + next.slice(0, length), text.length + length);
  return end > text.length ? end - text.length : length;
}

/** Where text that has left, and is looked at again, begins. */
const contextStart = (text: string): number => wordEnd(text, text.length - OVERLAP_CHARS);

/** The end of the last word before `end`, or `end` where there is none nearby. */
function wordEnd(text: string, end: number): number {
  for (let at = end; at > 0 && at > end - WORD_CHARS; at -= 1) {
    if (SPACE.test(text[at - 1] ?? '')) return at;
  }
  return Math.max(0, splitsPair(text, end) ? end - 1 : end);
}

/** Whether the halves of a surrogate pair are on both sides. */
const splitsPair = (text: string, at: number): boolean => /^[\ud800-\udbff]$/.test(text[at - 1] ?? '');

function sameEnd(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let same = 0;
  while (same < most && a[a.length - 1 - same] === b[b.length - 1 - same]) same += 1;
  return same;
}
