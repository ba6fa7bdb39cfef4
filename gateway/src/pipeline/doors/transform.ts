/** The stream of a chat as that of a door's client. */
import { isObject } from '@gatehouse/crds';
import type { AppError } from '../../errors/index.ts';
import { readJson } from '../../lib/json/index.ts';
import type { AnswerReport } from '../../usage/index.ts';
import { createFrameReader } from '../../wire/framing/index.ts';
import { objectAt, textAt } from '../../wire/json/json.ts';
import type { ByteTransform } from '../../wire/transform/index.ts';
import type { CacheWriter } from '../exchange.ts';
import type { DoorStream } from './door.ts';

const UNNAMED = 'The provider reported an error in its stream';

/** What the client is told of a broken stream: nothing that its row does not expose. */
const messageOf = ({ row, message }: AppError): string => (row.expose ? message : row.summary);

export class DoorTransform implements ByteTransform {
  /** Lines of JSON have no comments. */
  readonly takesComments = false;
  readonly #inner: ByteTransform | undefined;
  readonly #stream: DoorStream;
  readonly #store: CacheWriter | undefined;
  readonly #reader = createFrameReader('sse');
  #isOver = false;

  /** `inner`: makes the chat stream of the provider's bytes; `store`: gets the chat stream. */
  constructor(inner: ByteTransform | undefined, stream: DoorStream, store: CacheWriter | undefined) {
    this.#inner = inner;
    this.#stream = stream;
    this.#store = store;
  }

  get broken(): AppError | undefined {
    return this.#inner?.broken;
  }

  push(bytes: Buffer): string | undefined {
    const text = this.#read(this.#inner === undefined ? bytes : this.#inner.push(bytes));
    return text === '' ? undefined : text;
  }

  end(): string {
    let text = this.#read(this.#inner?.end());
    for (const { data } of this.#reader.end()) text += this.#take(data);
    if (this.#isOver) return text;
    this.#isOver = true;
    return text + this.#stream.end();
  }

  fail(error: AppError): string {
    if (this.#isOver) return '';
    this.#isOver = true;
    return this.#stream.fail(messageOf(error));
  }

  report(): AnswerReport {
    return this.#inner?.report() ?? { usage: undefined, model: undefined };
  }

  sample(): string {
    return this.#inner?.sample?.() ?? '';
  }

  #read(piece: Buffer | string | undefined): string {
    if (piece === undefined || piece.length === 0) return '';
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
    this.#store?.push(bytes);
    let text = '';
    for (const { data } of this.#reader.push(bytes)) text += this.#take(data);
    return text;
  }

  #take(data: string): string {
    if (this.#isOver || !data.trimStart().startsWith('{')) return ''; // [DONE]
    const chunk = readJson(data);
    if (!isObject(chunk)) return '';
    const { error } = chunk;
    if (error === undefined || error === null) return this.#stream.push(chunk);
    this.#isOver = true;
    return this.#stream.fail(
      textAt(objectAt(chunk, 'error'), 'message') ?? (typeof error === 'string' ? error : UNNAMED),
    );
  }
}
