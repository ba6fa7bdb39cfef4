/** Calls of URLs that somebody else has written: each goes through the host guard as a host of the request. */
import { Cancellation } from '../../../lib/cancellation.ts';
import type { SideAnswer } from '../../../providers/contract.ts';
import type { CheckTools } from '../../contract.ts';
import { CheckFault } from '../../outbound/index.ts';

export interface UrlCall {
  readonly method: 'GET' | 'HEAD';
  readonly headers: Readonly<Record<string, string>>;
  /** For all redirects together. */
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

const MAX_REDIRECTS = 4;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const NETWORK = /^https?:$/;

/** The last answer behind redirects. Throws AppError for network failures, and CheckFault for its time and for redirects. */
export async function fetchUrl(text: string, call: UrlCall, tools: CheckTools): Promise<SideAnswer> {
  const { timeoutMs, ...request } = call;
  const cancellation = new Cancellation();
  const late = new CheckFault('TimeoutError', `no answer within ${timeoutMs} ms`);
  const timer = setTimeout(() => cancellation.cancel(late), timeoutMs);
  const give = (): void => cancellation.cancel(tools.signal.reason);
  tools.signal.onCancel(give);
  try {
    let url: URL | null = URL.parse(text);
    for (let hops = 0; hops <= MAX_REDIRECTS; hops += 1) {
      if (url === null || !NETWORK.test(url.protocol)) throw new CheckFault('InvalidInput', 'not a URL of the web');
      const answer = await tools.fetch({ ...request, url: url.href }, { signal: cancellation });
      const to = REDIRECTS.has(answer.status) ? answer.headers['location'] : undefined;
      if (to === undefined) return answer;
      url = URL.parse(to, url);
    }
    throw new CheckFault('HttpError', `more than ${MAX_REDIRECTS} redirects`);
  } catch (error) {
    throw cancellation.reason === late ? late : error;
  } finally {
    clearTimeout(timer);
    tools.signal.offCancel(give);
  }
}
