/** The document of a row as JSON: crds/src/logs/document.ts, docs/behaviour/request-logs.md#documents. */
import {
  type AttemptFacts,
  type Capture,
  type CapturedAttempt,
  type Cleaner,
  createCleaner,
  type HeaderNames,
  type KeptAnswer,
  type KeptBody,
  type RequestRecord,
} from '../../record/index.ts';
import { type BodyOptions, bodyMembers, isJson } from './bodies.ts';
import { type Clean, namesToMask, requestHeaders, shownHeaders } from './headers.ts';
import { quoted } from './quoted.ts';

export interface ContentOptions {
  /** Those that the deployment masks. */
  readonly headersToMask: HeaderNames;
}

/** What a document tells of. */
export interface Told {
  /** Undefined: no target was tried. */
  readonly attempt: AttemptFacts | undefined;
  readonly isFinal: boolean;
  readonly status: number;
  readonly responseMs: number;
}

/** Makes the documents of one request. */
export interface Contents {
  /** Undefined: it could not be made, or not without a secret. Never throws: a row without a document is better than none. */
  of(told: Told): string | undefined;
}

export function contentsOf(record: RequestRecord, captured: Capture, options: ContentOptions): Contents {
  let maker: Maker | undefined;
  return {
    of: (told) => {
      try {
        maker ??= new Maker(record, captured, options);
        return maker.of(told);
      } catch {
        return undefined;
      }
    },
  };
}

class Maker {
  readonly #record: RequestRecord;
  readonly #captured: Capture;
  readonly #cleaner: Cleaner;
  readonly #masked: HeaderNames;
  readonly #body: BodyOptions;
  /** The body of the client, as members. */
  #asked: string | undefined;
  /** The same in all documents of the request. */
  #request: string | undefined;

  constructor(record: RequestRecord, captured: Capture, { headersToMask }: ContentOptions) {
    this.#record = record;
    this.#captured = captured;
    this.#cleaner = createCleaner(record);
    this.#masked = namesToMask(record.request, headersToMask);
    this.#body = { isOfVectors: record.request.generates === 'vectors', clean: this.#cleaner.clean };
  }

  of(told: Told): string | undefined {
    const json = this.#make(told, AS_IT_IS);
    if (!this.#cleaner.mayFind(json)) return json;
    // Headers of an account are secrets of all its documents: they are few bytes, which are cleaned apart.
    const shown = this.#make(told, this.#cleaner.clean);
    const clean = this.#cleaner.clean(shown);
    return clean === shown || isJson(clean) ? clean : undefined;
  }

  /** `clean`: of headers of providers, and of answers. */
  #make({ attempt, isFinal, status, responseMs }: Told, clean: Clean): string {
    const own = attempt?.captured;
    const answer = isFinal ? this.#captured.answer : own?.answer;
    const path = isFinal ? this.#record.route.optionPath : attempt?.target;
    this.#request ??= this.#requestMembers();
    const facts = `"status":${status},"responseTime":${responseMs}${path === undefined ? '' : `,"lastUsedOptionJsonPath":${quoted(path)}`}`;
    const members = own === undefined ? '' : this.#attemptMembers(own, clean);
    return `{"request":{${this.#request}},"response":{${facts}${this.#answerOf(answer, clean)}}${members}}`;
  }

  #requestMembers(): string {
    const { request } = this.#record;
    const { own, gateway } = requestHeaders(request, this.#masked);
    const headers = this.#captured.isWhole ? `,"headers":${own}` : '';
    const facts = `"url":${quoted(request.path)},"method":${quoted(request.method)},"gwHeaders":${gateway}`;
    return `${facts}${headers}${after(this.#bodyAsked())}`;
  }

  #answerOf(answer: KeptAnswer | undefined, clean: Clean): string {
    if (answer === undefined) return '';
    const headers = shownHeaders(answer.headers, this.#masked, clean);
    return `,"headers":${headers}${after(bodyMembers(answer.body, this.#body))}`;
  }

  /** Each behind a comma. */
  #attemptMembers({ params, sent, original, hooks }: CapturedAttempt, clean: Clean): string {
    const results = this.#captured.isWhole ? hooks?.() : undefined;
    let members = params === undefined ? '' : `,"finalUntransformedRequest":{${this.#objectBody(params)}}`;
    if (sent !== undefined) {
      const body = this.#isAsked(sent.body) ? this.#bodyAsked() : bodyMembers(sent.body, this.#body);
      const headers = shownHeaders(sent.headers, this.#masked, clean);
      members += `,"transformedRequest":{"headers":${headers}${after(body)}}`;
    }
    if (original !== undefined) members += `,"originalResponse":{${bodyMembers(original, this.#body)}}`;
    return results === undefined ? members : `${members},"hooks":${JSON.stringify(results)}`;
  }

  #bodyAsked(): string {
    this.#asked ??= bodyMembers(this.#captured.request, this.#body);
    return this.#asked;
  }

  /** The bytes of the client went on as they were. */
  #isAsked(body: KeptBody | undefined): boolean {
    const { request } = this.#captured;
    return body !== undefined && body.bytes === request?.bytes && body.truncated === request.truncated;
  }

  #objectBody(value: object): string {
    return bodyMembers(this.#captured.cut(Buffer.from(JSON.stringify(value)), true), this.#body);
  }
}

const AS_IT_IS: Clean = (value) => value;

const after = (members: string): string => (members === '' ? '' : `,${members}`);
