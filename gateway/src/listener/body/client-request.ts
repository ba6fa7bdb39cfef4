import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { memoryExhausted } from '../../errors/index.ts';
import type { ByteAccount } from '../../lib/byte-budget.ts';
import type { JsonLimits } from '../../lib/json/index.ts';
import type { OnRead } from '../../lib/read-memory.ts';
import { isKnownEncoding, isPacked } from '../../lib/unpack.ts';
import type { BodyKind, ClientRequest, RequestBody } from '../../pipeline/index.ts';
import type { FormModel } from '../../wire/contract.ts';
import { boundaryOf, createFormFields, isForm } from '../../wire/form/index.ts';
import { spelledFor } from '../header-aliases.ts';
import { askForBody } from './asked-body.ts';
import type { ProgressRule } from './body-progress.ts';
import { checkFormLength, checkLength, LARGE_BYTES, readBytes } from './read-bytes.ts';
import { parseBody, parseLargeBody } from './read-json.ts';
import { createStreamedBody, type StreamedBodyOptions } from './streamed-body.ts';
import { unpackBody } from './unpack-body.ts';
import { unpackedSource } from './unpacked-source.ts';
import { hasBody } from './unread-body.ts';

export interface BodyLimits {
  readonly maxJsonBytes: number;
  readonly json: JsonLimits;
  readonly replayBytes: number;
  /** Of operations that take forms alone. */
  readonly maxFormBytes: number;
  /** How far a form is read, and held, for a model that is needed. */
  readonly formModelBytes: number;
  readonly progress: ProgressRule;
}

export interface ClientRequestOptions {
  readonly route: Readonly<Record<string, string>>;
  readonly limits: BodyLimits;
  /** Accounts for the body until the answer has been sent. */
  readonly memory: ByteAccount;
  /** Told of each piece of a body that is sent on while it arrives. */
  readonly onRead?: OnRead | undefined;
}

/** A header by its lower-case name; repeated ones are joined by `, `. */
export function headerOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value: unknown = headers[name];
  if (typeof value === 'string') return value;
  return Array.isArray(value) ? value.join(', ') : undefined; // `constructor` and the like are no headers
}

/** The bytes of a body that is sent on while it arrives. */
interface Arrival extends Pick<StreamedBodyOptions, 'bytes' | 'progress' | 'onPull'> {
  readonly source: Readable;
}

/** How far the fields of a form are read before it is sent on, in bytes. */
const FIELDS_BYTES = 64 * 1024;

/** The pipeline's view of a request of node's HTTP server. */
export class ServedRequest implements ClientRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly route: Readonly<Record<string, string>>;
  readonly #message: IncomingMessage;
  readonly #headers: IncomingHttpHeaders;
  readonly #limits: BodyLimits;
  readonly #memory: ByteAccount;
  readonly #onRead: OnRead | undefined;
  #jsonBytes = 0;

  constructor(message: IncomingMessage, { route, limits, memory, onRead }: ClientRequestOptions) {
    const { method = 'GET', url = '/' } = message;
    const mark = url.indexOf('?');
    this.method = method;
    this.path = mark < 0 ? url : url.slice(0, mark);
    this.query = mark < 0 ? '' : url.slice(mark + 1);
    this.route = route;
    this.#message = message;
    this.#headers = message.headers; // a getter
    this.#limits = limits;
    this.#memory = memory;
    this.#onRead = onRead;
  }

  header(name: string): string | undefined {
    return headerOf(this.#headers, name);
  }

  spelled(text: string): string {
    return spelledFor(this.#message, text);
  }

  *headers(): Generator<readonly [name: string, value: string]> {
    for (const name in this.#headers) {
      const value = this.header(name);
      if (value !== undefined && !name.startsWith(':')) yield [name, value];
    }
  }

  checkLength(kinds: readonly BodyKind[]): void {
    const { maxJsonBytes, maxFormBytes } = this.#limits;
    if (isRead(kinds, this.#headers['content-type'])) checkLength(this.#message, maxJsonBytes);
    else if (isFormAlone(kinds)) checkFormLength(this.#message, maxFormBytes);
  }

  async readBody(kinds: readonly BodyKind[]): Promise<RequestBody> {
    const mayBeAbsent = kinds.includes('none');
    const isAbsent = this.method === 'GET' || this.method === 'HEAD' || (mayBeAbsent && !hasBody(this.#message));
    if (isAbsent) return { kind: 'none' };
    const contentType = this.#headers['content-type'];
    if (!isRead(kinds, contentType)) return this.#toUpload(kinds, contentType);
    const memory = this.#memory;
    const { json } = this.#limits;
    const bytes = withoutMark(await this.#readBytes());
    if (bytes.length === 0 && mayBeAbsent) return { kind: 'none' };
    if (!memory.take(bytes.length)) throw memoryExhausted(); // the value that is parsed from them
    const isParsed = bytes.length < LARGE_BYTES;
    const value = isParsed ? parseBody(bytes, json) : await parseLargeBody(bytes, json);
    this.#jsonBytes = bytes.length;
    return { kind: 'json', bytes, value, isParsed };
  }

  async #readBytes(): Promise<Buffer> {
    const memory = this.#memory;
    const { maxJsonBytes: maxBytes, progress } = this.#limits;
    const bytes = await readBytes(this.#message, { maxBytes, progress, memory });
    const encoding = this.#headers['content-encoding'];
    if (bytes.length === 0 || !isPacked(encoding)) return bytes;
    const unpacked = await unpackBody(bytes, encoding, { maxBytes, memory });
    delete this.#headers['content-encoding']; // no property of what is sent on
    return unpacked;
  }

  /** Gives back the bytes of a JSON body, of which only the value is still held: the answer is a stream and may be long. */
  releaseBytes(): void {
    this.#memory.give(this.#jsonBytes);
    this.#jsonBytes = 0;
  }

  /** The bytes that are sent on. Of bodies that are no forms, encodings that nobody here knows are left to the provider. */
  #arrival(isForm: boolean): Arrival {
    const length = this.#headers['content-length'];
    const encoding = this.#headers['content-encoding'];
    const { progress, maxFormBytes } = this.#limits;
    const onPull = (): void => askForBody(this.#message);
    if (length === '0' || !isPacked(encoding) || !(isForm || isKnownEncoding(encoding))) {
      return { source: this.#message, bytes: length === undefined ? undefined : Number(length), progress, onPull };
    }
    const options = { progress, memory: this.#memory, onPull, maxBytes: maxFormBytes };
    const source = unpackedSource(this.#message, encoding, options);
    delete this.#headers['content-encoding']; // no property of what is sent on
    return { source, bytes: undefined, progress: NO_RULE };
  }

  async #toUpload(kinds: readonly BodyKind[], contentType: string | undefined): Promise<RequestBody> {
    const boundary = formBoundary(kinds, contentType);
    const arrival = this.#arrival(boundary !== undefined);
    const options = { ...arrival, replayBytes: this.#limits.replayBytes, memory: this.#memory, onRead: this.#onRead };
    if (boundary === undefined) {
      return { kind: 'binary', contentType, source: createStreamedBody(arrival.source, options) };
    }
    const isAlone = isFormAlone(kinds);
    const fields = createFormFields(boundary, isAlone ? { maxBytes: this.#limits.maxFormBytes } : undefined);
    const source = createStreamedBody(arrival.source, { ...options, onPiece: fields.take });
    await source.peek(() => fields.hasReachedFile, FIELDS_BYTES);
    const found: FormModel = {
      get model() {
        return fields.model;
      },
      get isWhole() {
        return source.isWhole();
      },
      value: fields.value,
      find: async (isNeeded) => {
        const { replayBytes, formModelBytes } = this.#limits;
        const isFound = (): boolean => fields.model !== '' || fields.problem !== undefined;
        if (isNeeded) await source.hold(isFound, Math.max(replayBytes, formModelBytes));
        else await source.peek(isFound, replayBytes);
        if (fields.model === '' && fields.problem !== undefined) throw fields.problem;
      },
      insist: fields.insist,
      refuseLater: fields.refuseLater,
    };
    return { kind: 'form', contentType: contentType ?? '', boundary, source, fields: found };
  }
}

/** A client's bytes have progress of their own where they are unpacked. */
const NO_RULE: ProgressRule = { idleMs: 0, minBytesPerSecond: 0 };

/** The bytes without a byte order mark, which JSON may begin with (RFC 8259, section 8.1) and providers refuse. */
const withoutMark = (bytes: Buffer): Buffer =>
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;

/** Whether an operation takes forms and nothing else: they have to be such. */
const isFormAlone = (kinds: readonly BodyKind[]): boolean => kinds.includes('form') && !kinds.includes('binary');

/** Whether the body is read as JSON: always where the operation takes JSON only, otherwise by its media type. */
const isRead = (kinds: readonly BodyKind[], contentType: string | undefined): boolean =>
  kinds.includes('json') && (kinds.length === 1 || isJson(contentType));

/** The boundary of a form. A form without one is refused, unless the operation takes any bytes. */
function formBoundary(kinds: readonly BodyKind[], contentType = ''): string | undefined {
  if (!kinds.includes('form')) return undefined;
  const takesBytes = kinds.includes('binary');
  if (takesBytes && !isForm(contentType)) return undefined;
  try {
    return boundaryOf(contentType);
  } catch (error) {
    if (takesBytes) return undefined;
    throw error;
  }
}

const isJson = (type: string | undefined): boolean =>
  type?.split(';', 1)[0]?.trim().toLowerCase() === 'application/json';
