/** What the client gets of a provider's answer: in its own format, and without the credentials that the provider repeats. */
import type { JsonLimits } from '../../lib/json/index.ts';
import type { Scrubber } from '../../lib/scrub.ts';
import type { Call, Endpoint, Provider } from '../../providers/contract.ts';
import type { UpstreamResponse } from '../../upstream/index.ts';
import type { Exchange } from '../exchange.ts';
import {
  type ClientAnswer,
  errorAnswer,
  isServerSent,
  streamTransform,
  successAnswer,
  type UnaryAnswer,
} from './answer.ts';
import { type AttemptOutcome, passedHeaders } from './outcome.ts';
import { scrubberOf, scrubHeaders } from './scrub.ts';
import type { ResolvedTarget } from './target.ts';

/** The call that is answered. */
interface Asked {
  readonly input: { readonly exchange: Pick<Exchange, 'operation'> };
  readonly resolved: Pick<ResolvedTarget, 'target'>;
  readonly provider: Provider;
  readonly endpoint: Endpoint | undefined;
  readonly call: Call;
  /** The headers it was sent with. */
  readonly sent: { readonly headers: Readonly<Record<string, string>> };
}

/** An error of the provider. */
export function failedAnswer(asked: Asked, answer: UnaryAnswer): ClientAnswer {
  const { operation } = asked.input.exchange;
  const { headers, bytes } =
    operation.id === 'proxy'
      ? { headers: passedHeaders(answer.headers), bytes: answer.bytes }
      : errorAnswer(asked.provider, operation, answer);
  const scrubber = scrubberOf(asked.resolved.target, asked.sent.headers);
  return { headers: scrubHeaders(headers, scrubber), bytes: scrubber.bytes(bytes) };
}

/** A good answer. */
export function clientAnswer(
  { provider, endpoint, call }: Asked,
  answer: UnaryAnswer & { readonly json: JsonLimits },
): ClientAnswer {
  if (endpoint === undefined) return { headers: passedHeaders(answer.headers), bytes: answer.bytes };
  return successAnswer(provider, endpoint, call, answer);
}

export const unaryOutcome = (
  status: number,
  { headers, bytes }: { headers: AttemptOutcome['headers']; bytes: Buffer },
) =>
  ({ status, fallback: 'status', error: undefined, stream: false, headers, body: { kind: 'bytes', bytes } }) as const;

/** A good answer that is relayed while it arrives. */
export function streamOutcome(asked: Asked, response: UpstreamResponse) {
  const { provider, endpoint, call, input } = asked;
  let made: Scrubber | undefined;
  const scrubber = (): Scrubber => {
    made ??= scrubberOf(asked.resolved.target, asked.sent.headers);
    return made;
  };
  const scrub: Scrubber = { bytes: (bytes) => scrubber().bytes(bytes), text: (text) => scrubber().text(text) };
  const headers = passedHeaders(response.headers);
  const events = call.operation !== 'proxy' || isServerSent(response);
  if (call.operation === 'proxy' && !events) {
    const length = response.headers['content-length'];
    if (length !== undefined) headers['content-length'] = length;
  }
  if (endpoint?.stream?.kind === 'decode') headers['content-type'] = 'text/event-stream; charset=utf-8';
  const { operation } = input.exchange;
  const transform = events ? streamTransform(provider, endpoint, call, { operation, scrub }) : undefined;
  const body = { kind: 'stream', upstream: response.body, transform } as const;
  return { status: response.status, fallback: 'status', error: undefined, stream: true, headers, body } as const;
}
