/** The document of a row as JSON: crds/src/logs/document.ts, docs/behaviour/request-logs.md#documents. */
import type {
  AttemptFacts,
  Capture,
  CapturedAttempt,
  KeptAnswer,
  KeptBody,
  RequestRecord,
} from '../../record/index.ts';
import { type BodyOptions, bodyMembers, isJson } from './bodies.ts';
import { type Cleaner, createCleaner, Uncleanable } from './cleaner.ts';
import { namesToMask, requestHeaders, type ShownHeaders, shownHeaders } from './headers.ts';

export interface ContentOptions {
  /** Names of headers, lower case, that the deployment masks. */
  readonly headersToMask: readonly string[];
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
export class Contents {
  readonly #record: RequestRecord;
  readonly #captured: Capture;
  readonly #cleaner: Cleaner;
  readonly #masked: ReadonlySet<string>;
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

  /** Undefined: it could not be made without a secret. */
  of(told: Told): string | undefined {
    try {
      return this.#make(told);
    } catch (error) {
      if (error instanceof Uncleanable) return undefined;
      throw error;
    }
  }

  #make({ attempt, isFinal, status, responseMs }: Told): string | undefined {
    const own = attempt?.captured;
    const answer = isFinal ? this.#captured.answer : own?.answer;
    const path = isFinal ? this.#record.route.optionPath : attempt?.target;
    this.#request ??= this.#requestMembers();
    const json = objectOf([
      `"request":${this.#request}`,
      `"response":${this.#answerOf(answer, { status, responseTime: responseMs, lastUsedOptionJsonPath: path })}`,
      ...(own === undefined ? [] : this.#attemptMembers(own)),
    ]);
    const clean = this.#cleaner.clean(json);
    return clean === json || isJson(clean) ? clean : undefined;
  }

  #requestMembers(): string {
    const { request } = this.#record;
    const { own, gateway } = requestHeaders(request, this.#masked);
    const { isWhole } = this.#captured;
    return objectOf([
      membersOf({ url: request.path, method: request.method, gwHeaders: gateway }),
      isWhole ? membersOf({ headers: own }) : '',
      this.#bodyAsked(),
    ]);
  }

  #answerOf(answer: KeptAnswer | undefined, facts: object): string {
    if (answer === undefined) return objectOf([membersOf(facts)]);
    return objectOf([
      membersOf({ ...facts, headers: this.#cleaned(shownHeaders(answer.headers, this.#masked)) }),
      bodyMembers(answer.body, this.#body),
    ]);
  }

  #attemptMembers({ params, sent, original, hooks }: CapturedAttempt): readonly string[] {
    const results = this.#captured.isWhole ? hooks?.() : undefined;
    const sentMembers = sent && [
      membersOf({ headers: this.#cleaned(shownHeaders(sent.headers, this.#masked)) }),
      this.#isAsked(sent.body) ? this.#bodyAsked() : bodyMembers(sent.body, this.#body),
    ];
    return [
      params === undefined ? '' : `"finalUntransformedRequest":${this.#objectBody(params)}`,
      sentMembers === undefined ? '' : `"transformedRequest":${objectOf(sentMembers)}`,
      original === undefined ? '' : `"originalResponse":${objectOf([bodyMembers(original, this.#body)])}`,
      results === undefined ? '' : `"hooks":${JSON.stringify(results)}`,
    ];
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

  /** Headers of an account are secrets of all its documents: here they are few bytes. */
  #cleaned(headers: ShownHeaders): ShownHeaders {
    if (!this.#cleaner.mayFind(Object.values(headers).join('\n'))) return headers;
    return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, this.#cleaner.clean(value)]));
  }

  #objectBody(value: object): string {
    const body = this.#captured.cut(Buffer.from(JSON.stringify(value)));
    return objectOf([bodyMembers(body, this.#body)]);
  }
}

const objectOf = (members: readonly string[]): string => `{${members.filter((each) => each !== '').join(',')}}`;

/** The members of the object, without braces. */
const membersOf = (value: object): string => JSON.stringify(value).slice(1, -1);
