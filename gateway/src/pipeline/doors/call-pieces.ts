/** Calls of tools that are put together from the pieces of a stream. */
import type { JsonObject } from '../../wire/contract.ts';
import { numberAt, objectAt, textAt, withoutAbsent } from '../../wire/json/json.ts';

/** Bounds of what a provider may make one answer hold. */
const MAX_CHARS = 4 * 1024 * 1024;
const MAX_CALLS = 1_000;

interface Call {
  readonly id: string;
  name: string;
  json: string;
  /** The first that is given: of Gemini. */
  signature: string | undefined;
}

export class CallPieces {
  readonly #calls: Call[] = [];
  /** The latest call at each position. */
  readonly #at = new Map<number, Call>();
  #chars = 0;

  get isOverfull(): boolean {
    return this.#chars > MAX_CHARS || this.#calls.length > MAX_CALLS;
  }

  /** A position that is used again with another id is another call. */
  add(pieces: readonly JsonObject[]): void {
    for (const [place, piece] of pieces.entries()) {
      const index = numberAt(piece, 'index') ?? place;
      const id = textAt(piece, 'id') ?? '';
      const known = this.#at.get(index);
      const call = known !== undefined && (id === '' || id === known.id) ? known : this.#begin(index, id);
      const called = objectAt(piece, 'function');
      const json = textAt(called, 'arguments') ?? '';
      if (call.name === '') call.name = textAt(called, 'name') ?? '';
      call.json += json;
      call.signature ??= textAt(called, 'thought_signature');
      this.#chars += json.length + call.name.length + (call.signature?.length ?? 0);
    }
  }

  whole(): readonly JsonObject[] {
    return this.#calls.map(({ id, name, json, signature }) => ({
      id,
      type: 'function',
      function: withoutAbsent({ name, arguments: json, thought_signature: signature }),
    }));
  }

  #begin(index: number, id: string): Call {
    const call: Call = { id, name: '', json: '', signature: undefined };
    this.#calls.push(call);
    this.#at.set(index, call);
    return call;
  }
}
