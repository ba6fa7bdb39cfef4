/** What is known of a text that events may repeat: not the text. */
import { createHash, type Hash } from 'node:crypto';

/** Bytes of an edit, beside its text. */
const EDIT_BYTES = 64;
/** No text has it. */
const UNKNOWN = '';

interface Edit {
  /** In the text as it came, in characters. */
  readonly at: number;
  readonly length: number;
  readonly text: string;
}

/** The text of one part: a digest of it as it came, and what was changed in it. */
export class PartText {
  #open: Hash | undefined;
  #digest: string | undefined;
  #released = 0;
  readonly #edits: Edit[] = [];

  /** More of it has come. */
  add(text: string): void {
    if (this.#digest === undefined) this.#open = (this.#open ?? createHash('sha256')).update(text, 'utf16le');
    else this.#digest = UNKNOWN;
  }

  /** Whether a text is the one that has come. */
  is(text: string): boolean {
    this.#digest ??= this.#open?.digest('base64') ?? UNKNOWN;
    this.#open = undefined;
    return this.#digest === digestOf(text);
  }

  /** The next characters have left, as they were or as another text. Returns the bytes that are kept of it. */
  release(length: number, text: string | undefined): number {
    const at = this.#released;
    this.#released += length;
    if (text === undefined) return 0;
    this.#edits.push({ at, length, text });
    return EDIT_BYTES + Buffer.byteLength(text);
  }

  /** What has left of it; `text`: what has come. */
  said(text: string): string {
    let out = '';
    let from = 0;
    for (const edit of this.#edits) {
      if (edit.at >= text.length) break;
      out += text.slice(from, edit.at) + edit.text;
      from = edit.at + edit.length;
    }
    return from === 0 ? text : out + text.slice(from);
  }
}

export const digestOf = (text: string): string => createHash('sha256').update(text, 'utf16le').digest('base64');
