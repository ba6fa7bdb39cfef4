/** What the client gets of a provider's answer: in its own format, and without the credentials that the provider repeats. */
import type { Scrubber } from '../../../lib/scrub.ts';
import type { Provider } from '../../../providers/contract.ts';
import { providerErrorBody } from '../../../providers/engine/index.ts';
import type { CountedAnswer } from '../../../record/index.ts';
import type { UpstreamResponse } from '../../../upstream/index.ts';
import type { AnswerBody, HeaderMap } from '../../exchange.ts';
import type { ClientAnswer, ServedCall } from '../../operations/index.ts';
import { scrubberOf, scrubHeaders } from './scrub.ts';
import type { UnaryAnswer } from './unpack.ts';

/** An answer in the client's format. */
export interface MappedAnswer {
  readonly status: number;
  readonly headers: HeaderMap;
  readonly body: AnswerBody;
  /** Relayed while it arrives. */
  readonly stream: boolean;
  /** What it used; absent: its body tells. */
  readonly counted?: CountedAnswer;
  /** The file of the provider whose content the body is, where the call names another thing. */
  readonly file?: string;
}

/** The call that is answered. */
export interface AnsweredCall extends ServedCall {
  /** The headers it was sent with. */
  readonly sent: { readonly headers: Readonly<Record<string, string>> };
}

/** Longest body of an error that is looked at, in bytes: taking credentials out takes time. */
const MAX_ERROR_BYTES = 256 * 1024;
/** In these a credential in ASCII is written as its bytes. */
const LIKE_ASCII = /^(?:utf-?8|us-ascii|ascii|iso-8859-\d{1,2}|latin1|windows-125\d)$/i;
const CHARSET = /;\s*charset\s*=\s*"?([^\s;"]*)/i;

/** An error of the provider. */
export function failedAnswer(answered: AnsweredCall, given: UnaryAnswer): ClientAnswer {
  const answer = isReadable(given) ? given : unreadable(answered.provider, given);
  const { headers, bytes } = answered.operation.handler.mapError(answered, answer);
  const scrubber = scrubberOf(answered.resolved.target, answered.sent.headers);
  return { headers: scrubHeaders(headers, scrubber), bytes: scrubber.bytes(bytes) };
}

/** Whether credentials in the body can be found. */
function isReadable({ headers, bytes }: UnaryAnswer): boolean {
  const [, charset = 'utf-8'] = CHARSET.exec(String(headers['content-type'] ?? '')) ?? [];
  return bytes.length <= MAX_ERROR_BYTES && LIKE_ASCII.test(charset) && !bytes.includes(0);
}

/** Says that an error is not repeated. */
function unreadable(provider: Provider, { status, headers, bytes }: UnaryAnswer): UnaryAnswer {
  const message = `The error of the provider is not repeated: ${bytes.length} bytes, more than ${MAX_ERROR_BYTES} or no text in UTF-8`;
  const body = providerErrorBody(provider.id, { message, type: null, param: null, code: null });
  return {
    status,
    headers: { ...headers, 'content-type': 'application/json' },
    bytes: Buffer.from(JSON.stringify(body)),
  };
}

/** A good answer that is relayed while it arrives. */
export function streamAnswer(answered: AnsweredCall, response: UpstreamResponse): MappedAnswer {
  const scrub = laterScrubber(answered.resolved.target, answered.sent.headers);
  const { headers, transform, observer } = answered.operation.handler.mapStream(answered, response, scrub);
  const body: AnswerBody = { kind: 'stream', upstream: response.body, transform, observer };
  return { status: response.status, headers, body, stream: true };
}

/** Made when it is needed for the first time. It lives as long as the stream, and holds nothing else of the call. */
function laterScrubber(...of: Parameters<typeof scrubberOf>): Scrubber {
  let made: Scrubber | undefined;
  const scrubber = (): Scrubber => {
    made ??= scrubberOf(...of);
    return made;
  };
  return {
    bytes: (bytes) => scrubber().bytes(bytes),
    text: (text) => scrubber().text(text),
    mayFind: (text) => scrubber().mayFind(text),
  };
}
