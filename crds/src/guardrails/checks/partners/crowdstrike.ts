import { z } from 'zod';
import { defineCheckEntry } from '../../check.ts';
import { API_KEY, BOTH, called, neededSetting, redact } from './fields.ts';

export const crowdstrikeGuard = defineCheckEntry({
  id: 'crowdstrike-aidr.guardChatCompletions',
  summary: 'Passes unless CrowdStrike AIDR blocks or changes the conversation.',
  phases: BOTH,
  callsOut: true,
  transforms: true,
  credential: { fields: [API_KEY, neededSetting('baseUrl', 'The URL of the service.')] },
  parameters: z.strictObject({ redact: redact('what the policy redacts'), ...called() }),
});
