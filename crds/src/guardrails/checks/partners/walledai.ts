import { z } from 'zod';
import { flag } from '../../../schema/index.ts';
import { defineCheckEntry } from '../../check.ts';
import { API_KEY, BOTH, baseUrl, called, ids } from './fields.ts';

const PII = [
  "Person's Name",
  'Address',
  'Email Id',
  'Contact No',
  'Date Of Birth',
  'Unique Id',
  'Financial Data',
] as const;

export const walledprotect = defineCheckEntry({
  id: 'walledai.walledprotect',
  summary: 'Passes when Walled AI considers the text safe.',
  phases: BOTH,
  callsOut: true,
  credential: { fields: [API_KEY, baseUrl('https://services.walled.ai')] },
  parameters: z.strictObject({
    generic_safety_check: flag('generic_safety_check looks for unsafe texts of any kind.', true),
    greetings_list: ids('greetings_list are the kinds of greetings that are looked for.').default([
      'Casual & Friendly',
    ]),
    pii_list: ids('pii_list are the kinds of personal data that are looked for.').default([...PII]),
    compliance_list: ids('compliance_list are rules of your own that are looked after.').default([]),
    ...called(),
  }),
});
