/** Calls that take several requests, such as an upload into a bucket. */
import type { ByteAccount } from '../lib/byte-budget.ts';
import type { CancelSignal } from '../lib/cancellation.ts';
import type { JsonLimits } from '../lib/json/index.ts';
import type { JsonObject, StreamedBody, Upload } from '../wire/contract.ts';
import type { Takes } from '../wire/params/params.ts';
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
  /** Limits of what is parsed. */
  readonly json: JsonLimits;
  /** The base URL of the call. */
  baseUrl(): string;
  /** Rejects with ProviderRefusal, or with the AppError because of which there is no answer. */
  ask(request: ProcedureRequest): Promise<WholeAnswer>;
  /** As `ask`, while the answer arrives. What is not read ends with the call. */
  open(request: ProcedureRequest): Promise<OpenedAnswer>;
  /** The content of a file that the gateway keeps for the workspace of the caller. Rejects with AppError, FILE_UNKNOWN among them. */
  ownFile(id: string): Promise<AsyncIterable<Buffer>>;
  /** Throws MODEL_NOT_ALLOWED for a body whose model the account does not admit. */
  checkModel(body: JsonObject): void;
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
      /** Bytes that `memory` holds while it is read; absent: none. */
      readonly held?: number;
      /** The file of the provider whose content it is, where the call names another thing. */
      readonly file?: string;
    };

export interface Procedure {
  /** How it is offered, for the reference. */
  readonly offer: 'passed on' | 'mapped';
  /** The parameters that it reads: all others are named to the client as left out. Absent: it takes all. */
  readonly takes?: Takes;
  /** It gives `checkModel` the body of every row that names a model. */
  readonly checksModels?: true;
  /** False: this call is not offered. */
  supports?(call: Call): boolean;
  /** Rejects with ProviderRefusal for what the provider refuses, and with AppError for everything else. */
  run(call: Call, tools: ProcedureTools): Promise<ProcedureResult>;
}

/**
 * Gives `checkModel` the body of every row that a call is about, before the call is made. Rejects as a procedure does, and where it
 * cannot see all rows.
 */
export type RowCheck = (call: Call, tools: ProcedureTools) => Promise<void>;

/** The provider has refused a request, in its own words. */
export class ProviderRefusal extends Error {
  override readonly name = 'ProviderRefusal';
  readonly answer: WholeAnswer;

  constructor(answer: WholeAnswer) {
    super(`The provider has answered ${answer.status}`);
    this.answer = answer;
  }
}
