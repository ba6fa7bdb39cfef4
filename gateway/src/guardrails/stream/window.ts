/** The text of an answer in windows: what has been checked is released, and what a match may still need is held back. */
import { AppError } from '../../errors/index.ts';
import { openRunStart, sameEnd, sameStart, splitsPair, splitsRun, wordEnd } from './borders.ts';
import type { NewText, Release } from './event-queue.ts';

/** Characters that a match may span over the border of two windows: they are looked at again, and held where texts change. */
export const OVERLAP_CHARS = 256;
/** Longest key or token that is held, in characters, while it goes on. */
const MAX_RUN_CHARS = 4 * 1024;
/** Characters that are held, beside two windows, while a match goes on; then the stream is cut. */
export const MAX_HELD_CHARS = 20 * 1024;
/** Most characters of a window that is longer than asked for. */
const MAX_MORE_CHARS = 2 * 1024;
/** Characters that have left and are looked at again, beside a window, at most. */
const MAX_CONTEXT_CHARS = 4 * 1024;

/** As in [EMAIL_ADDRESS_1] and <Person 1>. */
const NUMBER = /(?<=[A-Za-z][_ -]?)\d{1,9}(?=[\]>}])/g;

/** What the checks say of the texts of one window. */
export type WindowVerdict<D> =
  /** `texts`: instead of those that were checked, by position; undefined: they stay. */
  | {
      readonly kind: 'pass';
      readonly texts?: readonly (string | undefined)[] | undefined;
      /** Told what has left of a changed text last, with what left before it. */
      readonly released?: (text: string) => void;
    }
  | { readonly kind: 'deny'; readonly denial: D };

export interface WindowOptions<D> {
  /** New characters that one window has. */
  readonly size: number;
  /** Whether the checks may change texts, so that no part of a match may leave before the rest is known. */
  readonly changesTexts: boolean;
  /** `goesOn`: more text may follow at the ends. */
  check(texts: readonly string[], goesOn: boolean): Promise<WindowVerdict<D>>;
}

export type WindowStep<D> =
  | { readonly kind: 'release'; readonly releases: readonly (Release & { readonly part: string })[] }
  | { readonly kind: 'deny'; readonly denial: D };

/** The text of one part that is not done with. */
interface Segment {
  readonly part: string;
  /** In the window: what is before `released` has left as `out`, the rest is held. */
  text: string;
  released: number;
  out: string;
  /** Where what left ended: the window may begin there. */
  borders: readonly Border[];
  /** Behind the window. */
  next: string;
  isEnded: boolean;
}

interface Border {
  /** In the text, and in what has left. */
  readonly at: number;
  readonly outAt: number;
  /** No change touches it. */
  readonly isClear: boolean;
}

/** How much of what is held may leave, and as what. */
interface Cut {
  readonly length: number;
  readonly text: string;
  /** No change touches its end. */
  readonly isClear: boolean;
}

/** One per stream. The windows depend on the texts only, not on the pieces in which they come. */
export class TextWindows<D> {
  readonly #options: WindowOptions<D>;
  #segments: Segment[] = [];
  /** Those that are not ended, by part. */
  readonly #open = new Map<string, Segment>();
  #waiting = 0;
  /** Segments that are ended are checked, however few they are. */
  #isPressing = false;

  constructor(options: WindowOptions<D>) {
    this.#options = options;
  }

  add({ part, text }: Pick<NewText, 'part' | 'text'>): void {
    this.#waiting += text.length;
    const open = this.#open.get(part);
    if (open !== undefined) {
      open.next += text;
      return;
    }
    const segment = { part, text: '', released: 0, out: '', borders: [], next: text, isEnded: false };
    this.#segments.push(segment);
    this.#open.set(part, segment);
  }

  /** The parts have no more text for now: what is held of them is checked as it is. */
  end(parts: readonly string[] | 'all'): void {
    this.wait(parts);
    this.#isPressing = this.#segments.some(({ isEnded }) => isEnded);
  }

  /** As `end`, but the parts may wait for the next window. */
  wait(parts: readonly string[] | 'all'): void {
    for (const part of parts === 'all' ? [...this.#open.keys()] : parts) {
      const segment = this.#open.get(part);
      if (segment === undefined) continue;
      segment.isEnded = true;
      this.#open.delete(part);
    }
  }

  /** Whether there is a window to check. */
  get isDue(): boolean {
    return this.#waiting >= this.#nextChars || this.#isPressing;
  }

  /** New characters of the next window: more while much is held, so that the work stays in proportion to the text. */
  get #nextChars(): number {
    const held = this.#segments.reduce((most, { text, released }) => Math.max(most, text.length - released), 0);
    const more = Math.min(Math.floor((held - 2 * OVERLAP_CHARS) / 4), MAX_MORE_CHARS);
    return Math.max(this.#options.size, more);
  }

  /** Checks the next window. Rejects with UPSTREAM_STREAM_BROKEN where it stays open what the checks change. */
  async step(): Promise<WindowStep<D>> {
    const window = this.#fill();
    const texts = window.map(({ text }) => text);
    const isNew = window.some(({ text, released }) => released < text.length);
    const verdict = isNew ? await this.#options.check(texts, !window.every(isWhole)) : PASSED;
    if (verdict.kind === 'deny') return verdict;
    const releases: (Release & { part: string })[] = [];
    for (const [i, segment] of window.entries()) {
      const release = await this.#settle(segment, verdict.texts?.[i] ?? segment.text);
      if (release.length > 0) verdict.released?.(segment.out);
      if (release.length > 0) releases.push({ part: segment.part, ...release });
    }
    this.#segments = this.#segments.filter((segment) => !isDone(segment));
    this.#isPressing &&= this.#segments.some(({ isEnded }) => isEnded);
    return { kind: 'release', releases };
  }

  /** Moves the next characters into the window. Returns its segments: those that end in it, or those that go on. */
  #fill(): Segment[] {
    const ended = this.#taken(({ isEnded, next }, left) => isEnded && next.length <= left);
    return ended.length > 0 ? ended : this.#taken(() => true);
  }

  #taken(isMeant: (segment: Segment, left: number) => boolean): Segment[] {
    let left = this.#nextChars;
    const window: Segment[] = [];
    for (const segment of this.#segments) {
      if (left === 0) break;
      if (!isMeant(segment, left)) continue;
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
      forget(segment, isWhole(segment) ? text.length : Math.max(0, wordEnd(text, text.length - OVERLAP_CHARS)));
      segment.released = segment.text.length;
      return { length: text.length - released };
    }
    const rest = await this.#heldOf(segment, now);
    const cut = rest === undefined ? undefined : await this.#cut(segment, now, rest);
    if (cut !== undefined) return leave(segment, cut);
    const most = isWhole(segment) ? 0 : MAX_HELD_CHARS + 2 * this.#options.size;
    if (text.length - released > most) throw undecided();
    return NOTHING;
  }

  /** What the checks make of the text that is held; undefined: they change it together with text that has left. */
  async #heldOf(segment: Segment, now: string): Promise<string | undefined> {
    const { text, released, out } = segment;
    if (now.startsWith(out)) return now.slice(out.length);
    const held = text.slice(released);
    if (now.endsWith(held)) return held;
    const before = await this.#split(segment, released, now);
    return before === undefined ? undefined : now.slice(before.length);
  }

  /** As much of what is held as can no longer be part of a match. */
  async #cut(segment: Segment, now: string, rest: string): Promise<Cut | undefined> {
    const { text, released } = segment;
    const held = text.slice(released);
    if (isWhole(segment)) return { length: held.length, text: rest, isClear: true };
    const known = text.length - OVERLAP_CHARS;
    if (known <= released) return undefined;
    const end = openRunStart(text, known, { from: released, most: MAX_RUN_CHARS }) - released;
    const word = wordEnd(text, released + end) - released;
    const changedTo = held === rest ? 0 : held.length - sameEnd(held, rest);
    if (changedTo <= end && end > 0) {
      const length = Math.max(word, changedTo);
      return cutAt(held, length, {
        text: rest.slice(0, rest.length - (held.length - length)),
        isClear: length > changedTo,
      });
    }
    if (word <= 0) return undefined;
    // A change is too near: what is before all changes may leave, or before a place that no change spans.
    const same = sameStart(held, rest);
    const unchanged = wordEnd(held, Math.min(word, same));
    if (unchanged > 0) return cutAt(held, unchanged, { text: held.slice(0, unchanged), isClear: unchanged < same });
    const left = now.length - rest.length;
    for (const at of splitsOf(held, word)) {
      const before = await this.#split(segment, released + at, now);
      if (before !== undefined && before.length >= left) return { length: at, text: before.slice(left), isClear: true };
    }
    return undefined;
  }

  /** What the checks make of the text before `at`, where they change both sides as they change the whole: no match spans it. */
  async #split(segment: Segment, at: number, now: string): Promise<string | undefined> {
    const { text } = segment;
    const sides = [text.slice(0, at), text.slice(at)];
    const verdict = await this.#options.check(sides, !isWhole(segment));
    if (verdict.kind === 'deny') return undefined;
    const [before = '', behind = ''] = sides.map((side, i) => verdict.texts?.[i] ?? side);
    return now.startsWith(before) && unnumbered(before + behind) === unnumbered(now) ? before : undefined;
  }
}

/** Where a text may be cut between two changes: at its end, or, where much is held, farther before what goes on there. */
function splitsOf(held: string, last: number): readonly number[] {
  if (held.length <= MAX_RUN_CHARS) return [last];
  const earlier = [2, 4, 8].map((part) => wordEnd(held, Math.floor(last / part)));
  return [last, ...earlier.filter((at) => at > 0)];
}

const PASSED: WindowVerdict<never> = { kind: 'pass' };
const NOTHING: Release = { length: 0 };

/** Whether all text of the part is in the window. */
const isWhole = ({ isEnded, next }: Segment): boolean => isEnded && next === '';
const isDone = (segment: Segment): boolean => isWhole(segment) && segment.text === '';

/** A cut that leaves the halves of a surrogate pair together. */
function cutAt(held: string, length: number, { text, isClear }: Omit<Cut, 'length'>): Cut | undefined {
  if (!splitsPair(held, length)) return { length, text, isClear };
  return length > 1 ? { length: length - 1, text: text.slice(0, -1), isClear } : undefined;
}

function leave(segment: Segment, { length, text: now, isClear }: Cut): Release {
  const { text, released, borders } = segment;
  const at = released + length;
  const before = text.slice(released, at);
  segment.released = at;
  segment.out += now;
  const outAt = segment.out.length;
  const inside = before === now ? wordEnd(text, at - OVERLAP_CHARS) : 0;
  const nearer = inside > released ? [{ at: inside, outAt: outAt - (at - inside), isClear: true }] : [];
  segment.borders = [...borders, ...nearer, { at, outAt, isClear }];
  if (isWhole(segment)) forget(segment, segment.text.length);
  else forgetContext(segment);
  return before === now ? { length } : { length, text: now };
}

/** Keeps as much of what has left as the checks may need to see what follows as they would in the whole. */
function forgetContext(segment: Segment): void {
  const { text, released, borders } = segment;
  const most = released - OVERLAP_CHARS;
  const clear = borders.findLastIndex(({ at, isClear }) => isClear && at <= most && !splitsRun(text, at));
  const last = clear < 0 && most > MAX_CONTEXT_CHARS ? borders.findLastIndex(({ at }) => at <= most) : clear;
  const border = borders[last];
  if (border === undefined) return;
  segment.out = segment.out.slice(border.outAt);
  segment.borders = borders
    .slice(last + 1)
    .map(({ at, outAt, isClear }) => ({ at: at - border.at, outAt: outAt - border.outAt, isClear }));
  forget(segment, border.at);
}

/** Without the numbers of placeholders, which services begin anew for each text. */
const unnumbered = (text: string): string => text.replaceAll(NUMBER, '');

/** Forgets the text before `from`. */
function forget(segment: Segment, from: number): void {
  segment.text = segment.text.slice(from);
  segment.released = Math.max(0, segment.released - from);
}

const undecided = (): AppError =>
  new AppError('UPSTREAM_STREAM_BROKEN', {
    detail: `Guardrails change a text of the answer of which windows cannot see the end within ${MAX_HELD_CHARS} characters`,
  });

/** As many of the next characters as end with a word, or all where none ends nearby. */
function wholeWords({ text, next }: Segment, length: number): number {
  const end = wordEnd(text + next.slice(0, length), text.length + length);
  return end > text.length ? end - text.length : length;
}
