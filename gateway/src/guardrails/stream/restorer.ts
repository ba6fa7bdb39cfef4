/** Placeholders of a request, replaced in its answer by the texts they stand for. */
import { AppError } from '../../errors/index.ts';
import type { Steps } from '../../lib/steps.ts';
import type { Restorable } from '../contract.ts';
import type { Release } from './event-queue.ts';

/** As in [EMAIL_ADDRESS_1]: all placeholders have this form. */
const PLACEHOLDER = /\[[A-Z][A-Z_]{0,31}_\d{1,9}\]/y;
/** The beginning of one that goes on. */
const OPEN = /^\[(?:[A-Z][A-Z_]{0,32}\d{0,9})?$/;
const MAX_CHARS = 44;
/** Text that is put into one answer, in characters: a short placeholder may stand for a long key, many times over. */
export const MAX_RESTORED_CHARS = 4 * 1024 * 1024;
/** Places that are looked at between two pauses. */
const CHUNK = 2_048;

/** How a text is written where it is put. */
export type Spell = (text: string) => string;
const asIs: Spell = (text) => text;

/** How a text is written inside the JSON text of a tool's arguments. */
export const insideJson: Spell = (text) => JSON.stringify(text).slice(1, -1);

/** One per answer. */
export class Restorer {
  readonly #values: Restorable;
  #left: number;
  #looked = 0;

  constructor(values: Restorable, maxChars: number = MAX_RESTORED_CHARS) {
    this.#values = values;
    this.#left = maxChars;
  }

  /** A whole text with its placeholders replaced; the text itself where it has none. Throws UPSTREAM_TOO_LARGE. */
  *restore(text: string, spell: Spell = asIs): Steps<string> {
    let out = '';
    let from = 0;
    for (let at = text.indexOf('['); at >= 0; at = text.indexOf('[', at)) {
      if (this.isPauseDue()) yield;
      const placeholder = placeholderAt(text, at);
      const instead = placeholder && this.textOf(placeholder, spell);
      if (placeholder === undefined || instead === undefined) {
        at += 1;
        continue;
      }
      out += text.slice(from, at) + instead;
      at += placeholder.length;
      from = at;
    }
    return from === 0 ? text : out + text.slice(from);
  }

  /** For a text that comes in pieces. */
  reader(spell: Spell = asIs): PlaceholderReader {
    return new PlaceholderReader(this, spell);
  }

  /** Asked for each place that is looked at. */
  isPauseDue(): boolean {
    this.#looked += 1;
    return this.#looked % CHUNK === 0;
  }

  /** Undefined: it is none of the request. Throws UPSTREAM_TOO_LARGE. */
  textOf(placeholder: string, spell: Spell): string | undefined {
    const value = this.#values.get(placeholder);
    if (value === undefined) return undefined;
    const text = spell(value);
    this.#left -= text.length;
    if (this.#left < 0) throw tooLarge();
    return text;
  }
}

function placeholderAt(text: string, at: number): string | undefined {
  PLACEHOLDER.lastIndex = at;
  return PLACEHOLDER.exec(text)?.[0];
}

const isOpen = (text: string, at: number): boolean => text.length - at <= MAX_CHARS && OPEN.test(text.slice(at));

const tooLarge = (): AppError =>
  new AppError('UPSTREAM_TOO_LARGE', {
    detail: `What the placeholders of the answer stand for has more than ${MAX_RESTORED_CHARS} characters`,
  });

class PlaceholderReader {
  readonly #restorer: Restorer;
  readonly #spell: Spell;
  /** The start of what may be a placeholder. */
  #held = '';

  constructor(restorer: Restorer, spell: Spell) {
    this.#restorer = restorer;
    this.#spell = spell;
  }

  push(text: string): Release[] {
    return this.#read(this.#held + text, false);
  }

  /** Nothing follows for now: what is held is no placeholder. */
  end(): Release[] {
    return this.#read(this.#held, true);
  }

  #read(text: string, isLast: boolean): Release[] {
    const releases: Release[] = [];
    let from = 0;
    let end = text.length;
    for (let at = text.indexOf('['); at >= 0; at = text.indexOf('[', at)) {
      const placeholder = placeholderAt(text, at);
      const instead = placeholder && this.#restorer.textOf(placeholder, this.#spell);
      if (placeholder !== undefined && instead !== undefined) {
        if (at > from) releases.push({ length: at - from });
        releases.push({ length: placeholder.length, text: instead });
        at += placeholder.length;
        from = at;
        continue;
      }
      if (!isLast && isOpen(text, at)) {
        end = at;
        break;
      }
      at += 1;
    }
    if (end > from) releases.push({ length: end - from });
    this.#held = text.slice(end);
    return releases;
  }
}
