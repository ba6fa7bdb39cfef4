import { z } from 'zod';
import { int, text } from '../../../schema/index.ts';
import { defineCheckEntry } from '../../check.ts';
import { API_KEY, baseUrl, called, INPUT, ids } from './fields.ts';

const around = {
  prefix: text('prefix is written in front of the results.').default('\n<web_search_context>\n'),
  suffix: text('suffix is written behind the results.').default('\n</web_search_context>'),
};

const domains = {
  includeDomains: ids('includeDomains are the only domains that are searched.').optional(),
  excludeDomains: ids('excludeDomains are domains that are not searched.').optional(),
};

export const exaOnline = defineCheckEntry({
  id: 'exa.online',
  summary: 'Adds results of a web search by Exa to the system message or prompt; always passes.',
  phases: INPUT,
  callsOut: true,
  transforms: true,
  adds: true,
  credential: { fields: [API_KEY, baseUrl('https://api.exa.ai')] },
  parameters: z.strictObject({
    ...around,
    numResults: int('numResults is the number of results.', 1, 100).default(5),
    ...domains,
    ...called(10_000),
  }),
});

export const tavilyOnline = defineCheckEntry({
  id: 'tavily.online',
  summary: 'Adds results of a web search by Tavily to the system message or prompt; always passes.',
  phases: INPUT,
  callsOut: true,
  transforms: true,
  adds: true,
  credential: { fields: [API_KEY, baseUrl('https://api.tavily.com')] },
  parameters: z.strictObject({
    ...around,
    maxResults: int('maxResults is the number of results.', 1, 20).default(5),
    searchDepth: z.enum(['basic', 'advanced']).optional().meta({ description: 'searchDepth is how well is searched.' }),
    topic: z.enum(['general', 'news', 'finance']).optional().meta({ description: 'topic is the kind of sources.' }),
    timeRange: z
      .enum(['day', 'week', 'month', 'year', 'd', 'w', 'm', 'y'])
      .optional()
      .meta({ description: 'timeRange is the age of results.' }),
    ...domains,
    ...called(30_000),
  }),
});
