/** Calls that take several requests, such as an upload into a bucket. */
import type { ByteAccount } from '../lib/byte-budget.ts';
import type { CancelSignal } from '../lib/cancellation.ts';
import type { StreamedBody, Upload } from '../wire/contract.ts';
import type { AnswerHead, Authorizer, Call, ProviderServices } from './call.ts';

/** One request of a procedure. */
export interface ProcedureRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE';
  readonly url: string;
  /** By lower-case name. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | StreamedBody | undefined;
  /** Default: the credential of the provider, with its headers. `none`: the address is a credential by itself, and the provider names it. */
  readonly auth?: Authorizer | 'none';
  /** Tries at least, whatever the retry rules of the target say; where the body can be sent again. */
  readonly tries?: number;
  /** Statuses that are no refusal, beside 200 to 299. */
  readonly accepts?: readonly number[];
}

export interface WholeAnswer extends AnswerHead {
  readonly bytes: Buffer;
}

export interface OpenedAnswer extends AnswerHead {
  /** Read once, while it arrives. */
  readonly content: AsyncIterable<Buffer>;
}

export interface ProcedureTools {
  readonly services: ProviderServices;
  readonly signal: CancelSignal;
  /** The body of the client where it is not JSON. */
  readonly upload: Upload | undefined;
  /** Holds what is kept beyond a piece at a time. */
  readonly memory: ByteAccount;
  /** The base URL of the call. */
  baseUrl(): string;
  /** Rejects with ProviderRefusal, or with the AppError because of which there is no answer. */
  ask(request: ProcedureRequest): Promise<WholeAnswer>;
  /** As `ask`, while the answer arrives. */
  open(request: ProcedureRequest): Promise<OpenedAnswer>;
}

/** A good answer. */
export type ProcedureResult =
  | { readonly kind: 'json'; readonly value: object }
  | {
      readonly kind: 'content';
      readonly contentType: string;
      /** Undefined: not known before its end. */
      readonly bytes?: number | undefined;
      readonly content: AsyncIterable<Buffer>;
    };

export interface Procedure {
  /** How it is offered, for the reference. */
  readonly offer: 'passed on' | 'mapped';
  /** False: this call is not offered. */
  supports?(call: Call): boolean;
  /** Rejects with ProviderRefusal for what the provider refuses, and with AppError for everything else. */
  run(call: Call, tools: ProcedureTools): Promise<ProcedureResult>;
}

/** The provider has refused a request, in its own words. */
export class ProviderRefusal extends Error {
  override readonly name = 'ProviderRefusal';
  readonly answer: WholeAnswer;

  constructor(answer: WholeAnswer) {
    super(`The provider has answered ${answer.status}`);
    this.answer = answer;
  }
}
