import type { JsonObject } from '../../wire/contract.ts';
import type { CheckSubject } from '../contract.ts';
import { MAX_CHECKED_CHARS, type Place, placesOf, requestText, responseText, withTexts } from '../extract/index.ts';

/** What a phase looks at, without what is made of it when a check asks. */
export type SubjectFacts = Omit<
  CheckSubject,
  | 'parts'
  | 'text'
  | 'requestText'
  | 'responseText'
  | 'requestTransformed'
  | 'responseTransformed'
  | 'header'
  | 'headers'
> & {
  /** In the phase `output`; absent: no hook has changed the request. */
  readonly requestTransformed?: boolean;
  readonly client: Pick<CheckSubject, 'header' | 'headers'>;
};

/** Thrown where a check asks for texts that are too long to be checked. */
export class TextTooLong extends Error {
  override readonly name = 'TextTooLong';

  constructor(chars: number) {
    super(`The text has ${chars} characters; at most ${MAX_CHECKED_CHARS} are checked`);
  }
}

/** Texts are looked for when a check asks for them. */
export class Subject implements CheckSubject {
  readonly #facts: SubjectFacts;
  readonly #body: JsonObject | undefined;
  #places: readonly Place[] | undefined;
  #parts: readonly string[] | undefined;
  #text: string | undefined;

  /** `body`: instead of that of the phase. */
  constructor(
    facts: SubjectFacts,
    body: JsonObject | undefined = facts.phase === 'input' ? facts.request : facts.response,
  ) {
    this.#facts = facts;
    this.#body = body;
  }

  get phase(): CheckSubject['phase'] {
    return this.#facts.phase;
  }

  get requestType(): CheckSubject['requestType'] {
    return this.#facts.requestType;
  }

  get provider(): string {
    return this.#facts.provider;
  }

  get metadata(): CheckSubject['metadata'] {
    return this.#facts.metadata;
  }

  get isStream(): boolean {
    return this.#facts.isStream;
  }

  get request(): JsonObject {
    return this.phase === 'input' ? (this.#body ?? this.#facts.request) : this.#facts.request;
  }

  get response(): JsonObject | undefined {
    return this.phase === 'output' ? this.#body : undefined;
  }

  get responseStatus(): number | undefined {
    return this.#facts.responseStatus;
  }

  get requestTransformed(): boolean {
    return this.phase === 'input' ? this.request !== this.#facts.request : this.#facts.requestTransformed === true;
  }

  get responseTransformed(): boolean {
    return this.response !== (this.phase === 'output' ? this.#facts.response : undefined);
  }

  get traceId(): string {
    return this.#facts.traceId;
  }

  get parts(): readonly string[] {
    this.#parts ??= checked(this.#found().map(({ text }) => text));
    return this.#parts;
  }

  get text(): string {
    this.#text ??= joined(this.parts);
    return this.#text;
  }

  requestText(): string {
    return withinBound(requestText(this.request));
  }

  responseText(): string {
    return this.response === undefined ? '' : withinBound(responseText(this.response));
  }

  header(name: string): string | undefined {
    return this.#facts.client.header(name);
  }

  headers(): Iterable<readonly [name: string, value: string]> {
    return this.#facts.client.headers();
  }

  /** The subject with another body in its phase. */
  withBody(body: JsonObject): Subject {
    return new Subject(this.#facts, body);
  }

  /** As `withBody`, with other texts at the places of `parts`. */
  withParts(parts: readonly (string | undefined)[]): Subject {
    return this.#body === undefined ? this : this.withBody(withTexts(this.#body, this.#found(), parts));
  }

  /** Of the phase; undefined where there is none. */
  get body(): JsonObject | undefined {
    return this.#body;
  }

  #found(): readonly Place[] {
    this.#places ??= this.#body === undefined ? [] : placesOf(this.requestType, this.phase, this.#body);
    return this.#places;
  }
}

function joined(parts: readonly string[]): string {
  if (parts.length === 1) return parts[0] ?? '';
  return parts.filter((part) => part !== '').join('\n');
}

function checked(parts: readonly string[]): readonly string[] {
  const chars = parts.reduce((sum, part) => sum + part.length, 0);
  if (chars > MAX_CHECKED_CHARS) throw new TextTooLong(chars);
  return parts;
}

function withinBound(text: string): string {
  if (text.length > MAX_CHECKED_CHARS) throw new TextTooLong(text.length);
  return text;
}
