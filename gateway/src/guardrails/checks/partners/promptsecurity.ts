/** Source: https://docs.prompt.security */
import { partners } from '@gatehouse/crds/guardrails';
import type { z } from 'zod';
import type { CheckAnswer } from '../../contract.ts';
import {
  type Ask,
  definePartner,
  keyHeader,
  needBoolean,
  needObject,
  once,
  onDomain,
  replaceTexts,
  textAt,
} from './engine/index.ts';

type Parameters = z.output<typeof partners.promptsecurityProtectPrompt.parameters>;

const shared = (side: 'prompt' | 'response') => ({
  onError: false,
  empty: 'asked' as const,
  host: (credential: Ask<Parameters>['credential']) => onDomain(credential, 'apiDomain'),
  auth: keyHeader('app-id'),
  path: '/api/protect',
  bodies: once(({ subject, parameters: { policy, user, userGroups } }: Ask<Parameters>) => ({
    [side]: subject.text,
    policy,
    user,
    user_groups: userGroups,
  })),
  read: ([reply]: readonly unknown[], ask: Ask<Parameters>): CheckAnswer => {
    const data = needObject(reply, `result.${side}`, 'result', side);
    const passed = needBoolean(data, `result.${side}.passed`, 'passed');
    const { redact, monitorOnly } = ask.parameters;
    if (monitorOnly) return { verdict: true, data };
    const changed = redact ? textAt(data, 'modified_text') : undefined;
    return changed === undefined ? { verdict: passed, data } : withText(changed, data, { ask, passed });
  },
});

/** Text that was sent as one can be written back where it came from one part. */
function withText(
  changed: string,
  data: object,
  { ask, passed }: { readonly ask: Ask<Parameters>; readonly passed: boolean },
): CheckAnswer {
  const { subject, texts } = ask;
  if (texts.length === 1 && changed !== '') {
    return { verdict: true, data, transformed: replaceTexts(subject, texts, [changed]) };
  }
  return { verdict: passed, data };
}

export const promptsecurityProtectPrompt = definePartner(partners.promptsecurityProtectPrompt, shared('prompt'));

export const promptsecurityProtectResponse = definePartner(partners.promptsecurityProtectResponse, shared('response'));
