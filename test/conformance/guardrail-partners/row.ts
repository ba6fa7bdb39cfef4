/** What is known about the check of a partner: what it sends, and what each answer means. */
import type { CheckPhase } from '@gatehouse/crds/guardrails';
import type { RequestType } from '../../../gateway/src/guardrails/index.ts';
import type { JsonObject } from '../../../gateway/src/wire/contract.ts';

export interface Target {
  readonly id: string;
  readonly parameters?: object;
  /** By field; `STUB` is the URL of the service. */
  readonly credential: Readonly<Record<string, string>>;
}

/** The request or the answer that a check looks at. */
export interface Side {
  readonly phase: CheckPhase;
  readonly requestType?: RequestType;
  readonly request: JsonObject;
  readonly response?: JsonObject;
}

export interface Row extends Target {
  readonly side: Side;
  /** Each call, in order: all of its headers but those of the transport. */
  readonly sends: readonly {
    readonly path: string;
    readonly headers: Readonly<Record<string, unknown>>;
    readonly body: unknown;
  }[];
  /** Answers for the calls; the last repeats. */
  readonly pass: readonly unknown[];
  /** Undefined: nothing makes the check fail. */
  readonly fail: readonly unknown[] | undefined;
  /** Replies of a good form that say nothing about the text. */
  readonly malformed?: readonly unknown[];
  /** What replaces texts: the verdict beside it and the body. */
  readonly redacts?: readonly {
    readonly rule: string;
    readonly parameters?: object;
    readonly side?: Side;
    readonly replies: readonly unknown[];
    readonly verdict: boolean;
    readonly body: unknown;
  }[];
  /** Further answers and what they mean. */
  readonly also?: readonly {
    readonly rule: string;
    readonly parameters?: object;
    readonly side?: Side;
    readonly replies?: readonly unknown[];
    readonly verdict: boolean;
    readonly hasError?: boolean;
    /** Bodies that are sent. */
    readonly bodies?: readonly unknown[];
    readonly data?: unknown;
  }[];
  /** The verdict beside an error of the call; `data`: no error is shown but in the data. */
  readonly onError: boolean | 'data';
  readonly empty: 'asked' | 'passes' | boolean;
  /** The field whose absence is an error, and the verdict beside it. */
  readonly needs?: { readonly field: string; readonly verdict: boolean };
  /** The verdict beside the error in the other phase, where the check runs in one alone. */
  readonly otherPhase?: boolean;
}

/** Unlike anything else: where it shows up, a credential has leaked. */
export const CANARY = 'canary-7f3a9c51';

export const TEXT = 'My name is Jane';

export const asked = (content: unknown = TEXT): JsonObject => ({
  model: 'm1',
  messages: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content },
  ],
});

export const answered = (content: unknown = TEXT): JsonObject => ({
  id: 'c1',
  choices: [{ index: 0, message: { role: 'assistant', content } }],
});

export const INPUT: Side = { phase: 'input', request: asked() };
export const OUTPUT: Side = { phase: 'output', request: asked('Who are you?'), response: answered() };
/** Two texts and one that is empty. */
export const PARTS: Side = {
  phase: 'input',
  request: asked([
    { type: 'text', text: TEXT },
    { type: 'image_url', image_url: { url: 'https://images.example/a.png' } },
    { type: 'text', text: 'in Berlin' },
  ]),
};

/** The body of `PARTS` with other texts. */
export const partsWith = (first: string, second: string): JsonObject =>
  asked([
    { type: 'text', text: first },
    { type: 'image_url', image_url: { url: 'https://images.example/a.png' } },
    { type: 'text', text: second },
  ]);

export const JSON_TYPE = { 'content-type': 'application/json' } as const;
export const BEARER = { ...JSON_TYPE, authorization: `Bearer ${CANARY}` } as const;
export const keyed = (header: string): Readonly<Record<string, string>> => ({ ...JSON_TYPE, [header]: CANARY });
export const KEY = { apiKey: CANARY, baseUrl: 'STUB' } as const;
