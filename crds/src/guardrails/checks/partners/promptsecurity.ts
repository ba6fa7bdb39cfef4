import { z } from 'zod';
import { flag, opaque } from '../../../schema/index.ts';
import { defineCheckEntry } from '../../check.ts';
import { called, INPUT, id, ids, OUTPUT, redact, secret, setting } from './fields.ts';

const credential = {
  fields: [
    secret('apiKey', 'The id of the application, which is its key.'),
    setting('apiDomain', 'The domain of the service, e.g. useast.prompt.security; needed without baseUrl.'),
    setting('baseUrl', 'The URL of the service; default https://DOMAIN.'),
  ],
};

const parameters = () =>
  z.strictObject({
    policy: opaque('policy is sent to the service as it is.').optional(),
    redact: redact('what the service changes'),
    monitorOnly: flag('monitorOnly lets everything pass; the findings are in the data of the check.', false),
    user: id('user is the user whose policies apply.').optional(),
    userGroups: ids('userGroups are the groups of the user.').optional(),
    ...called(),
  });

export const promptsecurityProtectPrompt = defineCheckEntry({
  id: 'promptsecurity.protectPrompt',
  summary: 'Passes when Prompt Security lets the prompt pass.',
  phases: INPUT,
  callsOut: true,
  transforms: true,
  credential,
  parameters: parameters(),
});

export const promptsecurityProtectResponse = defineCheckEntry({
  id: 'promptsecurity.protectResponse',
  summary: 'Passes when Prompt Security lets the answer pass.',
  phases: OUTPUT,
  callsOut: true,
  transforms: true,
  credential,
  parameters: parameters(),
});
