/** Web searches. Source: https://docs.exa.ai/reference/search and https://docs.tavily.com */
import { partners } from '@gatehouse/crds/guardrails';
import type { JsonObject } from '../../../wire/contract.ts';
import type { CheckAnswer, CheckSubject } from '../../contract.ts';
import { faultOf } from '../../outbound/index.ts';
import {
  type Ask,
  bearer,
  definePartner,
  keyHeader,
  listAt,
  malformed,
  member,
  messagesOf,
  once,
  textAt,
} from './engine/index.ts';

interface Around {
  readonly prefix: string;
  readonly suffix: string;
}

/** A search never fails a request: what went wrong is in its data. */
const shared = {
  onError: true,
  empty: true,
  only: { phase: 'input', verdict: true },
  failed: (error: unknown): CheckAnswer => ({ verdict: true, data: { error: faultOf(error) } }),
} as const;

export const exaOnline = definePartner(partners.exaOnline, {
  ...shared,
  host: 'https://api.exa.ai',
  auth: keyHeader('x-api-key'),
  path: '/search',
  bodies: once(({ subject, parameters: { numResults, includeDomains, excludeDomains } }) => ({
    query: subject.text,
    numResults,
    useAutoprompt: true,
    contents: { text: true },
    includeDomains,
    excludeDomains,
  })),
  read: ([reply], ask) => addResults(reply, ask, { date: 'publishedDate', text: 'text' }),
});

export const tavilyOnline = definePartner(partners.tavilyOnline, {
  ...shared,
  empty: 'passes',
  host: 'https://api.tavily.com',
  auth: bearer(),
  path: '/search',
  bodies: once(({ subject, parameters }) => ({
    query: subject.text,
    max_results: parameters.maxResults,
    search_depth: parameters.searchDepth,
    topic: parameters.topic,
    time_range: parameters.timeRange,
    include_domains: parameters.includeDomains,
    exclude_domains: parameters.excludeDomains,
  })),
  read: ([reply], ask) => addResults(reply, ask, { date: 'published_date', text: 'content' }),
});

/** Members of a result that services name differently. */
interface ResultNames {
  readonly date: string;
  readonly text: string;
}

function addResults(
  reply: unknown,
  { subject, parameters }: Pick<Ask<Around>, 'subject' | 'parameters'>,
  names: ResultNames,
): CheckAnswer {
  if (!Array.isArray(member(reply, 'results'))) throw malformed('results');
  const results = listAt(reply, 'results');
  const sources = results.flatMap((result) => textAt(result, 'url') ?? []);
  const data = { ...(reply as JsonObject), sources }; // an object: it has results
  if (results.length === 0) return { verdict: true, data };
  const written = results.map((result, i) => formatted(result, i, names)).join('\n\n');
  const body = withContext(subject, parameters.prefix + written + parameters.suffix);
  return body === undefined ? { verdict: true, data } : { verdict: true, data, transformed: { kind: 'body', body } };
}

function formatted(result: unknown, i: number, { date, text }: ResultNames): string {
  const lines = [
    `[${i + 1}] ${textAt(result, 'title') ?? 'Untitled'}`,
    `URL: ${textAt(result, 'url') ?? ''}`,
    ...(textAt(result, date) === undefined ? [] : [`Published: ${textAt(result, date)}`]),
    textAt(result, text) ?? '',
  ];
  return lines.join('\n');
}

/** The request with the results behind its system message, or in front of its prompt; other requests stay. */
function withContext({ request, requestType }: CheckSubject, context: string): JsonObject | undefined {
  if (requestType === 'complete') {
    const { prompt } = request;
    if (typeof prompt === 'string') return { ...request, prompt: `${context}\n${prompt}` };
    if (!Array.isArray(prompt) || typeof prompt[0] !== 'string') return undefined;
    return { ...request, prompt: [`${context}\n${prompt[0]}`, ...prompt.slice(1)] };
  }
  return requestType === 'chatComplete'
    ? { ...request, messages: withSystem(messagesOf(request), context) }
    : undefined;
}

function withSystem(messages: readonly JsonObject[], context: string): readonly JsonObject[] {
  const at = messages.findIndex(({ role }) => role === 'system');
  const system = messages[at];
  if (system === undefined) return [{ role: 'system', content: context }, ...messages];
  const { content } = system;
  const extended = Array.isArray(content)
    ? [...content, { type: 'text', text: context }]
    : `${typeof content === 'string' ? content : ''}${context}`;
  return messages.with(at, { ...system, content: extended });
}
