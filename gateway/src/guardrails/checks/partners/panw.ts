/** Source: https://pan.dev/prisma-airs/api/airuntimesecurity/scan-sync-request */
import { partners } from '@gatehouse/crds/guardrails';
import type { JsonObject } from '../../../wire/contract.ts';
import type { CheckSubject } from '../../contract.ts';
import { contentText, definePartner, keyHeader, malformed, messagesOf, needObject, once } from './engine/index.ts';

type Scope = 'last_message' | 'last_user_message' | 'user_messages' | 'all_messages';

export const panwIntercept = definePartner(partners.panwIntercept, {
  onError: false,
  withoutCredential: true,
  empty: 'asked',
  host: 'https://service.api.aisecurity.paloaltonetworks.com',
  auth: keyHeader('x-pan-token', 'AIRS_API_KEY'),
  path: '/v1/scan/sync/request',
  bodies: once(({ subject, parameters }) => {
    const { profile_name, profile_id, ai_model, app_user, app_name, scan_scope } = parameters;
    const hasProfile = profile_name !== undefined || profile_id !== undefined;
    return {
      tr_id: subject.traceId,
      metadata: { ai_model, app_user, app_name: app_name === undefined ? 'gw' : `gw-${app_name}` },
      contents: [subject.phase === 'input' ? { prompt: scanned(subject, scan_scope) } : { response: subject.text }],
      ...(hasProfile ? { ai_profile: { profile_name, profile_id } } : {}),
    };
  }),
  read: ([reply]) => {
    const data = needObject(reply, 'action');
    const { action } = data;
    if (action !== 'block' && action !== 'allow') throw malformed('action');
    return { verdict: action === 'allow', data };
  },
});

/** The text of the messages in the scope; requests without messages have one text. */
function scanned({ request, text }: CheckSubject, scope: Scope): string {
  const messages = messagesOf(request);
  if (scope === 'last_message' || messages.length === 0) return text;
  const users = messages.filter(({ role }) => role === 'user');
  const chosen = { last_user_message: users.slice(-1), user_messages: users, all_messages: messages }[scope];
  return chosen.map(({ content }: JsonObject) => contentText(content)).join('\n');
}
