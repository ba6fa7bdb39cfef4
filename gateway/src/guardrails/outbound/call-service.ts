/** Calls of checks to services. */
import { Cancellation, type CancelSignal } from '../../lib/cancellation.ts';
import { readJson } from '../../lib/json/index.ts';
import type { Scrubber } from '../../lib/scrub.ts';
import type { SideAnswer } from '../../providers/contract.ts';
import type { CheckSubject, CheckTools } from '../contract.ts';
import { CheckFault, toFault } from './fault.ts';
import { forwardedHeaders } from './forwarded.ts';

export interface ServiceCall {
  /** Default: POST. */
  readonly method?: 'GET' | 'POST' | 'PUT';
  readonly url: string;
  /** Lower-case names. They win over forwarded ones. */
  readonly headers?: Readonly<Record<string, string>>;
  /** A text is sent as it is, everything else as JSON. */
  readonly body?: unknown;
  /** From the call to the last byte of the answer, in ms; default 5000. */
  readonly timeoutMs?: number;
  /** Headers of the client that are sent, too. */
  readonly forwardHeaders?: readonly string[] | undefined;
  /** Longest answer in bytes; default 4 MiB. */
  readonly maxBytes?: number;
  /** Takes the credentials of the call out of answers, which may repeat them. */
  readonly scrubber?: Scrubber | undefined;
  /** `text`: the answer need not be JSON. */
  readonly answer?: 'json' | 'text';
}

export interface ServiceAnswer {
  readonly status: number;
  /** Undefined where the answer need not be JSON. */
  readonly json: unknown;
  readonly text: string;
}

export interface CallContext {
  readonly subject: Pick<CheckSubject, 'header'>;
  readonly tools: Pick<CheckTools, 'fetch' | 'signal'>;
}

const DEFAULT_TIMEOUT_MS = 5_000;
const DEFAULT_MAX_BYTES = 4 * 1024 * 1024;

/**
 * Calls the service that a check's parameters or credential name, not an address found in a text. Throws CheckFault: for any
 * status but 2xx (`HttpError` with status and body), for answers that are no JSON, for time and network.
 */
export async function callService(call: ServiceCall, { subject, tools }: CallContext): Promise<ServiceAnswer> {
  const url = URL.parse(call.url);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new CheckFault('InvalidInput', 'The address of the service is no URL that starts with http:// or https://');
  }
  const answer = await withinTime(call.timeoutMs ?? DEFAULT_TIMEOUT_MS, { host: url.host, tools }, (signal) =>
    tools.fetch({ ...requestOf(call, subject), url: url.href, account: true }, { signal }),
  );
  const text = answer.body.toString('utf8');
  return readAnswer(answer.status, call.scrubber?.text(text) ?? text, { call, host: url.host });
}

function requestOf(
  { method = 'POST', headers, body, forwardHeaders = [], maxBytes = DEFAULT_MAX_BYTES }: ServiceCall,
  subject: CallContext['subject'],
) {
  const content = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
  const type = content === undefined ? {} : { 'content-type': 'application/json' };
  const forwarded = forwardedHeaders(forwardHeaders, subject);
  return {
    method,
    headers: { ...forwarded, ...type, ...headers },
    ...(content === undefined ? {} : { body: content }),
    maxBytes,
  };
}

interface Waiting {
  readonly host: string;
  readonly tools: CallContext['tools'];
}

/** Ends the work with the time or with the check. */
async function withinTime(
  timeoutMs: number,
  { host, tools }: Waiting,
  work: (signal: CancelSignal) => Promise<SideAnswer>,
): Promise<SideAnswer> {
  const cancellation = new Cancellation();
  const late = new CheckFault('TimeoutError', `The service at ${host} did not answer within ${timeoutMs} ms`);
  const timer = setTimeout(() => cancellation.cancel(late), timeoutMs);
  const give = (): void => cancellation.cancel(tools.signal.reason);
  tools.signal.onCancel(give);
  try {
    return await work(cancellation);
  } catch (error) {
    if (cancellation.reason === late) throw late;
    if (tools.signal.cancelled) throw new CheckFault('AbortError', 'The request ended before the service answered');
    throw toFault(error, host);
  } finally {
    clearTimeout(timer);
    tools.signal.offCancel(give);
  }
}

function readAnswer(
  status: number,
  text: string,
  { call, host }: { readonly call: ServiceCall; readonly host: string },
): ServiceAnswer {
  if (status < 200 || status > 299) {
    const body = parsed(text)?.json ?? text;
    throw new CheckFault('HttpError', `The service at ${host} answered with status ${status}`, { status, body });
  }
  if (call.answer === 'text') return { status, json: undefined, text };
  const read = parsed(text);
  if (read === undefined) {
    throw new CheckFault('ParseError', `The service at ${host} gave an answer that is not JSON`, { status });
  }
  return { status, json: read.json, text };
}

function parsed(text: string): { readonly json: unknown } | undefined {
  try {
    return { json: readJson(text) };
  } catch {
    return undefined;
  }
}
