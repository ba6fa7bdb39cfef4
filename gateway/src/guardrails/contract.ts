/** What a check gets, what it may use and what it answers: docs/behaviour/guardrails.md. */
import type { CheckEntry, CheckPhase } from '@gatehouse/crds/guardrails';
import type { z } from 'zod';
import type { CancelSignal } from '../lib/cancellation.ts';
import type { RegexWork } from '../lib/regex.ts';
import type { Secret } from '../lib/secret.ts';
import type { SideAnswer, SideRequest } from '../providers/contract.ts';
import type { JsonObject } from '../wire/contract.ts';
import type { GivenPlaceholders } from './given-placeholders.ts';

/** Requests that guardrails look at, by the names that checks and policies use. */
export type RequestType =
  | 'chatComplete'
  | 'complete'
  | 'embed'
  | 'messages'
  | 'createModelResponse'
  | 'createBatch'
  | 'createFinetune'
  | 'moderate'
  | 'rerank'
  | 'imageGenerate'
  | 'imageEdit'
  | 'imageVariation'
  | 'createSpeech'
  | 'createTranscription'
  | 'createTranslation'
  | 'proxy';

/** What a check looks at. Nothing in it may be changed. */
export interface CheckSubject {
  readonly phase: CheckPhase;
  readonly requestType: RequestType;
  /** Id of the provider. */
  readonly provider: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Whether the client asked for a stream. */
  readonly isStream: boolean;
  /** The body in the client's format, as the target shapes it; `{}` where it is no JSON. */
  readonly request: JsonObject;
  /** In the client's format; undefined in the phase `input`. */
  readonly response: JsonObject | undefined;
  readonly responseStatus: number | undefined;
  /** Whether hooks have changed the request, or the answer, before this check. */
  readonly requestTransformed: boolean;
  readonly responseTransformed: boolean;
  /** The texts that this phase is about, in their order; empty ones stand for parts without text. */
  readonly parts: readonly string[];
  /** The parts that are not empty, joined with newlines. */
  readonly text: string;
  /** The texts for services that want question and answer. */
  requestText(): string;
  responseText(): string;
  /** A header of the client by lower-case name; gateway keys and stored credentials are never among them. */
  header(name: string): string | undefined;
  headers(): Iterable<readonly [name: string, value: string]>;
  readonly traceId: string;
}

export interface CheckError {
  readonly name: string;
  readonly message: string;
}

export interface CheckAnswer {
  readonly verdict: boolean;
  /** Shown in `hook_results`: never a credential. Read where results are shown, which is seldom: it may be made then. */
  readonly data?: unknown;
  /** The check could not decide: `verdict` and `failOnError` say what that means. */
  readonly error?: CheckError;
  readonly transformed?: Transformed;
  readonly log?: unknown;
}

/** What a check changes; in the phase `input` the request, in `output` the answer. */
export type Transformed =
  /** By position in `parts`; undefined and empty texts keep what is there. */
  | { readonly kind: 'parts'; readonly parts: readonly (string | undefined)[]; readonly restore?: Restorable }
  /** Instead of the whole body. */
  | { readonly kind: 'body'; readonly body: JsonObject }
  /** Added to the request for the provider. */
  | { readonly kind: 'headers'; readonly headers: Readonly<Record<string, string>> };

/** Placeholders in the request and the texts that stand for them again in the answer. */
export type Restorable = ReadonlyMap<string, string>;

/** What a check may use besides the subject. */
export interface CheckTools {
  /** Ends with the request, and with the time limit of the check. */
  readonly signal: CancelSignal;
  /** The patterns of the checks of a request share its work. */
  readonly regex: RegexWork;
  /** Resolves when the next slice of long work may run: no check works longer than a few ms without it. */
  nextSlice(): Promise<void>;
  /** A call through the host guard. Throws AppError for network failures; any status is returned. */
  fetch(request: SideRequest, options: { readonly signal: CancelSignal }): Promise<SideAnswer>;
  /** A value that is made once and kept until it expires; the key contains all that it depends on, secrets hashed. */
  cached<T>(key: string, make: () => Promise<{ readonly value: T; readonly ttlMs: number }>): Promise<T>;
  /**
   * Asks a model by the gateway's own routing, without guardrails; the call counts in the cost and the attempts of the
   * request. Throws CheckFault or AppError where there is no answer. Absent: models cannot be asked here.
   */
  ask?(question: ModelQuestion, options: { readonly signal: CancelSignal }): Promise<ModelReply>;
  /** What the gateway has of the cloud that it runs in; absent: the check has credentials of its own or none. */
  readonly cloud?: CloudTools;
  /** What stands for values in the pieces of the text that were checked before; absent: the text is whole. */
  readonly given?: GivenPlaceholders;
  /** Unix time in ms. */
  now(): number;
  /** Uniform in [0, 1). */
  random(): number;
}

/** A chat of one question and one answer. */
export interface ModelQuestion {
  /** `@provider/model`, an account that the caller of the request may use. */
  readonly model: string;
  readonly messages: readonly { readonly role: 'system' | 'user'; readonly content: string }[];
  /** Most tokens of the answer. */
  readonly maxTokens: number;
}

export interface ModelReply {
  /** Of the first choice; empty where there is none. */
  readonly text: string;
  /** In tokens; undefined: the provider has not said. */
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number } | undefined;
}

export interface CloudTools {
  /** Cloud settings of the process environment, by name. */
  env(name: string): string | undefined;
  /** The identity of the gateway's own pod may be used: as for accounts, for guardrails that a grant names. */
  readonly ownIdentity: boolean;
}

/** Fields of the check's credential by name. */
export type CheckCredential = ReadonlyMap<string, Secret>;

/** Runs once for each request; patterns, sets and URLs were made ready when it was compiled. */
export type CompiledCheck = (subject: CheckSubject, tools: CheckTools) => CheckAnswer | Promise<CheckAnswer>;

export interface CheckDefinition {
  readonly entry: CheckEntry;
  /** Once per Snapshot or inline config. `parameters` have passed the schema of the entry. */
  compile(parameters: unknown, credential: CheckCredential): CompiledCheck;
}

/** Ties what a check does to its entry in the contract. */
export function defineCheck<S extends z.ZodObject>(
  entry: CheckEntry<S>,
  compile: (parameters: z.output<S>, credential: CheckCredential) => CompiledCheck,
): CheckDefinition {
  // The schema of the entry has made the parameters.
  return { entry, compile: (parameters, credential) => compile(parameters as z.output<S>, credential) };
}
