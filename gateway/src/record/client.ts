/** What a client runs on, as its headers say: docs/behaviour/request-logs.md#rows. Nothing is decided by it. */

/** Texts of at most 64 characters, without control characters; undefined: not known. */
export interface ClientFacts {
  /** `node`, `CPython`. */
  readonly runtime: string | undefined;
  readonly runtimeVersion: string | undefined;
  /** The version of the SDK; of other clients what names itself in `User-Agent`: `curl/8.5.0`. */
  readonly sdk: string | undefined;
}

/** The same as it came, before it is cut: a part of a secret could not be found. */
export type WholeClient = readonly [
  runtime: string | undefined,
  runtimeVersion: string | undefined,
  sdk: string | undefined,
  /** Only where there is no version of an SDK. */
  agent: string | undefined,
];

const MAX_CHARS = 64;
/** Of a `User-Agent`, in characters: a longer one is not read. */
const MAX_AGENT = 256;

/** SDKs that are generated from descriptions say it in headers `x-stainless-*`. */
export function wholeClient(request: { header(name: string): string | undefined }): WholeClient {
  const sdk = request.header('x-stainless-package-version');
  return [
    request.header('x-stainless-runtime') ?? request.header('x-stainless-lang'),
    request.header('x-stainless-runtime-version'),
    sdk,
    sdk === undefined ? agentOf(request.header('user-agent')) : undefined,
  ];
}

/** `clean` gets texts before they are cut. */
export const boundClient = (
  [runtime, runtimeVersion, sdk, agent]: WholeClient,
  clean: (text: string) => string = asItIs,
): ClientFacts => ({
  runtime: shown(runtime, clean),
  runtimeVersion: shown(runtimeVersion, clean),
  sdk: agent === undefined ? shown(sdk, clean) : shown(productOf(clean(agent)), asItIs),
});

const BROWSER = /^(?:mozilla|opera)\//i;

/** Undefined: it is a browser. */
const agentOf = (agent: string | undefined): string | undefined =>
  agent === undefined || agent.length > MAX_AGENT || BROWSER.test(agent) ? undefined : agent;

/** `name/version` (RFC 9110 section 10.1.5). */
const PRODUCT = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+(?=[ \t(]|$)/;

/** The first one; undefined: there is none. */
const productOf = (agent: string): string | undefined => PRODUCT.exec(agent)?.[0];

/** What nearly all clients send. */
const AS_IT_IS = /^[!-~]{1,64}$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\u0000-\u001f\u007f-\u009f]+/g;

function shown(text: string | undefined, clean: (text: string) => string): string | undefined {
  if (text === undefined) return undefined;
  const left = clean(text);
  if (AS_IT_IS.test(left)) return left;
  const kept = left.replace(CONTROL, '').trim().slice(0, MAX_CHARS).toWellFormed();
  return kept === '' ? undefined : kept;
}

const asItIs = (text: string): string => text;
