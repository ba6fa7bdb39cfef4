/** What guardrails have found in the request of one target and in its answers, and what follows for the client. */
import { AppError, memoryExhausted } from '../../errors/index.ts';
import type { Denial, HookPhaseResult, HookResult, Restorable } from '../../guardrails/index.ts';
import { resultsEvent, type TextProtocol } from '../../guardrails/stream/index.ts';
import type { ByteAccount } from '../../lib/byte-budget.ts';
import { type JsonLimits, mergeObjects, writeJson } from '../../lib/json/index.ts';
import { runSteps, type Steps } from '../../lib/steps.ts';
import { addCounted, type CountedAnswer } from '../../record/index.ts';
import type { JsonObject } from '../../wire/contract.ts';
import type { MappedAnswer, Prepared } from '../attempt/index.ts';
import type { CacheWriter } from '../exchange.ts';
import type { ActingHooks } from './acting-hooks.ts';
import { parseAnswer } from './parse-answer.ts';
import { restoreAnswer } from './restore-answer.ts';
import type { GuardrailTrail } from './trail.ts';

/** Status of a good answer of which a check failed that does not deny. */
export const FAILED_STATUS = 246;

const NO_RESULTS: readonly HookResult[] = [];
const NOTHING: JsonObject = {};

export interface GuardsOptions {
  readonly hooks: ActingHooks;
  readonly trail: GuardrailTrail;
  /** Path of the target. */
  readonly target: string;
}

/** How an answer is shown. */
export interface ShowOptions {
  /** The client gets no results with answers whose checks have passed. */
  readonly strict: boolean;
  readonly json: JsonLimits;
  /** Of the request. */
  readonly memory: ByteAccount;
}

/** An answer as its client gets it. */
export interface ShownAnswer {
  readonly answer: MappedAnswer;
  /** The bytes that may be stored instead of those that are sent; undefined: none. */
  readonly stored: Buffer | undefined;
}

/** Made when they are asked for: most are not shown. */
type Shown = Pick<HookPhaseResult, 'results'>;

/** A call that was stopped. */
export interface DeniedCall {
  readonly denial: Denial;
  readonly prepared: Prepared;
  readonly outputResults: readonly HookResult[];
}

/** One per attempt of a target that has hooks. */
export class TargetGuards {
  readonly hooks: ActingHooks;
  readonly trail: GuardrailTrail;
  readonly target: string;
  #input: Shown | undefined;
  /** A hook of the request failed and let it pass. */
  inputFailed = false;
  /** A hook of the request changed it. */
  inputTransformed = false;
  placeholders: Restorable | undefined;
  /** Of the answer to the last try. */
  #output: Shown | undefined;
  /** The answer to the last try, as the hooks left it. */
  #answer: JsonObject | undefined;
  /** The call before hooks changed it. */
  prepared: Prepared | undefined;
  /** The call that was answered last. */
  answeredCall: Prepared | undefined;
  /** The answer to the last try as the provider gave it, where hooks look at it after it was sent. */
  #bytes: Buffer | undefined;
  /** Of the request, or of the last try. */
  denied: DeniedCall | undefined;
  /** What answers have used that nobody gets. */
  #withheld: CountedAnswer | undefined;
  /** What the answer to the last try has used; undefined: its bytes tell. */
  #counted: CountedAnswer | undefined;
  /** The hooks have looked at the whole of a stream, and it passed. */
  #isStreamGood = false;

  constructor({ hooks, trail, target }: GuardsOptions) {
    this.hooks = hooks;
    this.trail = trail;
    this.target = target;
  }

  /** `openTable`: an account until the end of the request, whatever becomes of its other memory. Throws MEMORY_EXHAUSTED. */
  checkedInput(result: HookPhaseResult, openTable: () => ByteAccount): void {
    const { restore } = result;
    this.#input = result;
    this.inputFailed = result.failed;
    this.inputTransformed = result.body !== undefined;
    this.trail.add(result.ran, { phase: 'input', target: this.target });
    if (restore === undefined || restore.size === 0) return;
    if (!openTable().take(tableBytes(restore))) throw memoryExhausted();
    this.placeholders = restore;
  }

  /** Of the hooks of the request. */
  get inputResults(): readonly HookResult[] {
    return this.#input?.results ?? NO_RESULTS;
  }

  /** Of all hooks, as answers show them. */
  get results(): object {
    return { before_request_hooks: this.inputResults, after_request_hooks: this.#outputResults };
  }

  get #outputResults(): readonly HookResult[] {
    return this.#output?.results ?? NO_RESULTS;
  }

  /** What the answer to an earlier try has used was for nothing. */
  beginTry(prepared: Prepared): void {
    this.answeredCall = prepared;
    this.#bytes = undefined;
    this.#withheld = this.spent;
    this.#counted = undefined;
    this.#output = undefined;
    this.#answer = undefined;
    this.denied = undefined;
    this.#isStreamGood = false;
  }

  /** The usage of the answer to this try, before anything changes it. */
  count(counted: CountedAnswer): void {
    this.#counted = counted;
  }

  checkedOutput(result: HookPhaseResult, answer: JsonObject): void {
    this.#output = result;
    this.#answer = result.body ?? answer;
    this.#isStreamGood = !result.failed;
    this.trail.add(result.ran, { phase: 'output', target: this.target });
  }

  /** A window of a stream was denied. */
  cut({ ran }: HookPhaseResult): void {
    this.trail.add(ran, { phase: 'output', target: this.target });
  }

  /** An answer that is whole, which hooks may look at later. */
  keep(bytes: Buffer): void {
    if (this.hooks.watchedOutput.length > 0) this.#bytes = bytes;
  }

  /** Whether hooks run after the answer. */
  get isWatched(): boolean {
    return this.hooks.watchedInput.length + this.hooks.watchedOutput.length > 0;
  }

  /** The answer to the last try, before anything was restored in it; undefined: there is none to look at. */
  wholeAnswer(limits: JsonLimits): JsonObject | undefined {
    return this.#answer ?? (this.#bytes && parseAnswer(this.#bytes, limits));
  }

  /** Nothing of the answer to the last try was for the client: it was denied, or the client left before hooks had decided. */
  get isWithheld(): boolean {
    return this.denied !== undefined || (this.hooks.output.length > 0 && this.#answer === undefined);
  }

  /** Of the answer to the last try, as far as they are known. */
  get answerBytes(): number {
    return this.#bytes?.length ?? 0;
  }

  /** An answer that no hook acts on. */
  saw(answer: JsonObject): void {
    this.#answer = answer;
  }

  /** What all tries have used that no answer is left of. */
  get spent(): CountedAnswer | undefined {
    return this.#counted === undefined ? this.#withheld : addCounted(this.#withheld, this.#counted);
  }

  get withheld(): CountedAnswer | undefined {
    return this.#withheld;
  }

  get counted(): CountedAnswer | undefined {
    return this.#counted;
  }

  /** The error of a request or an answer that is denied. */
  refuse(denial: Denial, prepared: Prepared, outputResults: readonly HookResult[] = NO_RESULTS): AppError {
    this.denied = { denial, prepared, outputResults };
    return new AppError('GUARDRAIL_DENIED', {
      ...(denial.message === undefined ? {} : { detail: denial.message }),
      members: {
        hook_results: { before_request_hooks: this.inputResults, after_request_hooks: outputResults },
      },
    });
  }

  /** An answer of the provider as the client gets it. Throws, or rejects with, MEMORY_EXHAUSTED and UPSTREAM_TOO_LARGE. */
  show(answer: MappedAnswer, options: ShowOptions): ShownAnswer | Promise<ShownAnswer> {
    const { body, status } = answer;
    const shown = isChecked(status) && this.inputFailed ? { ...answer, status: FAILED_STATUS } : answer;
    if (body.kind === 'stream') return { answer: shown, stored: undefined };
    return runSteps(this.#showWhole(shown, body.bytes, options), this.trail.nextSlice);
  }

  *#showWhole(answer: MappedAnswer, given: Buffer, { strict, json, memory }: ShowOptions): Steps<ShownAnswer> {
    const { status } = answer;
    const stored = status === 200 ? given : undefined;
    const results = this.#resultsFor(status, strict);
    if (results === undefined && this.placeholders === undefined) return { answer, stored };
    const parsed = this.#answer ?? parseAnswer(given, json);
    if (parsed === undefined) return { answer, stored };
    const restored = isChecked(status) ? yield* this.#restored(parsed) : parsed;
    if (restored === parsed && results === undefined) return { answer, stored };
    const bytes = writeJson(
      results === undefined ? restored : mergeObjects(NOTHING, restored, { hook_results: results }),
    );
    if (!memory.take(bytes.length)) throw memoryExhausted();
    if (stored === undefined) memory.give(given.length);
    return { answer: { ...answer, body: { kind: 'bytes', bytes } }, stored };
  }

  /** A stored answer, to which only the hooks of the request apply. */
  async showStored(
    json: Buffer,
    { strict, json: limits }: Pick<ShowOptions, 'strict' | 'json'>,
  ): Promise<JsonObject | undefined> {
    const given = parseAnswer(json, limits);
    if (given === undefined) return undefined;
    const shown = await this.restored(given);
    if (!this.inputFailed && (strict || this.inputResults.length === 0)) return shown;
    return mergeObjects(NOTHING, shown, { hook_results: { before_request_hooks: this.inputResults } });
  }

  /** The events of a stored answer with an event for the results of the request. */
  withResultEvents(protocol: TextProtocol, events: readonly string[], strict: boolean): readonly string[] {
    if (strict || this.inputResults.length === 0) return events;
    const event = resultsEvent(protocol, { before_request_hooks: this.inputResults }).toString();
    return protocol === 'responses' ? [...events, event] : [event, ...events]; // clients need the event that begins a response first
  }

  /** Rejects with UPSTREAM_TOO_LARGE. */
  async restored(answer: JsonObject): Promise<JsonObject> {
    return runSteps(this.#restored(answer), this.trail.nextSlice);
  }

  *#restored(answer: JsonObject): Steps<JsonObject> {
    return this.placeholders === undefined ? answer : yield* restoreAnswer(answer, this.placeholders);
  }

  /** Undefined: the client gets none. */
  #resultsFor(status: number, strict: boolean): object | undefined {
    if (strict && status !== FAILED_STATUS) return undefined; // which costs nothing
    const before = { before_request_hooks: this.inputResults };
    if (status === FAILED_STATUS) return { ...before, after_request_hooks: this.#outputResults };
    if (this.inputResults.length + this.#outputResults.length === 0) return undefined;
    return isChecked(status) ? { ...before, after_request_hooks: this.#outputResults } : before;
  }

  /** Stores what may be stored of an answer that was shown: nothing of what is restored for one client, nothing that failed. */
  storing(writer: CacheWriter | undefined, { answer, stored }: ShownAnswer): CacheWriter | undefined {
    if (writer === undefined || answer.status !== 200) return undefined;
    if (answer.body.kind === 'bytes') return stored && fixedWriter(writer, stored);
    if (this.placeholders !== undefined) return undefined;
    if (this.hooks.output.length === 0) return writer;
    return { push: (bytes) => writer.push(bytes), commit: () => void (this.#isStreamGood && writer.commit()) };
  }
}

const isChecked = (status: number): boolean => status === 200 || status === FAILED_STATUS;

const fixedWriter = (writer: CacheWriter, bytes: Buffer): CacheWriter => ({
  push: () => undefined,
  commit: () => {
    writer.push(bytes);
    writer.commit();
  },
});

/** What an entry of a table needs beside its characters, in bytes. */
const ENTRY_BYTES = 128;

function tableBytes(restore: Restorable): number {
  let bytes = 0;
  for (const [placeholder, text] of restore) bytes += ENTRY_BYTES + 2 * (placeholder.length + text.length);
  return bytes;
}
