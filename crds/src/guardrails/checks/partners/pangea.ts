import { z } from 'zod';
import { flag, opaque } from '../../../schema/index.ts';
import { defineCheckEntry } from '../../check.ts';
import { API_KEY, BOTH, called, id, redact, setting } from './fields.ts';

const credential = {
  fields: [
    API_KEY,
    setting('domain', 'The domain of the account, e.g. aws.us.pangea.cloud; needed without baseUrl.'),
    setting('baseUrl', 'The URL of the service; default https://ai-guard.DOMAIN or https://redact.DOMAIN.'),
  ],
};

export const pangeaTextGuard = defineCheckEntry({
  id: 'pangea.textGuard',
  summary: 'Passes when Pangea AI Guard detects nothing in the text.',
  phases: BOTH,
  callsOut: true,
  credential,
  parameters: z.strictObject({
    recipe: id('recipe is the configuration of detectors.').optional(),
    debug: flag('debug asks for details of the detectors in the data of the check.', false).optional(),
    overrides: opaque('overrides are settings of detectors in place of those of the recipe.').optional(),
    ...called(),
  }),
});

export const pangeaPii = defineCheckEntry({
  id: 'pangea.pii',
  summary: 'Passes when Pangea Redact finds no personal data.',
  phases: BOTH,
  callsOut: true,
  transforms: true,
  credential,
  parameters: z.strictObject({ redact: redact('the personal data found'), ...called() }),
});
