import { z } from 'zod';
import { flag } from '../../../schema/index.ts';
import { defineCheckEntry } from '../../check.ts';
import { API_KEY, BOTH, baseUrl, called, id, setting } from './fields.ts';

export const lakeraGuard = defineCheckEntry({
  id: 'lakera.guard',
  summary: 'Passes when Lakera Guard flags nothing; personal data alone is replaced in the text.',
  phases: BOTH,
  callsOut: true,
  transforms: true,
  credential: {
    fields: [API_KEY, setting('apiBase', 'The URL of the service, as baseUrl.'), baseUrl('https://api.lakera.ai')],
  },
  parameters: z.strictObject({
    projectID: id('projectID is the project whose policy applies; default: that of the account.').optional(),
    endInclusive: flag('endInclusive says that the end of a finding is its last character.', false),
    ...called(30_000),
  }),
});
