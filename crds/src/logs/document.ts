/** The document of a log: headers and bodies, masked. Kept apart from the row, since it is large. */

/** A value of JSON, or the text of a body that is none. */
export type LogBody = unknown;

export interface LogDocument {
  readonly id: string;
  /** Unix time in ms, as in the row. */
  readonly created_at: number;
  readonly workspace: string;
  readonly content: LogContent;
}

/** Members that are absent were not kept, or do not exist. */
export interface LogContent {
  readonly request?: LogRequest | undefined;
  readonly response?: LogResponse | undefined;
  /** After parameters of the config and changes of guardrails, before it is mapped for the provider. */
  readonly finalUntransformedRequest?: { readonly body: LogBody } | undefined;
  /** As it went to the provider. */
  readonly transformedRequest?: LogWire | undefined;
  /** The provider's, before it was mapped. */
  readonly originalResponse?: { readonly body: LogBody } | undefined;
  /** Results of guardrails, as answers show them. */
  readonly hooks?: LogBody | undefined;
}

export interface LogRequest extends LogWire {
  readonly url: string;
  readonly method: string;
  /** Masked headers of the gateway, and the config that they led to. */
  readonly gwHeaders?: Readonly<Record<string, unknown>> | undefined;
}

export interface LogResponse extends LogWire {
  readonly status: number;
  /** In ms. */
  readonly responseTime: number;
  readonly lastUsedOptionJsonPath?: string | undefined;
}

export interface LogWire {
  /** By lower-case name. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: LogBody | undefined;
  /** The body was longer than what is kept: `body` is the text of its beginning. */
  readonly truncated?: true | undefined;
}
