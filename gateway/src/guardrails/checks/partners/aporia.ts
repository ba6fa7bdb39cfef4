/** Source: https://gr-docs.aporia.com/fundamentals/integration/rest-api */
import { partners } from '@gatehouse/crds/guardrails';
import type { CheckSubject } from '../../contract.ts';
import { contentText, definePartner, keyHeader, member, messagesOf, needObject, once } from './engine/index.ts';

export const aporiaValidateProject = definePartner(partners.aporiaValidateProject, {
  onError: false,
  empty: 'asked',
  host: 'https://gr-prd.aporia.com',
  hostFields: ['apiEndpoint'],
  auth: keyHeader('x-aporia-api-key'),
  path: ({ parameters }) => `/${encodeURIComponent(parameters.projectID)}/validate`,
  bodies: once(({ subject }) => ({
    messages: flatMessages(subject),
    explain: true,
    ...(subject.phase === 'input'
      ? { validation_target: 'prompt' }
      : { validation_target: 'response', response: subject.responseText() }),
  })),
  read: ([reply]) => {
    const data = needObject(reply, 'action');
    return { verdict: member(data, 'action') === 'passthrough', data };
  },
});

/** The whole conversation; requests that are none have one message with their text. */
function flatMessages(subject: CheckSubject): readonly object[] {
  const messages = messagesOf(subject.request);
  if (messages.length === 0) return [{ role: 'user', content: subject.requestText() }];
  return messages.map((message) => ({ ...message, content: contentText(message['content']) }));
}
