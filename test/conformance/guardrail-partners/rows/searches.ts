/** Web searches, which add to the request and never fail it. */
import type { JsonObject } from '../../../../gateway/src/wire/contract.ts';
import { BEARER, CANARY, INPUT, JSON_TYPE, type Row, TEXT } from '../row.ts';

const EXA_RESULT = { title: 'One', url: 'https://one.example', publishedDate: '2026-01-01', text: 'first' };
const TAVILY_RESULT = { title: 'One', url: 'https://one.example', published_date: '2026-01-01', content: 'first' };
const FOUND = '[1] One\nURL: https://one.example\nPublished: 2026-01-01\nfirst';
const CONTEXT = `\n<web_search_context>\n${FOUND}\n</web_search_context>`;

const withSystem = (content: unknown): JsonObject => ({
  model: 'm1',
  messages: [
    { role: 'system', content },
    { role: 'user', content: TEXT },
  ],
});

const redacts = (result: object) => [
  {
    rule: 'writes behind the system message',
    replies: [{ results: [result] }],
    verdict: true,
    body: withSystem(`Be brief.${CONTEXT}`),
  },
  {
    rule: 'writes a system message where there is none',
    side: { phase: 'input' as const, request: { model: 'm1', messages: [{ role: 'user', content: TEXT }] } },
    replies: [{ results: [result] }],
    verdict: true,
    body: withSystem(CONTEXT),
  },
  {
    rule: 'writes in front of a prompt',
    side: { phase: 'input' as const, requestType: 'complete' as const, request: { model: 'm1', prompt: TEXT } },
    replies: [{ results: [result] }],
    verdict: true,
    body: { model: 'm1', prompt: `${CONTEXT}\n${TEXT}` },
  },
  {
    rule: 'has words of its own around them',
    parameters: { prefix: ' <', suffix: '>' },
    replies: [{ results: [result] }],
    verdict: true,
    body: withSystem(`Be brief. <${FOUND}>`),
  },
];

const EXA: Row = {
  id: 'exa.online',
  parameters: { includeDomains: ['one.example'] },
  credential: { apiKey: CANARY, baseUrl: 'STUB' },
  side: INPUT,
  sends: [
    {
      path: '/search',
      headers: { ...JSON_TYPE, 'x-api-key': CANARY },
      body: {
        query: TEXT,
        numResults: 5,
        useAutoprompt: true,
        contents: { text: true },
        includeDomains: ['one.example'],
      },
    },
  ],
  pass: [{ results: [] }],
  fail: undefined,
  malformed: [{}],
  redacts: redacts(EXA_RESULT),
  also: [
    {
      rule: 'shows its sources',
      replies: [{ results: [EXA_RESULT] }],
      verdict: true,
      data: { sources: ['https://one.example'] },
    },
  ],
  onError: 'data',
  empty: true,
  needs: { field: 'apiKey', verdict: true },
  otherPhase: true,
};

const TAVILY: Row = {
  id: 'tavily.online',
  parameters: {
    maxResults: 3,
    searchDepth: 'advanced',
    topic: 'news',
    timeRange: 'week',
    excludeDomains: ['x.example'],
  },
  credential: { apiKey: CANARY, baseUrl: 'STUB' },
  side: INPUT,
  sends: [
    {
      path: '/search',
      headers: BEARER,
      body: {
        query: TEXT,
        max_results: 3,
        search_depth: 'advanced',
        topic: 'news',
        time_range: 'week',
        exclude_domains: ['x.example'],
      },
    },
  ],
  pass: [{ results: [] }],
  fail: undefined,
  malformed: [{}],
  redacts: redacts(TAVILY_RESULT),
  onError: 'data',
  empty: 'passes',
  needs: { field: 'apiKey', verdict: true },
  otherPhase: true,
};

export const SEARCHES: readonly Row[] = [EXA, TAVILY];
