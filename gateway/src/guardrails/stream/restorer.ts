/** Placeholders of a request, replaced in its answer by the texts they stand for. */
import type { Restorable } from '../contract.ts';
import type { Release } from './event-queue.ts';

interface Node {
  readonly next: Map<number, Node>;
  /** The text of the placeholder that ends here. */
  text: string | undefined;
}

/** The placeholders of one request. */
export class Placeholders {
  readonly #root: Node;

  constructor(restorable: Restorable) {
    this.#root = { next: new Map(), text: undefined };
    for (const [placeholder, text] of restorable) this.#add(placeholder, text);
  }

  #add(placeholder: string, text: string): void {
    if (placeholder === '') return;
    let node = this.#root;
    for (let i = 0; i < placeholder.length; i += 1) {
      const code = placeholder.charCodeAt(i);
      const next = node.next.get(code) ?? { next: new Map(), text: undefined };
      node.next.set(code, next);
      node = next;
    }
    node.text = text;
  }

  /** A whole text with its placeholders replaced. `spell`: how a text is written where it is put. */
  restore(text: string, spell: (text: string) => string = asIs): string {
    const reader = this.reader(spell);
    let at = 0;
    let out = '';
    for (const release of [...reader.push(text), ...reader.end()]) {
      out += release.text ?? text.slice(at, at + release.length);
      at += release.length;
    }
    return out;
  }

  /** For a text that comes in pieces. */
  reader(spell: (text: string) => string = asIs): PlaceholderReader {
    return new PlaceholderReader(this.#root, spell);
  }
}

const asIs = (text: string): string => text;

/** How a text is written inside the JSON text of a tool's arguments. */
export const insideJson = (text: string): string => JSON.stringify(text).slice(1, -1);

type Found = { readonly length: number; readonly text: string } | 'open' | undefined;

class PlaceholderReader {
  readonly #root: Node;
  readonly #spell: (text: string) => string;
  /** The start of what may be a placeholder. */
  #held = '';

  constructor(root: Node, spell: (text: string) => string) {
    this.#root = root;
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
    let at = 0;
    for (; at < text.length; ) {
      const found = this.#find(text, at, isLast);
      if (found === 'open') break;
      if (found === undefined) {
        at += 1;
        continue;
      }
      if (at > from) releases.push({ length: at - from });
      releases.push({ length: found.length, text: this.#spell(found.text) });
      at += found.length;
      from = at;
    }
    if (at > from) releases.push({ length: at - from });
    this.#held = text.slice(at);
    return releases;
  }

  /** The longest placeholder that begins here. `open`: more text decides. */
  #find(text: string, from: number, isLast: boolean): Found {
    let node: Node | undefined = this.#root;
    let longest: Found;
    for (let at = from; at < text.length; at += 1) {
      node = node.next.get(text.charCodeAt(at));
      if (node === undefined) return longest;
      if (node.text !== undefined) longest = { length: at + 1 - from, text: node.text };
    }
    return isLast || node.next.size === 0 ? longest : 'open';
  }
}
